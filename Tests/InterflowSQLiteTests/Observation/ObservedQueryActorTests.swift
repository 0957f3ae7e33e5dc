import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Results that are delivered on the caller's actor.
@MainActor
@Suite struct ObservedQueryActorTests {
  @MainActor
  private final class List {
    var counts: [Int] = []
    var count = -1 { didSet { MainActor.preconditionIsolated() } }
    var failures: [DatabaseError] = []
    var isFinished = false
    var cancellable: AnyCancellable?

    func follow(_ query: ObservedQuery<Int>, _ scheduling: ObservedQueryScheduling = .deferred) {
      cancellable = query.sink(scheduling: scheduling) { [weak self] completion in
        MainActor.preconditionIsolated()
        if case .failure(let error) = completion { self?.failures.append(error) } else { self?.isFinished = true }
      } receiveValue: { [weak self] in
        MainActor.preconditionIsolated()
        self?.counts.append($0)
      }
    }
  }

  private static func count(_ database: Database) -> ObservedQuery<Int> {
    database.observe { try $0.pictures().count }
  }

  private static func insert(_ id: Int, _ database: Database) async throws {
    try await database.write { try $0.insert(Picture(id, "a")) }
  }

  @Test func resultsArriveOnTheActorOfTheCaller() async throws {
    let database = try await memory()
    let list = List()
    list.follow(Self.count(database))
    #expect(list.counts == [], "nothing before it returns")
    await until { list.counts == [0] }
    try await Self.insert(1, database)
    await until { list.counts == [0, 1] }
    await database.close()
    await until { list.isFinished }
    #expect(list.failures.isEmpty)
  }

  @Test func resultsArriveOnAnotherActor() async throws {
    actor Counter {
      var counts: [Int] = []
      var cancellable: AnyCancellable?

      func follow(_ query: ObservedQuery<Int>) {
        cancellable = query.sink { _ in
        } receiveValue: { count in
          self.assertIsolated()
          self.counts.append(count)
        }
      }

      func stop() { cancellable = nil }
    }
    let database = try await memory()
    let counter = Counter()
    await counter.follow(Self.count(database))
    while await counter.counts.isEmpty { await Task.yield() }
    #expect(await counter.counts == [0])
    await counter.stop()
    await until { database.observations.count == 0 }
  }

  @Test func theFirstResultIsThereBeforeTheCallReturns() async throws {
    let database = try await memory()
    try await Self.insert(1, database)
    let list = List()
    list.follow(Self.count(database).removeDuplicates(), .immediate)
    #expect(list.counts == [1])
    try await Self.insert(2, database)
    await until { list.counts.last == 2 }
    #expect(list.counts == [1, 2], "the same result is not delivered twice")
  }

  /// What it would deliver may be rolled back.
  @Test func anImmediateResultIsRefusedInsideAWrite() throws {
    let database = Database.inMemory()
    let lists = (List(), List())
    #expect(throws: DatabaseError.self) {
      try database.write { db in
        try db.execute(sql: Picture.schema)
        lists.0.follow(Self.count(database), .immediate)
        try database.read { _ in lists.1.follow(Self.count(database), .immediate) }
        throw DatabaseError(kind: .other, message: "rolled back")
      }
    }
    for list in [lists.0, lists.1] {
      #expect(list.counts == [])
      #expect(list.failures.map(\.kind) == [.misuse])
    }
    try database.write { try $0.execute(sql: Picture.schema) }
    let list = List()
    try database.read { _ in list.follow(Self.count(database), .immediate) }
    #expect(list.counts == [0], "a read has one state, which is committed")
  }

  @Test func aChangeRightAfterTheFirstResultIsNotMissed() async throws {
    try await withFile { database in
      for id in 0..<50 {
        let list = List()
        let write = Task.detached { try await Self.insert(id, database) }
        list.follow(Self.count(database), .immediate)
        #expect(list.counts.count == 1)
        try await write.value
        await until { list.counts.last == id + 1 }
      }
    }
  }

  @Test func anErrorOfTheFirstQueryIsThereBeforeTheCallReturns() async throws {
    let database = Database.inMemory()
    let list = List()
    list.follow(Self.count(database), .immediate)
    #expect(list.failures.map(\.kind) == [.other])
    #expect(list.counts == [])
    let other = List()
    other.follow(database.observe { _ -> Int in throw TestError("mine") }, .immediate)
    #expect(other.failures.first?.underlying as? TestError == TestError("mine"))
    #expect(database.observations.count == 0)
  }

  @Test func aLockThatPassesIsNoErrorOfTheFirstQuery() async throws {
    let database = try await memory()
    let isLocked = Shared(true)
    let list = List()
    list.follow(
      database.observe { db in
        if isLocked.value { throw DatabaseError(kind: .locked, message: "busy") }
        return try db.pictures().count
      }, .immediate)
    #expect(list.counts == [] && list.failures.isEmpty)
    isLocked.value = false
    await until { list.counts == [0] }
  }

  @Test func theFirstResultDoesNotWaitForObservations() async throws {
    try await withFile { database in
      let begins = Signal()
      let proceed = Latch()
      let others = (0..<4).map { _ in RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited) }
      for other in others {
        database.observe { _ in
          begins.fire()
          proceed.wait()
          return 1
        }.publisher.subscribe(other)
      }
      await begins.wait(3)
      let list = List()
      list.follow(Self.count(database), .immediate)
      #expect(list.counts == [0])
      list.cancellable = nil
      for other in others { other.cancel() }
      for _ in others { proceed.open() }
    }
  }

  @Test func nothingArrivesAfterCancellation() async throws {
    let database = try await memory()
    for id in 0..<100 {
      let list = List()
      list.follow(Self.count(database))
      // At any time: while the query runs, and while its result is on its way.
      for _ in 0..<(id % 10) { await Task.yield() }
      list.cancellable?.cancel()
      let counts = list.counts
      try await Self.insert(id, database)
      await Task.yield()
      #expect(list.counts == counts)
    }
    await until { database.observations.count == 0 }
  }

  @Test func cancellationReleasesTheClosures() async throws {
    let database = try await memory()
    let lifetimes = LifetimeCounter()
    func follow() -> AnyCancellable {
      let token = lifetimes.make()
      return Self.count(database).sink { _ in
        token.touch()
      } receiveValue: { _ in
        token.touch()
      }
    }
    var cancellable: AnyCancellable? = follow()
    #expect(lifetimes.count == 1)
    cancellable = nil
    withExtendedLifetime(cancellable) {}
    await until { lifetimes.count == 0 && database.observations.count == 0 }
  }

  @Test func aPropertyFollowsTheQuery() async throws {
    let database = try await memory()
    weak var released: List?
    var cancellable: AnyCancellable?
    do {
      let list = List()
      released = list
      cancellable = Self.count(database).assign(to: \.count, on: list, scheduling: .immediate) { _ in }
      #expect(list.count == 0)
      try await Self.insert(1, database)
      await until { list.count == 1 }
    }
    #expect(released == nil, "the object is not retained")
    try await Self.insert(2, database)
    cancellable?.cancel()
  }

  @Test func aFailureOfAnAssignmentIsReported() async throws {
    let list = List()
    let cancellable = Self.count(Database.inMemory()).assign(to: \.count, on: list) { list.failures.append($0) }
    await until { list.failures.count == 1 }
    withExtendedLifetime(cancellable) {}
  }
}
