import InterflowPrimitives
import Synchronization

extension Publishers {
  /// A publisher that connects a connectable publisher for the first subscriber, and disconnects it when the last
  /// cancels.
  public class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The connectable publisher.
    public final let upstream: Upstream
    @usableFromInline final let counter = ConnectionCounter()

    /// Makes a publisher that connects another automatically.
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber, and connects if it is the first.
    @inlinable
    public final func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      counter.willAttach()
      upstream.subscribe(AutoconnectSubscriber(subscriber, counter))
      counter.didAttach { [upstream] in upstream.connect() }
    }
  }
}

/// Counts the subscribers, connects for the first, and cancels the connection when none is left.
///
/// One thread at a time connects or cancels, without a lock, and repeats until the connection matches the count. If a
/// new subscriber connected on its own while another thread cancels, it could get the connection that is being
/// cancelled.
///
/// `connect()` may deliver values synchronously, and the subscribers may cancel because of that. Such cancellations do
/// not end the connection, so that a synchronous publisher does not run again for a later subscriber. The connection
/// ends when the last of the later subscribers cancels.
@usableFromInline
final class ConnectionCounter {
  private let turn = Turn()

  // Guarded by `lock`: everything below it. `connect` is set while it may still be called.
  private let lock = Lock()
  private var subscribers = 0
  /// How many subscribers are not attached to upstream yet, and would miss values that a connection sends immediately.
  private var pendingAttachments = 0
  /// The thread that calls `connect`, and whether the last cancellation was made on that thread during the call.
  private var connectingThread: UInt = 0
  private var staysConnected = false
  private var connection: (any Cancellable)?
  private var connect: (() -> any Cancellable)?

  /// The next step that makes the connection match the number of subscribers.
  private enum Step {
    case connect(() -> any Cancellable)
    case disconnect(any Cancellable)
    /// Nothing, except to release the closure that connects, which is not needed any more.
    case done((() -> any Cancellable)?)
  }

  @usableFromInline
  init() {}

  @usableFromInline
  func willAttach() {
    lock.lock()
    subscribers += 1
    pendingAttachments += 1
    lock.unlock()
  }

  @usableFromInline
  func didAttach(_ connect: @escaping () -> any Cancellable) {
    lock.lock()
    pendingAttachments -= 1
    if connection == nil, self.connect == nil { self.connect = connect }
    lock.unlock()
    performSteps()
  }

  func didCancel() {
    lock.lock()
    subscribers -= 1
    staysConnected = connectingThread == currentThreadIdentity()
    lock.unlock()
    performSteps()
  }

  private func performSteps() {
    turn.perform {
      while true {
        switch nextStep() {
        case .connect(let connect): connected(connect())
        case .disconnect(let connection): connection.cancel()
        case .done: return
        }
      }
    }
  }

  private func nextStep() -> Step {
    lock.lock()
    defer { lock.unlock() }
    if subscribers > 0, pendingAttachments == 0, connection == nil, let connect {
      connectingThread = currentThreadIdentity()
      return .connect(connect)
    }
    if subscribers == 0, !staysConnected, let connection {
      self.connection = nil
      return .disconnect(connection)
    }
    return .done(connect.take())
  }

  private func connected(_ connection: any Cancellable) {
    lock.lock()
    connectingThread = 0
    self.connection = connection
    lock.unlock()
  }
}

/// Forwards all signals, and wraps upstream's subscription in an ``AutoconnectSubscription``.
@frozen
@usableFromInline
struct AutoconnectSubscriber<Downstream: Subscriber>: PassThrough {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let token: ConnectionToken

  @usableFromInline var operatorName: String { "Autoconnect" }

  @inlinable
  init(_ downstream: Downstream, _ counter: ConnectionCounter) {
    self.downstream = downstream
    token = ConnectionToken(counter)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    downstream.receive(subscription: AutoconnectSubscription(subscription, token))
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    downstream.receive(input)
  }
}

/// One subscriber's use of the connection, which is released once.
@usableFromInline
final class ConnectionToken {
  private let counter: ConnectionCounter
  private let isReleased = Atomic(false)

  @usableFromInline
  init(_ counter: ConnectionCounter) {
    self.counter = counter
  }

  func release() {
    if !isReleased.exchange(true, ordering: .relaxed) { counter.didCancel() }
  }
}

/// Wraps upstream's subscription. The first cancellation, before or after the completion, releases the subscriber's use
/// of the connection.
@usableFromInline
final class AutoconnectSubscription: EngineSubscription {
  private let upstream: Unmanaged<EngineSubscription>
  private let token: ConnectionToken

  @usableFromInline
  init(_ upstream: any Subscription, _ token: ConnectionToken) {
    self.upstream = EngineSubscription.retained(upstream)
    self.token = token
  }

  deinit {
    upstream.release()
  }

  @usableFromInline override var releasesSubscriberOnCancel: Bool {
    upstream._withUnsafeGuaranteedRef { $0.releasesSubscriberOnCancel }
  }

  @usableFromInline override var combineIdentifier: CombineIdentifier {
    upstream._withUnsafeGuaranteedRef { $0.original.combineIdentifier }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    upstream._withUnsafeGuaranteedRef { $0.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    token.release()
    upstream._withUnsafeGuaranteedRef { $0.cancel() }
  }

  @usableFromInline override var description: String { upstream._withUnsafeGuaranteedRef { $0.description } }
  @usableFromInline override var customMirror: Mirror { upstream._withUnsafeGuaranteedRef { $0.customMirror } }
}

extension ConnectablePublisher {
  /// Connects for the first subscriber, and disconnects when the last subscriber has cancelled. The next one connects
  /// again.
  ///
  /// A cancellation during `connect()`, because of a value that is delivered then, does not disconnect. A completion
  /// does not disconnect either.
  ///
  /// - Demand: Is forwarded.
  /// - Cancellation: Is forwarded. The first cancellation of each subscriber counts for the connection, also after the
  ///   completion.
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
