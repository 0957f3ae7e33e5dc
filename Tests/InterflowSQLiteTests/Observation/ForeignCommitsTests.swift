import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

@Suite struct ForeignCommitsTests {
  private func observe(
    _ database: Database, _ clock: any Clock<Duration>, runs: Signal
  ) -> (RecordingSubscriber<Int, DatabaseError>, Signal) {
    let query = database.observe(includingOtherProcesses: .milliseconds(200), clock: clock) { db in
      runs.fire()
      return try db.fetchOne(Int.self, sql: "SELECT count(*) FROM picture") ?? -1
    }
    let recorder = RecordingSubscriber<Int, DatabaseError>()
    let arrivals = Signal()
    recorder.onValue = { _ in arrivals.fire() }
    query.publisher.subscribe(recorder)
    return (recorder, arrivals)
  }

  /// Two databases on one file: to each, the other is like another process.
  private func withTwo(_ body: (Database, Database) async throws -> Void) async throws {
    try await withFolder { folder in
      let first = try await Database(path: folder + "/a.sqlite")
      try await first.write { try $0.execute(sql: Picture.schema) }
      let second = try await Database(path: folder + "/a.sqlite")
      try await body(first, second)
      await first.close()
      await second.close()
    }
  }

  /// Has the database look, and waits until it has announced what it has found.
  private func look(_ database: Database, _ clock: TestClock) async {
    await clock.waitForSleepers(1)
    await clock.advance(by: .milliseconds(200))
    // The look has begun before the next sleep does.
    await clock.waitForSleepers(1)
    await until { database.foreignCommits?.isBusy == false }
  }

  /// The first look cannot tell what was committed before, so that it fetches once more.
  private func firstLook(_ database: Database, _ clock: TestClock, _ arrivals: Signal) async {
    await arrivals.wait(1)
    await look(database, clock)
    await arrivals.wait(2)
  }

  @Test func aForeignCommitIsSeenAtTheNextLook() async throws {
    try await withTwo { mine, foreign in
      let clock = TestClock()
      let runs = Signal()
      let (recorder, arrivals) = observe(mine, clock, runs: runs)
      await arrivals.wait(1)
      for count in 1...5 {
        await clock.waitForSleepers(1)
        try await foreign.write { try $0.insert(Picture(count, "a")) }
        await clock.advance(by: .milliseconds(200))
        await until { recorder.values.last == count }
      }
      recorder.cancel()
      #expect(recorder.values.last == 5)
    }
  }

  @Test func ownCommitsAreNotForeign() async throws {
    try await withTwo { mine, _ in
      let clock = TestClock()
      let runs = Signal()
      try await mine.write { try $0.execute(sql: "CREATE TABLE other (x)") }
      let (recorder, arrivals) = observe(mine, clock, runs: runs)
      await firstLook(mine, clock, arrivals)
      try await mine.write { try $0.insert(Picture(1, "a")) }
      await until { recorder.values.last == 1 }
      for _ in 0..<5 {
        await look(mine, clock)
        try await mine.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
      }
      // What was fetched too often was begun before this is.
      try await mine.write { try $0.insert(Picture(2, "a")) }
      await until { recorder.values.last == 2 }
      recorder.cancel()
      #expect(runs.count == 4, "for the first value, the first look, and two commits of what is read")
    }
  }

  @Test func aForeignCommitBesideAnOwnOneIsSeen() async throws {
    try await withTwo { mine, foreign in
      let clock = TestClock()
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      await firstLook(mine, clock, arrivals)
      try await foreign.write { try $0.insert(Picture(1, "a")) }
      try await mine.write { try $0.execute(sql: "CREATE TABLE other (x)") }
      await until { recorder.values.last == 1 }
      try await foreign.write { try $0.insert(Picture(2, "a")) }
      try await mine.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
      await look(mine, clock)
      await until { recorder.values.last == 2 }
      recorder.cancel()
    }
  }

  @Test func onlyThoseThatWantItSeeForeignCommits() async throws {
    try await withTwo { mine, foreign in
      let clock = TestClock()
      let runs = Signal()
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      let own = RecordingSubscriber<Int, DatabaseError>()
      let ownArrivals = Signal()
      own.onValue = { _ in ownArrivals.fire() }
      mine.observe { db in
        runs.fire()
        return try db.pictures().count
      }.publisher.subscribe(own)
      await arrivals.wait(1)
      await ownArrivals.wait(1)
      await clock.waitForSleepers(1)
      try await foreign.write { try $0.insert(Picture(1, "a")) }
      await clock.advance(by: .milliseconds(200))
      await until { recorder.values.last == 1 }
      #expect(runs.count == 1)
      recorder.cancel()
      own.cancel()
    }
  }

