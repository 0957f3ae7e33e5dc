import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

@Suite(.timeLimit(.minutes(5))) struct ForeignCommitsTests {
  private func observe(
    _ database: Database, _ clock: any Clock<Duration>, runs: Signal
  ) -> (Recorder<Int, DatabaseError>, Signal) {
    let query = database.observe(includingOtherProcesses: .milliseconds(200), clock: clock) { db in
      runs.fire()
      return try db.fetchOne(Int.self, sql: "SELECT count(*) FROM picture") ?? -1
    }
    let recorder = Recorder<Int, DatabaseError>()
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
      let (recorder, arrivals) = observe(mine, clock, runs: runs)
      await arrivals.wait(1)
      // The first look may find what was committed before.
      await clock.waitForSleepers(1)
      await clock.advance(by: .milliseconds(200))
      await clock.waitForSleepers(1)
      try await mine.write { _ in }
      await until { recorder.values.count == runs.count }
      let before = runs.count
      try await mine.write { try $0.insert(Picture(1, "a")) }
      await until { recorder.values.last == 1 }
      for _ in 0..<5 {
        await clock.advance(by: .milliseconds(200))
        await clock.waitForSleepers(1)
        // What was asked of the writer before has been done after this.
        try await mine.write { _ in }
      }
      recorder.cancel()
      #expect(runs.count == before + 1)
    }
  }

  @Test func aForeignCommitBesideAnOwnOneIsSeen() async throws {
    try await withTwo { mine, foreign in
      let clock = TestClock()
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      await arrivals.wait(1)
      await clock.waitForSleepers(1)
      try await foreign.write { try $0.insert(Picture(1, "a")) }
      try await mine.write { try $0.execute(sql: "CREATE TABLE other (x)") }
      await until { recorder.values.last == 1 }
      try await foreign.write { try $0.insert(Picture(2, "a")) }
      try await mine.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
      await clock.advance(by: .milliseconds(200))
      await until { recorder.values.last == 2 }
      recorder.cancel()
    }
  }

  @Test func onlyThoseThatWantItSeeForeignCommits() async throws {
    try await withTwo { mine, foreign in
      let clock = TestClock()
      let runs = Signal()
      let (recorder, arrivals) = observe(mine, clock, runs: Signal())
      let own = Recorder<Int, DatabaseError>()
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
