import InterflowPrimitives
import Synchronization

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
      counter.attaching()
      upstream.subscribe(RelayStage(subscriber, AutoconnectLink(counter)))
      counter.attached { [upstream] in upstream.connect() }
    }
  }
}

/// Counts who needs a connection, makes it for the first and cancels it when nobody is left.
///
/// One caller at a time connects or cancels, with no lock held, and does what has become necessary meanwhile: whoever
/// comes while a connection is cancelled might get that very one if they connected themselves.
@usableFromInline
final class ConnectionCounter {
  // Guarded by `lock`: everything below it. `connect` is there while it may be called.
  private let lock = Lock()
  private var subscribers = 0
  /// How many of the subscribers are only about to be attached, and would miss what a connection sends at once.
  private var beingAttached = 0
  private var isBusy = false
  private var connection: (any Cancellable)?
  private var connect: (() -> any Cancellable)?

  @usableFromInline
  init() {}

  @usableFromInline
  func attaching() {
    lock.lock()
    subscribers += 1
    beingAttached += 1
    lock.unlock()
  }

  @usableFromInline
  func attached(_ connect: @escaping () -> any Cancellable) {
    lock.lock()
    beingAttached -= 1
    if connection == nil, self.connect == nil { self.connect = connect }
    settleUnlocking()
  }

  func leave() {
    lock.lock()
    subscribers -= 1
    settleUnlocking()
  }

  /// With the lock, which it gives back: connects, or cancels the connection, until that is as it should be, unless
  /// somebody already does.
  private func settleUnlocking() {
    guard !isBusy else {
      lock.unlock()
      return
    }
    isBusy = true
    while true {
      if subscribers > 0, beingAttached == 0, connection == nil, let connect {
        lock.unlock()
        let connection = connect()
        lock.lock()
        self.connection = connection
      } else if subscribers == 0, let connection {
        self.connection = nil
        lock.unlock()
        connection.cancel()
        lock.lock()
      } else {
        break
      }
    }
    isBusy = false
    let connect = self.connect
    self.connect = nil
    lock.unlock()
    withExtendedLifetime(connect) {}
  }
}

/// A link whose cancellation, though not its completion, gives a share of the connection back: before it or after.
@usableFromInline
final class AutoconnectLink: UpstreamLink {
  private let counter: ConnectionCounter
  private let hasLeft = Atomic(false)

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
    if !hasLeft.exchange(true, ordering: .relaxed) { counter.leave() }
    sever()
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
