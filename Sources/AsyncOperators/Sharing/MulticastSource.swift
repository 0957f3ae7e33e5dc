import InterflowPrimitives

/// Iterates the base of a multicast sequence, at most once at a time: for those who have called `connect()`, and while
/// there are consumers of `autoconnect()`.
///
/// Whoever connects or is added returns when there is an iterator of the base, so that nothing that a subject sends after
/// that is lost. Nobody waits for another thread that makes one, which runs a user's code: each makes its own, the first
/// that is there is used, and the others are released.
@usableFromInline
final class MulticastSource: @unchecked Sendable {
  /// Iterates the base while it is connected, and returns whether that has ended.
  @usableFromInline typealias Work = (_ isConnected: () -> Bool) async -> Bool

  /// Makes an iterator of the base, and what iterates it.
  private let makeWork: @Sendable () -> Work
  private let lock = Lock()
  // Guarded by `lock`: everything below it.
  @exclusivity(unchecked) private weak var current: AsyncMulticastConnection?
  @exclusivity(unchecked) private var hasEnded = false
  /// The threads that make an iterator of the base. That may call this object again, and has no other iterator then.
  @exclusivity(unchecked) private var makers: [UInt] = []
  /// The consumers of `autoconnect()`.
  @exclusivity(unchecked) private var consumerCount = 0
  /// What iterates the base when it is connected, if there are such consumers.
  @exclusivity(unchecked) private var prepared: Work?
  /// Those consumers' reference.
  @exclusivity(unchecked) private var consumersConnection: AsyncMulticastConnection?

  @usableFromInline
  init(_ makeWork: @escaping @Sendable () -> Work) {
    self.makeWork = makeWork
  }

  /// The connection that there is, or a new one.
  @usableFromInline
  func connect() -> AsyncMulticastConnection {
    let new = AsyncMulticastConnection()
    lock.lock()
    let connection = activeConnection ?? new
    current = connection
    let hasEnded = hasEnded
    let needsIterator = !hasEnded && prepared == nil && !connection.hasIterator && !isMaking
    // It takes the iterator that is there for the consumers of `autoconnect()`.
    let outdated = !hasEnded && consumerCount > 0 ? keep(connection) : nil
    lock.unlock()
    releaseOutsideLock(outdated)
    if hasEnded {
      connection.cancel()
      return connection
    }
    return start(connection, needsIterator ? make() : nil)
  }

  /// Starts a connection, unless that has been done, or another call of this thread makes the iterator of the base.
  ///
  /// - Returns: The connection, or the one that the base has begun in its place while its iterator was made.
  @discardableResult
  private func start(_ connection: AsyncMulticastConnection, _ new: Work?) -> AsyncMulticastConnection {
    lock.lock()
    let target = activeConnection ?? connection
    let canStart = prepared != nil || new != nil
    // Consumers may have been told that this one is there.
    let work = canStart && target.begin() ? prepared.take() ?? new : nil
    // The last consumer of `autoconnect()` may have left meanwhile, with its iterator.
    let needsIterator = !canStart && !hasEnded && !target.hasIterator && !isMaking
    lock.unlock()
    if needsIterator { return start(connection, make()) }
    guard let work else { return target }
    target.start { [self] isConnected in
      if await work(isConnected) { end() }
    }
    return target
  }

  private func end() {
    lock.lock()
    hasEnded = true
    let work = prepared.take()
    lock.unlock()
    releaseOutsideLock(work)
  }

  private func make() -> Work {
    let me = currentThreadIdentity()
    lock.lock()
    makers.append(me)
    lock.unlock()
    let work = makeWork()
    lock.lock()
    makers.removeAll { $0 == me }
    lock.unlock()
    return work
  }

  /// Whether this is called by the base, while this thread makes an iterator of it.
  private var isMaking: Bool {
    lock.assertHeld()
    return !makers.isEmpty && makers.contains(currentThreadIdentity())
  }

  private var activeConnection: AsyncMulticastConnection? {
    lock.assertHeld()
    guard let current, current.isActive else { return nil }
    return current
  }

  // MARK: Consumers of `autoconnect()`

  /// A consumer has been added. It keeps the base connected if it is; otherwise, an iterator is made for it.
  @usableFromInline
  func joined() {
    lock.lock()
    consumerCount += 1
    let connection = activeConnection
    let needsIterator = prepared == nil && !hasEnded && connection?.hasIterator != true && !isMaking
    let outdated = keep(connection)
    lock.unlock()
    // Perhaps the last references.
    releaseOutsideLock((connection, outdated))
    if needsIterator { prepare(make()) }
  }

  private func prepare(_ new: @escaping Work) {
    lock.lock()
    let connection = activeConnection
    if connection == nil, prepared == nil, !hasEnded { prepared = new }
    let outdated = keep(connection)
    lock.unlock()
    releaseOutsideLock(outdated)
    // Others have connected meanwhile, and may still make theirs.
    if let connection { start(connection, new) }
  }

  /// Makes a connection the consumers' one, too, unless they have a later one.
  ///
  /// - Returns: The one before, to be released.
  private func keep(_ connection: AsyncMulticastConnection?) -> AsyncMulticastConnection? {
    lock.assertHeld()
    guard let connection, consumersConnection?.isActive != true else { return nil }
    defer { consumersConnection = connection }
    return consumersConnection
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
