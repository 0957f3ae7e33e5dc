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

/// Iterates the base of a multicast sequence, at most once at a time: for those who have called `connect()`, and while
/// there are consumers of `autoconnect()`.
@usableFromInline
final class MulticastSource: @unchecked Sendable {
  /// Makes an iterator of the base, and what iterates it and returns whether it has ended.
  private let makeWork: @Sendable () -> () async -> Bool
  private let lock = Lock()
  // Guarded by `lock`: everything below it.
  @exclusivity(unchecked) private weak var current: AsyncMulticastConnection?
  @exclusivity(unchecked) private var hasEnded = false
  /// The consumers of `autoconnect()`.
  @exclusivity(unchecked) private var consumerCount = 0
  /// What iterates the base when it is connected, if there are such consumers.
  @exclusivity(unchecked) private var prepared: (() async -> Bool)?
  /// Those consumers' reference.
  @exclusivity(unchecked) private var consumersConnection: AsyncMulticastConnection?

  @usableFromInline
  init(_ makeWork: @escaping @Sendable () -> () async -> Bool) {
    self.makeWork = makeWork
  }

  /// The connection that there is, or a new one.
  @usableFromInline
  func connect() -> AsyncMulticastConnection {
    let new = AsyncMulticastConnection()
    lock.lock()
    let current = activeConnection
    if current == nil { self.current = new }
    let work = current == nil ? prepared.take() : nil
    let hasEnded = hasEnded
    lock.unlock()
    if let current { return current }
    if hasEnded {
      new.cancel()
      releaseOutsideLock(work)
    } else {
      start(new, work ?? makeWork())
    }
    return new
  }

  private func start(_ connection: AsyncMulticastConnection, _ work: @escaping () async -> Bool) {
    connection.start { [self] in
      if await work() { end() }
    }
  }

  private func end() {
    lock.lock()
    hasEnded = true
    lock.unlock()
  }

  private var activeConnection: AsyncMulticastConnection? {
    lock.assertHeld()
    guard let current, current.isActive else { return nil }
    return current
  }

  // MARK: Consumers of `autoconnect()`

  /// A consumer has been added, and the base's iterator is made for it, unless the base is iterated.
  ///
  /// Where several consumers are added at once, more than one iterator may be made; all but one are released.
  @usableFromInline
  func joined() {
    lock.lock()
    consumerCount += 1
    var connection = activeConnection
    let isPrepared = prepared != nil || hasEnded || connection != nil
    lock.unlock()
    // Perhaps the last reference.
    releaseOutsideLock(connection.take())
    if isPrepared { return }
    let new = makeWork()
    lock.lock()
    connection = activeConnection
    if prepared == nil, connection == nil { prepared = new }
    lock.unlock()
    releaseOutsideLock(connection)
  }

  /// A consumer has called `next()`.
  @usableFromInline
  func connectConsumers() {
    let connection = connect()
    lock.lock()
    let current = consumersConnection
    // Another consumer may have stored a later one.
    if current?.isActive != true { consumersConnection = connection }
    lock.unlock()
    releaseOutsideLock(current)
  }

  /// A consumer has left. With the last one, the base is cancelled, unless somebody else keeps it connected.
  @usableFromInline
  func left() {
    lock.lock()
    consumerCount -= 1
    let connection = consumerCount == 0 ? consumersConnection.take() : nil
    let work = consumerCount == 0 ? prepared.take() : nil
    lock.unlock()
    releaseOutsideLock((connection, work))
  }
}
