import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

@Suite struct ObservedQueryTests {
  private typealias Pictures = RecordingSubscriber<[Picture], DatabaseError>

  /// A recorder, and a signal that fires for each value.
  private func recorder<Value: Sendable>(
    _ query: ObservedQuery<Value>, demand: Subscribers.Demand = .unlimited
  ) -> (RecordingSubscriber<Value, DatabaseError>, Signal) {
    let recorder = RecordingSubscriber<Value, DatabaseError>(initialDemand: demand)
    let arrivals = Signal()
    recorder.onValue = { _ in arrivals.fire() }
    recorder.onCompletion = { _ in arrivals.fire() }
    query.publisher.subscribe(recorder)
    return (recorder, arrivals)
  }

  private func pictures(_ database: Database) -> ObservedQuery<[Picture]> {
    database.observe { try $0.pictures() }
  }

  // MARK: Values

  @Test(arguments: [true, false]) func theCurrentValueComesFirstAndThenEachChange(isInMemory: Bool) async throws {
    @Sendable func check(_ database: Database) async throws {
      try await database.write { try $0.insert(Picture(1, "a")) }
      let (recorder, arrivals) = recorder(pictures(database))
      await arrivals.wait(1)
      for id in 2...5 {
        try await database.write { try $0.insert(Picture(id, "a")) }
        await arrivals.wait(id)
      }
      recorder.cancel()
      #expect(recorder.values.map(\.count) == [1, 2, 3, 4, 5])
      #expect(recorder.subscriptionNames == ["ObservedQuery"])
    }
    if isInMemory { try await check(memory()) } else { try await withFile { try await check($0) } }
  }

  @Test func valuesAreAnAsyncSequenceWithATypedFailure() async throws {
    let database = try await memory()
    let query = database.observe { try $0.fetchAll(Picture.self, sql: Picture.all) }
    let isFirst = Signal()
    let loop = Task { () throws(DatabaseError) -> [Int] in
      var counts: [Int] = []
      for try await list in query.values {
        counts.append(list.count)
        isFirst.fire()
        if list.count == 3 { break }
      }
      return counts
    }
    await isFirst.wait()
    for id in 1...3 { try await database.write { try $0.insert(Picture(id, "a")) } }
    let counts = try await loop.value
    #expect(counts.first == 0 && counts.last == 3)
    #expect(counts == counts.sorted())
    #expect(database.observations.count == 0)
  }

  @Test func aRolledBackStateIsNeverSeen() async throws {
    try await withFile { database in
      let (recorder, arrivals) = recorder(pictures(database))
      await arrivals.wait(1)
      for id in 1...20 {
        try? await database.write { db in
          try db.insert(Picture(1_000 + id, "bad"))
          throw TestError()
        }
        try await database.write { try $0.insert(Picture(id, "good")) }
        await arrivals.wait(1 + id)
      }
      recorder.cancel()
      #expect(recorder.values.count == 21, "a transaction that is rolled back runs no query")
      #expect(recorder.values.allSatisfy { $0.allSatisfy { $0.title == "good" } })
    }
  }

  @Test func aTransactionIsSeenAsAWhole() async throws {
    try await withFile { database in
      let (recorder, arrivals) = recorder(pictures(database))
      await arrivals.wait(1)
      try await database.write { db in for id in 1...100 { try db.insert(Picture(id, "a")) } }
      await arrivals.wait(2)
      recorder.cancel()
      #expect(recorder.values.map(\.count) == [0, 100])
    }
  }

  @Test func whatIsNotReadRunsNoQuery() async throws {
    let database = try await memory()
    try await database.write { try $0.execute(sql: "CREATE TABLE other (x)") }
    let runs = Signal()
    let query = database.observe { db in
      runs.fire()
      return try db.fetchAll(String.self, sql: "SELECT title FROM picture")
    }
    let (recorder, arrivals) = recorder(query)
    await arrivals.wait(1)
    try await database.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
    try await database.write { try $0.execute(sql: "UPDATE picture SET rating = 1") }
    try await database.write { try $0.insert(Picture(1, "a")) }
    await arrivals.wait(2)
    recorder.cancel()
    #expect(runs.count == 2)
    #expect(recorder.values == [[], ["a"]])
  }

