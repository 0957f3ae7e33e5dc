import Synchronization

/// Finds out whether another process has committed.
///
/// `PRAGMA data_version` changes when another connection commits. The writer is the only connection of this database
/// that does, so what the writer sees comes from elsewhere.
final class ForeignCommits: Sendable {
  private let writer: ConnectionPool
  private let observations: DatabaseObservations
  /// The version at the last look. It is older than every observation, so none misses a commit before its first look.
  private let version = Atomic<Int64>(-1)
  /// Whether a look waits for the writer, so that another one is not needed.
  private let isWaiting = Atomic(false)

  init(_ writer: ConnectionPool, _ observations: DatabaseObservations) {
    self.writer = writer
    self.observations = observations
  }

  /// Looks, and announces what it finds.
  func check() {
    guard !isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    writer.start(Interruption()) { [self] connection in
      isWaiting.store(false, ordering: .releasing)
      let current = try connection.dataVersion()
      return version.exchange(current, ordering: .acquiringAndReleasing) != current
    } completion: { [self] hasChanged in
      switch hasChanged {
      case .success(true): observations.foreignCommit()
      case .success(false): break
      // The next look tries again; a query that runs into the same error reports it.
      case .failure: isWaiting.store(false, ordering: .releasing)
      }
    }
  }
}

/// How often an observation has the database look for commits of other processes.
struct ForeignPolling: Sendable {
  let interval: Duration
  let clock: any Clock<Duration>

  /// Looks at each interval until the task is cancelled.
  func start(_ foreignCommits: ForeignCommits) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        do { try await clock.sleep(for: interval) } catch { return }
        foreignCommits.check()
      }
    }
  }
}