  @Test func observationsWithOneIntervalAndClockShareTheLooks() async throws {
    try await withTwo { mine, foreign in
      let clock = CountingClock()
      let observers = (0..<20).map { _ in observe(mine, clock, runs: Signal()) }
      for (_, arrivals) in observers { await arrivals.wait(1) }
      for count in 1...5 {
        await clock.base.waitForSleepers(1)
        try await foreign.write { try $0.insert(Picture(count, "a")) }
        await clock.base.advance(by: .milliseconds(200))
        for (recorder, _) in observers { await until { recorder.values.last == count } }
      }
      await clock.base.waitForSleepers(1)
      #expect(clock.sleeps.count == 6, "one for each interval, and not for each observation")
      // The looks go on for the last one.
      for (recorder, _) in observers.dropFirst() { recorder.cancel() }
      try await foreign.write { try $0.insert(Picture(6, "a")) }
      await clock.base.advance(by: .milliseconds(200))
      await until { observers[0].0.values.last == 6 }
      await clock.base.waitForSleepers(1)
      observers[0].0.cancel()
      await clock.cancellations.wait()
      #expect(clock.cancellations.count == 1)
      // And begin again.
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      await arrivals.wait(1)
      await clock.base.waitForSleepers(1)
      try await foreign.write { try $0.insert(Picture(7, "a")) }
      await clock.base.advance(by: .milliseconds(200))
      await until { recorder.values.last == 7 }
      recorder.cancel()
    }
  }

  @Test func standardClocksAreOneClock() {
    func key(_ clock: any Clock<Duration>, _ interval: Duration = .seconds(1)) -> ForeignPolling.Key {
      ForeignPolling(interval: interval, clock: clock).key
    }
    #expect(key(ContinuousClock()) == key(ContinuousClock()))
    #expect(key(SuspendingClock()) == key(SuspendingClock()))
    #expect(key(SuspendingClock()) != key(ContinuousClock()))
    #expect(key(ContinuousClock(), .seconds(2)) != key(ContinuousClock()))
    let clock = CountingClock()
    #expect(key(clock) == key(clock))
    #expect(key(clock) != key(CountingClock()))
    // Nothing says whether these are one.
    let watched = WatchedClock()
    let pollings = [1, 1].map { ForeignPolling(interval: .seconds($0), clock: watched) }
    #expect(pollings[0].key != pollings[1].key)
  }

  /// While a write of this database has the only connection for writes.
  @Test func aLookNeedsNotTheWriter() async throws {
    try await withTwo { mine, foreign in
      let clock = TestClock()
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      await firstLook(mine, clock, arrivals)
      try await foreign.write { try $0.insert(Picture(1, "a")) }
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await mine.write { _ in
          hasBegun.fire()
          proceed.wait()
        }
      }
      await hasBegun.wait()
      await clock.advance(by: .milliseconds(200))
      await until { recorder.values.last == 1 }
      proceed.open()
      try await write.value
      recorder.cancel()
    }
  }

  @Test func withoutAnIntervalItIsThatOfTheDocumentation() async throws {
    try await withTwo { mine, foreign in
      let recorder = RecordingSubscriber<Int, DatabaseError>()
      mine.observe(includingOtherProcesses: true) { try $0.pictures().count }.publisher.subscribe(recorder)
      await until { recorder.values.last == 0 }
      try await foreign.write { try $0.insert(Picture(1, "a")) }
      await until { recorder.values.last == 1 }
      recorder.cancel()
      let query = mine.observe(includingOtherProcesses: true) { _ in 0 }
      #expect(query.foreignPolling?.interval == .milliseconds(200))
      #expect(mine.observe(includingOtherProcesses: false) { _ in 0 }.foreignPolling == nil)
    }
  }

  @Test func looksGoOnWhenAClockThrows() async throws {
    try await withTwo { mine, foreign in
      let (recorder, arrivals) = observe(mine, FailingClock(), runs: Signal())
      await arrivals.wait(1)
      for count in 1...2 {
        try await foreign.write { try $0.insert(Picture(count, "a")) }
        await until { recorder.values.last == count }
      }
      recorder.cancel()
    }
  }

  @Test func lookingEndsWithTheObservation() async throws {
    try await withTwo { mine, _ in
      let clock = WatchedClock()
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      await arrivals.wait(1)
      await clock.base.waitForSleepers(1)
      recorder.cancel()
      await clock.cancellations.wait()
    }
  }
}

/// One that tells when a sleep begins too, and that is the same one wherever it is used.
private final class CountingClock: Clock {
  let base = TestClock()
  let sleeps = Signal()
  let cancellations = Signal()

  var now: VirtualTime { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualTime, tolerance: Duration?) async throws {
    sleeps.fire()
    do {
      try await base.sleep(until: deadline, tolerance: tolerance)
    } catch {
      cancellations.fire()
      throw error
    }
  }
}

/// A clock that tells when a sleep has been cancelled.
private struct WatchedClock: Clock {
  let base = TestClock()
  let cancellations = Signal()

  var now: VirtualTime { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualTime, tolerance: Duration?) async throws {
    do {
      try await base.sleep(until: deadline, tolerance: tolerance)
    } catch {
      cancellations.fire()
      throw error
    }
  }
}

/// A clock none of whose sleeps succeeds.
private struct FailingClock: Clock {
  let base = TestClock()

  var now: VirtualTime { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualTime, tolerance: Duration?) async throws { throw TestError() }
}