  @Test func equalValuesAreDroppedWhereThatIsWanted() async throws {
    let database = try await memory()
    let runs = Signal()
    let query = database.observe { db in
      runs.fire()
      return try db.fetchOne(Int.self, sql: "SELECT count(*) FROM picture WHERE rating > 3") ?? 0
    }
    let (recorder, arrivals) = recorder(query.removeDuplicates(), demand: .max(2))
    await arrivals.wait(1)
    for id in 1...3 {
      try await database.write { try $0.insert(Picture(id, "a", rating: 1)) }
      await runs.wait(1 + id)
    }
    try await database.write { try $0.insert(Picture(4, "a", rating: 4)) }
    await arrivals.wait(2)
    recorder.cancel()
    #expect(recorder.values == [0, 1])
  }

  @Test func theQueryMayReadOtherTablesEachTime() async throws {
    let database = try await memory()
    try await database.write { try $0.execute(sql: "CREATE TABLE choice (x); CREATE TABLE other (x)") }
    let query = database.observe { db in
      let isOther = try db.fetchOne(Bool.self, sql: "SELECT count(*) FROM choice") == true
      return try db.fetchOne(Int.self, sql: "SELECT count(*) FROM \(SQLIdentifier(isOther ? "other" : "picture"))")
        ?? -1
    }
    let (recorder, arrivals) = recorder(query)
    await arrivals.wait(1)
    try await database.write { try $0.execute(sql: "INSERT INTO choice VALUES (1)") }
    await arrivals.wait(2)
    try await database.write { try $0.insert(Picture(1, "a")) }
    try await database.write { try $0.execute(sql: "INSERT INTO other VALUES (1), (2)") }
    await arrivals.wait(3)
    recorder.cancel()
    #expect(recorder.values == [0, 0, 2])
  }

  // MARK: Demand

  @Test func nothingIsFetchedWithoutDemand() async throws {
    try await withFile { database in
      let runs = Signal()
      let query = database.observe { db in
        runs.fire()
        return try db.pictures()
      }
      let (recorder, arrivals) = recorder(query, demand: .none)
      try await database.write { try $0.insert(Picture(1, "a")) }
      try await database.write { try $0.insert(Picture(2, "a")) }
      #expect(runs.count == 0)
      recorder.request(.max(1))
      await arrivals.wait(1)
      for id in 3...5 { try await database.write { try $0.insert(Picture(id, "a")) } }
      #expect(runs.count == 1)
      recorder.request(.max(2))
      await arrivals.wait(2)
      try await database.write { try $0.insert(Picture(6, "a")) }
      await arrivals.wait(3)
      try await database.write { try $0.insert(Picture(7, "a")) }
      #expect(runs.count == 3)
      recorder.cancel()
      #expect(recorder.values.map(\.count) == [2, 5, 6])
    }
  }

  @Test func aSlowSubscriberGetsTheNewestStateAndHoldsNobodyUp() async throws {
    try await withFile { database in
      let isInside = Signal()
      let proceed = Latch()
      let slow = Pictures()
      let slowArrivals = Signal()
      slow.onValue = { _ in
        slowArrivals.fire()
        if slowArrivals.count == 1 {
          isInside.fire()
          proceed.wait()
        }
      }
      pictures(database).publisher.subscribe(slow)
      await isInside.wait()
      let (quick, arrivals) = recorder(pictures(database))
      await arrivals.wait(1)
      for id in 1...20 {
        try await database.write { try $0.insert(Picture(id, "a")) }
        await arrivals.wait(1 + id)
      }
      #expect(quick.values.map(\.count) == Array(0...20))
      #expect(slow.values.count == 1)
      proceed.open()
      await slowArrivals.wait(2)
      #expect(slow.values.map(\.count) == [0, 20])
      quick.cancel()
      slow.cancel()
    }
  }

