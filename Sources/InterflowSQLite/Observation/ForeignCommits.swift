import InterflowPrimitives
import Synchronization

/// Finds out whether another process has committed, for all observations that ask.
///
/// `PRAGMA data_version` changes when another connection commits. It is read on a connection of its own, which no write
/// waits for. That connection sees the commits of this database's writer too; where one of these was made since the last
/// look, it is read on the writer as well, where the writer's own do not count.
final class ForeignCommits: @unchecked Sendable {
  /// The connection that looks.
  let looks: ConnectionPool
  private let writer: ConnectionPool
  private let observations: DatabaseObservations

  /// whether a check is running, so that another one is not needed.
  private let isLooking = Atomic(false)
  // Used only by the look that goes on: `last`, `writerVersion`.
  /// The version at the last look, and how many of our own commits had ended before it.
  private var last: (version: Int64, ended: Int)?
  /// The writer's version when it was asked last.
  private var writerVersion: Int64?

  // Guards `pollers`.
  private let lock = Lock()
  private var pollers: [ForeignPolling.Key: Poller] = [:]

  private struct Poller {
    var observationCount = 0
    var task: Task<Void, Never>?
  }

  init(_ looks: ConnectionPool, _ writer: ConnectionPool, _ observations: DatabaseObservations) {
    self.looks = looks
    self.writer = writer
    self.observations = observations
  }

  // MARK: Pollers

  /// An observation asks. All with one interval on one clock share a poller.
  func join(_ polling: ForeignPolling) {
    let key = polling.key
    lock.lock()
    pollers[key, default: Poller()].observationCount += 1
    let needsTask = pollers[key]?.task == nil
    lock.unlock()
    guard needsTask else { return }
    let task = Task { await poll(polling) }
    lock.lock()
    // Others may have joined, or all have left.
    let isWanted = pollers[key].map { $0.task == nil } ?? false
    if isWanted { pollers[key]?.task = task }
    lock.unlock()
    if !isWanted { task.cancel() }
  }

  func leave(_ polling: ForeignPolling) {
    let key = polling.key
    lock.lock()
    pollers[key]?.observationCount -= 1
    var ended: Poller?
    if pollers[key]?.observationCount == 0 { ended = pollers.removeValue(forKey: key) }
    lock.unlock()
    ended?.task?.cancel()
  }

  private func poll(_ polling: ForeignPolling) async {
    while !Task.isCancelled {
      do {
        try await polling.clock.sleep(for: polling.interval)
      } catch {
        // Where it is not the cancellation, the clock is of no use, but observations still are.
        try? await Task.sleep(for: polling.interval)
      }
      if Task.isCancelled { return }
      check()
    }
  }

  // MARK: Looks

  /// whether a check is running: for tests.
  var isBusy: Bool { isLooking.load(ordering: .acquiring) }

  private enum Finding {
    case nothing
    case foreignCommit
    /// Somebody has committed, perhaps only this database's writer.
    case anyCommit
  }

  /// Looks, and announces what it finds.
  func check() {
    guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
    looks.start(Interruption()) { [self] connection in
      try look(connection)
    } completion: { [self] finding in
      switch finding {
      case .success(.nothing): finish(false)
      case .success(.foreignCommit): finish(true)
      case .success(.anyCommit): askWriter()
      // The next look tries again; a query that runs into the same error reports it.
      case .failure: finish(false)
      }
    }
  }

  private func look(_ connection: DatabaseConnection) throws(DatabaseError) -> Finding {
    let ended = observations.ownCommits.ended
    let version = try connection.dataVersion()
    let begun = observations.ownCommits.begun
    defer { last = (version, ended) }
    // The first look comes after observations have begun, so it cannot tell.
    guard let last else { return .anyCommit }
    if version == last.version { return .nothing }
    return begun == last.ended ? .foreignCommit : .anyCommit
  }

  private func askWriter() {
    writer.start(Interruption()) { connection in
      try connection.dataVersion()
    } completion: { [self] version in
      guard case .success(let version) = version else { return retry() }
      // What has been found without the writer is found once more by this, which costs a fetch.
      let isForeign = version != writerVersion
      writerVersion = version
      finish(isForeign)
    }
  }

  /// What was found by the look is not to be lost.
  private func retry() {
    last = nil
    finish(false)
  }

  private func finish(_ isForeign: Bool) {
    if isForeign { observations.foreignCommit() }
    isLooking.store(false, ordering: .releasing)
  }
}

/// How often an observation has the database look for commits of other processes.
struct ForeignPolling: Sendable {
  let interval: Duration
  let clock: any Clock<Duration>
  let key: Key

  struct Key: Hashable {
    let interval: Duration
    let clock: ObjectIdentifier
  }

  /// Makes the key of a clock that nothing is known of its own.
  private final class Unknown: Sendable {}
  private let unknown = Unknown()

  init(interval: Duration, clock: any Clock<Duration>) {
    self.interval = interval
    self.clock = clock
    let identity =
      switch clock {
      // Two of them are one clock.
      case is ContinuousClock: ObjectIdentifier(ContinuousClock.self)
      case is SuspendingClock: ObjectIdentifier(SuspendingClock.self)
      case _ where type(of: clock) is AnyObject.Type: ObjectIdentifier(clock as AnyObject)
      default: ObjectIdentifier(unknown)
      }
    key = Key(interval: interval, clock: identity)
  }
}
