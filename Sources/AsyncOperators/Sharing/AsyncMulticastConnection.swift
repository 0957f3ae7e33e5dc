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

  /// Cancels the base. The subject is not ended, and its consumers stay.
  public func cancel() {
    state.end()?.cancel()
  }

  var isActive: Bool { state.isActive }

  /// - Parameter work: Iterates the base. It is passed to one task, and used nowhere else.
  func start(_ work: @escaping () async -> Void) {
    let task = startTask(on: ExecutorPreference.ofCurrentTask) { [state] in
      await work()
      _ = state.end()
    }
    if !state.started(task) { task.cancel() }
  }
}

/// What a connection and its task share.
private final class ConnectionState: @unchecked Sendable {
  /// - `idle`: there is no task yet. Followed by each of the others.
  /// - `running`: the task iterates the base. Followed by `ended`.
  /// - `ended`: the base has ended, or was cancelled.
  private enum Phase {
    case idle
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

  /// - Returns: Whether the task goes on.
  func started(_ task: Task<Void, Never>) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard case .idle = phase else { return false }
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

/// Makes the connections of a multicast sequence.
@usableFromInline
final class MulticastSource: @unchecked Sendable {
  /// Makes an iterator of the base, and what iterates it and returns whether it has ended.
  let makeWork: @Sendable () -> () async -> Bool
  private let lock = Lock()
  // Guarded by `lock`: everything below it.
  @exclusivity(unchecked) private weak var current: AsyncMulticastConnection?
  @exclusivity(unchecked) private var hasEnded = false

  @usableFromInline
  init(_ makeWork: @escaping @Sendable () -> () async -> Bool) {
    self.makeWork = makeWork
  }

  /// The connection that there is, or a new one.
  @usableFromInline
  func connect() -> AsyncMulticastConnection {
    let new = AsyncMulticastConnection()
    lock.lock()
    let current = current
    let isConnected = current?.isActive == true
    if !isConnected { self.current = new }
    lock.unlock()
    if isConnected, let current { return current }
    start(new, nil)
    return new
  }

  /// Begins to iterate the base.
  ///
  /// - Parameter prepared: What iterates it, if that has been made before.
  func start(_ connection: AsyncMulticastConnection, _ prepared: (() async -> Bool)?) {
    if hasBaseEnded { return connection.cancel() }
    let work = prepared ?? makeWork()
    connection.start { [self] in
      if await work() { end() }
    }
  }

  var hasBaseEnded: Bool {
    lock.lock()
    defer { lock.unlock() }
    return hasEnded
  }

  private func end() {
    lock.lock()
    hasEnded = true
    lock.unlock()
  }
}
