import InterflowPrimitives

/// The iteration of a base whose elements go into a subject. Its release, or `cancel()`, ends the iteration.
///
/// `connect()` of an ``AsyncMulticastSequence`` returns one.
///
/// ```swift
/// let subject = AsyncPassthroughSubject<Int, Never>()
/// let connection = [1, 2].async.multicast(subject).connect()
/// connection.cancel()
/// ```
public final class AsyncMulticastConnection: Sendable {
  private let state = ConnectionState()

  init() {}

  deinit {
    state.end()?.cancel()
  }

  /// Cancels the base, for all that share the connection: also for those who have called `connect()` meanwhile, and for
  /// the consumers of `autoconnect()`, which wait until it is connected again. The subject is not ended, and its consumers
  /// stay.
  public func cancel() {
    state.end()?.cancel()
  }

  var isActive: Bool { state.isActive }

  /// Whether there is an iterator of the base, or will be none any more.
  var hasIterator: Bool { state.hasBegun }

  /// There is an iterator of the base, and ``start(_:)`` follows.
  ///
  /// - Returns: Whether there was none, and the connection has not been cancelled.
  func begin() -> Bool { state.begin() }

  /// - Parameter work: Iterates the base while the closure that it gets says so. It is passed to one task, and used
  ///   nowhere else.
  func start(_ work: @escaping (_ isConnected: () -> Bool) async -> Void) {
    let task = startTask(on: ExecutorPreference.ofCurrentTask) { [state] in
      await work { state.isActive }
      _ = state.end()
    }
    if !state.started(task) { task.cancel() }
  }
}

/// What a connection and its task share.
private final class ConnectionState: @unchecked Sendable {
  /// - `idle`: there is no iterator of the base yet. Followed by `begun` or `ended`.
  /// - `begun`: there is one, and no task yet. Followed by `running` or `ended`.
  /// - `running`: the task iterates the base. Followed by `ended`.
  /// - `ended`: the base has ended, or was cancelled.
  private enum Phase {
    case idle
    case begun
    case running(Task<Void, Never>)
    case ended
  }

  private let lock = Lock()
  // Guarded by `lock`: `phase`.
  @exclusivity(unchecked) private var phase = Phase.idle

  var isActive: Bool {
    lock.lock()
    defer { lock.unlock() }
    if case .ended = phase { return false }
    return true
  }

  var hasBegun: Bool {
    lock.lock()
    defer { lock.unlock() }
    if case .idle = phase { return false }
    return true
  }

  func begin() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard case .idle = phase else { return false }
    phase = .begun
    return true
  }

  /// - Returns: Whether the task goes on.
  func started(_ task: Task<Void, Never>) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard case .begun = phase else { return false }
    phase = .running(task)
    return true
  }

  /// - Returns: The task, if there was one until now.
  func end() -> Task<Void, Never>? {
    lock.lock()
    defer { lock.unlock() }
    defer { phase = .ended }
    guard case .running(let task) = phase else { return nil }
    return task
  }
}