  @Test func aSubscriberMayUseTheDatabase() async throws {
    try await withFile { database in
      let recorder = Pictures()
      let arrivals = Signal()
      recorder.onValue = { list in
        if list.count < 5 { try? Self.insert(list.count + 1, into: database) }
        arrivals.fire()
      }
      pictures(database).publisher.subscribe(recorder)
      await arrivals.wait(6)
      recorder.cancel()
      #expect(recorder.values.map(\.count) == [0, 1, 2, 3, 4, 5])
    }
  }

  private static func insert(_ id: Int, into database: Database) throws {
    try database.write { try $0.insert(Picture(id, "a")) }
  }

  /// In a process of its own, whose other tests would wait.
  @Test func nothingNeedsTheThreadsThatTasksShare() async throws {
    await #expect(processExitsWith: .success) {
      let database = Database.inMemory()
      try Self.prepare(database)
      let recorder = Pictures()
      let arrivals = Latch()
      recorder.onValue = { _ in arrivals.open() }
      // Far more than there are threads. Whatever is a task from here on waits for one of these to end.
      for _ in 0..<500 { Task.detached { Self.keep(Latch()) } }
      Thread {
        database.observe { try $0.pictures() }.publisher.subscribe(recorder)
        Self.expect(arrivals.wait())
        try? Self.insert(1, into: database)
        Self.expect(arrivals.wait())
        Self.expect(recorder.values.map(\.count) == [0, 1])
        database.close()
        exit(0)
      }.start()
      Self.keep(Latch())
    }
  }

  private static func prepare(_ database: Database) throws {
    try database.write { try $0.execute(sql: Picture.schema) }
  }

  private static func expect(_ condition: Bool) {
    if !condition { exit(1) }
  }

  /// Keeps a thread.
  private static func keep(_ proceed: Latch) { proceed.wait() }

  @Test func valuesFollowTheSubscription() async throws {
    let database = try await memory()
    let recorder = Pictures()
    let arrivals = Signal()
    let log = Shared<[String]>([])
    recorder.onSubscription = { subscription in
      subscription.request(.max(1))
      // Work that was begun before this would be done when this write is.
      onOtherThread { try? Self.insert(1, into: database) }
      log.update { $0.append("subscribed") }
    }
    recorder.onValue = { _ in
      log.update { $0.append("value") }
      arrivals.fire()
    }
    pictures(database).publisher.subscribe(recorder)
    await arrivals.wait(1)
    recorder.cancel()
    #expect(log.value.prefix(2) == ["subscribed", "value"])
  }

  // MARK: Errors

  @Test func anErrorEndsTheObservation() async throws {
    let database = try await memory()
    let (recorder, arrivals) = recorder(pictures(database))
    await arrivals.wait(1)
    try await database.write { try $0.execute(sql: "DROP TABLE picture") }
    await arrivals.wait(2)
    #expect(recorder.error?.message == "no such table: picture")
    #expect(recorder.completions == 1)
    #expect(database.observations.count == 0)
  }

  @Test func anotherErrorIsInsideOneOfTheDatabase() async throws {
    let database = try await memory()
    let (recorder, arrivals) = recorder(database.observe { _ -> Int in throw TestError("mine") })
    await arrivals.wait(1)
    #expect(recorder.error?.kind == .query)
    #expect(recorder.error?.underlying as? TestError == TestError("mine"))
  }

  // MARK: Cancellation and lifetime

  @Test func cancellingEndsTheQueryThatRuns() async throws {
    try await withFile { database in
      let hasBegun = Signal()
      let (recorder, _) = recorder(
        database.observe { db in
          hasBegun.fire()
          return try db.fetchOne(Int.self, sql: endlessQuery)
        })
      await hasBegun.wait()
      recorder.cancel()
      // Otherwise this would wait for ever.
      await database.close()
      #expect(recorder.log == [])
    }
  }

  /// The query returns what it has found, because nothing in it is interrupted any more.
  @Test func whatIsFetchedWhenItIsCancelledIsNotDelivered() async throws {
    let database = try await memory()
    let isFetched = Signal()
    let isCancelled = Latch()
    let recorder = RecordingSubscriber<Int, DatabaseError>()
    weak var observation: QueryObservation<Int>?
    do {
      let query = database.observe { db in
        let count = try db.pictures().count
        isFetched.fire()
        isCancelled.wait()
        return count
      }
      let started = QueryObservation(query, AnySubscriber(recorder))
      observation = started
      started.open()
      started.request(.unlimited)
      await isFetched.wait()
      started.cancel()
      isCancelled.open()
    }
    // Who could still deliver would keep it.
    await until { observation == nil }
    #expect(recorder.log == [])
  }

  @Test func nothingIsDeliveredAfterACancellationInADelivery() async throws {
    let database = try await memory()
    let recorder = Pictures()
    weak var observation: QueryObservation<[Picture]>?
    do {
      let started = QueryObservation(pictures(database), AnySubscriber(recorder))
      observation = started
      recorder.onValue = { [weak started] _ in
        // It has been outdated before it ends.
        onOtherThread { try? Self.insert(1, into: database) }
        started?.cancel()
      }
      started.open()
      started.request(.unlimited)
      await until { database.observations.count == 0 }
    }
    try await database.write { try $0.insert(Picture(2, "a")) }
    await until { observation == nil }
    #expect(recorder.values == [[]])
    #expect(recorder.completions == 0)
  }

  @Test func anEndReleasesTheSubscriberAndTheClosure() async throws {
    let lifetimes = LifetimeCounter()
    let database = try await memory()
    func observe() async -> Pictures {
      let token = lifetimes.make()
      let (recorder, arrivals) = recorder(
        database.observe { db in
          token.touch()
          return try db.pictures()
        })
      let other = lifetimes.make()
      recorder.onCompletion = { _ in other.touch() }
      await arrivals.wait(1)
      return recorder
    }
    do {
      let recorder = await observe()
      recorder.cancel()
      recorder.releaseSubscriptions()
    }
    await until { lifetimes.count == 0 }
    #expect(database.observations.count == 0)
  }

  /// Who keeps a subscription that has ended keeps nothing of the query.
  @Test(arguments: ["cancelled", "finished", "failed"]) func anEndReleasesTheQuery(end: String) async throws {
    let lifetimes = LifetimeCounter()
    let database = try await memory()
    func observe() async -> Pictures {
      let (body, comparison) = (lifetimes.make(), lifetimes.make())
      let query = database.observe { db in
        body.touch()
        return try db.pictures()
      }
      let (recorder, arrivals) = self.recorder(
        query.removeDuplicates {
          comparison.touch()
          return $0 == $1
        })
      await arrivals.wait(1)
      return recorder
    }
    let recorder = await observe()
    switch end {
    case "cancelled": recorder.cancel()
    case "finished": await database.close()
    default: try await database.write { try $0.execute(sql: "DROP TABLE picture") }
    }
    await until { lifetimes.count == 0 }
    #expect(recorder.completions == (end == "cancelled" ? 0 : 1))
    recorder.request(.max(1))
    recorder.cancel()
    #expect(recorder.subscription != nil)
  }

  @Test func aSubscriptionThatIsReleasedEndsWithItsDemand() async throws {
    let database = try await memory()
    let (recorder, arrivals) = recorder(pictures(database), demand: .max(1))
    await arrivals.wait(1)
    recorder.releaseSubscriptions()
    await until { database.observations.count == 0 }
    #expect(recorder.completions == 0)
  }

  @Test func closingCompletesObservations() async throws {
    try await withFile { database in
      let (recorder, arrivals) = recorder(pictures(database))
      await arrivals.wait(1)
      let (idle, ends) = self.recorder(pictures(database), demand: .none)
      await database.close()
      await arrivals.wait(2)
      await ends.wait(1)
      #expect(recorder.isFinished)
      #expect(idle.isFinished)
      let (late, lateEnd) = self.recorder(pictures(database))
      await lateEnd.wait(1)
      #expect(late.log == ["finished"])
    }
  }
}
