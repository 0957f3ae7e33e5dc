import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Errors that pass, which do not end an observation.
@Suite struct TransientErrorTests {
  @Test func aLockThatIsReleasedEndsNoObservation() async throws {
    let failures = Shared(3)
    let attempts = Signal()
    let recorder = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
    let arrivals = Signal()
    recorder.onValue = { _ in arrivals.fire() }
    let database = try await memory()
    database.observe { db in
      let count = try db.pictures().count
      if failures.value > 0 {
        failures.update { $0 -= 1 }
        attempts.fire()
        throw DatabaseError(kind: .locked, message: "busy")
      }
      return count
    }.publisher.subscribe(recorder)
    await arrivals.wait(1)
    #expect(recorder.values == [0])
    #expect(attempts.count == 3)
    // Also later.
    failures.value = 2
    try await database.write { try $0.insert(Picture(1, "a")) }
    await arrivals.wait(2)
    #expect(recorder.values == [0, 1])
    recorder.cancel()
  }

  @Test(arguments: [(EMFILE, true), (ENFILE, true), (0, true), (EACCES, false), (EROFS, false), (ENOENT, false)])
  func aPermissionThatIsMissingDoesNotPass(number: Int32, passes: Bool) {
    // SQLITE_CANTOPEN
    var error = DatabaseError(kind: .other, code: 14, message: "unable to open database file")
    error.systemError = number
    #expect(error.isTransient == passes)
  }

  @Test func aFileThatCannotBeOpenedSaysWhy() async throws {
    try await withFolder { folder in
      // The file's own name is too long for its folder.
      let path = folder + "/" + String(repeating: "a", count: 300)
      let error = await databaseError { try await Database(path: path) }
      #expect(error?.isTransient == false)
    }
  }

  @Test func cancellingEndsTheAttempts() async throws {
    let database = Database.inMemory()
    let attempts = Signal()
    let lifetimes = LifetimeCounter()
    let recorder = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
    func subscribe() {
      let token = lifetimes.make()
      database.observe { _ -> Int in
        token.touch()
        attempts.fire()
        throw DatabaseError(kind: .locked, message: "busy")
      }.publisher.subscribe(recorder)
    }
    subscribe()
    await attempts.wait(2)
    recorder.cancel()
    await until { lifetimes.count == 0 }
    #expect(recorder.values == [] && recorder.completions == 0)
  }

  @Test func closingCompletesWhatWaitsForItsNextAttempt() async throws {
    let database = Database.inMemory()
    let attempts = Signal()
    let ends = Signal()
    let recorder = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
    recorder.onCompletion = { _ in ends.fire() }
    database.observe { _ -> Int in
      attempts.fire()
      throw DatabaseError(kind: .locked, message: "busy")
    }.publisher.subscribe(recorder)
    await attempts.wait(2)
    await database.close()
    await ends.wait()
    #expect(recorder.error == nil && recorder.isFinished)
  }

  #if os(Linux)
    /// In a process of its own, which has no file descriptor left for the reader.
    @Test func aLackOfFileDescriptorsEndsNoObservation() async {
      await #expect(processExitsWith: .success) {
        try await withFile { database in
          var limit = rlimit()
          getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          let usual = limit.rlim_cur
          let next = open("/dev/null", O_RDONLY)
          close(next)
          limit.rlim_cur = rlim_t(next)
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          let read = await databaseError { try await database.read { try $0.pictures() } }
          precondition(read?.isTransient == true, "\(String(describing: read))")
          let recorder = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
          let arrivals = Signal()
          recorder.onValue = { _ in arrivals.fire() }
          recorder.onCompletion = { preconditionFailure("\($0)") }
          database.observe { try $0.pictures().count }.publisher.subscribe(recorder)
          // Some attempts fail meanwhile. A sleep of a task would need a file descriptor.
          usleep(100_000)
          precondition(arrivals.count == 0)
          // With the connection that is open.
          let begins = Signal()
          let endless = Task {
            try await database.writeWithoutTransaction { db in
              begins.fire()
              try db.execute(sql: endlessQuery)
            }
          }
          await begins.wait()
          endless.cancel()
          _ = await endless.result
          limit.rlim_cur = usual
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          await arrivals.wait(1)
          recorder.cancel()
        }
      }
    }
  #endif

  @Test func anIntervalOfZeroIsAProgrammingError() async {
    await #expect(processExitsWith: .failure) {
      _ = Database.inMemory().observe(includingOtherProcesses: .zero) { _ in 1 }
    }
    await #expect(processExitsWith: .failure) {
      _ = Database.inMemory().observe(includingOtherProcesses: true, every: .seconds(-1)) { _ in 1 }
    }
  }
}
