import InterflowPrimitives

extension Publishers {
  /// A publisher that connects a connectable one with its first subscriber, and disconnects when the last cancels.
  public class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The connectable publisher.
    public final let upstream: Upstream
    @usableFromInline final let counter = ConnectionCounter()

    /// Makes a publisher that connects another.
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber, and connects if it is the first.
    @inlinable
    public final func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let isFirst = counter.enter()
      upstream.subscribe(RelayStage(subscriber, AutoconnectLink(counter)))
      if isFirst { counter.connected(upstream.connect()) }
    }
  }
}

/// Counts who needs a connection, and cancels it when nobody is left.
@usableFromInline
final class ConnectionCounter {
  // Guarded by `lock`: everything below it.
  private let lock = Lock()
  private var subscribers = 0
  private var isConnecting = false
  private var connection: (any Cancellable)?

  @usableFromInline
  init() {}

  /// - Returns: Whether the caller is the first, and is to connect.
  @usableFromInline
  func enter() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    subscribers += 1
    // Who is first while somebody else still connects shares that connection: a second one might be the same one.
    guard subscribers == 1, !isConnecting else { return false }
    isConnecting = true
    return true
  }

  @usableFromInline
  func connected(_ connection: any Cancellable) {
    lock.lock()
    isConnecting = false
    // Everybody may have left while the connection was made.
    let isNeeded = subscribers > 0
    if isNeeded { self.connection = connection }
    lock.unlock()
    if !isNeeded { connection.cancel() }
  }

  func leave() {
    lock.lock()
    subscribers -= 1
    let connection = subscribers == 0 ? self.connection.take() : nil
    lock.unlock()
    connection?.cancel()
  }
}

/// A link whose cancellation, though not its completion, gives a share of the connection back.
@usableFromInline
final class AutoconnectLink: UpstreamLink {
  private let counter: ConnectionCounter

  @usableFromInline
  init(_ counter: ConnectionCounter) {
    self.counter = counter
    super.init("Autoconnect")
  }

  /// That of the connectable publisher's own subscription, as Apple's.
  @usableFromInline
  override var description: String { upstreamDescription ?? super.description }

  @usableFromInline
  override func cancel() {
    if sever() { counter.leave() }
  }
}

extension ConnectablePublisher {
  /// Connects with the first subscriber, and disconnects when the last has cancelled; the next one connects again.
  ///
  /// ```swift
  /// let shared = [1, 2].publisher.makeConnectable().autoconnect()
  /// let cancellable = shared.sink { print($0) }  // 1, 2
  /// ```
  @inlinable
  public func autoconnect() -> Publishers.Autoconnect<Self> {
    Publishers.Autoconnect(upstream: self)
  }
}
