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
      counter.willAttach()
      upstream.subscribe(AutoconnectSubscriber(subscriber, counter))
      counter.didAttach { [upstream] in upstream.connect() }
    }
  }
}

/// Counts who needs a connection, makes it for the first and cancels it when nobody is left.
///
/// One thread at a time connects or cancels, with no lock held, and does what has become necessary meanwhile: whoever
/// comes while a connection is cancelled might get that very one if they connected themselves.
///
/// A connection that delivers while it is being made, to subscribers that cancel because of that, stays: a subscriber
/// that comes later must not make a synchronous publisher run again. It ends when the last of those that come later
/// cancels.
@usableFromInline
final class ConnectionCounter {
  private let turn = Turn()

  // Guarded by `lock`: everything below it. `connect` is there while it may be called.
  private let lock = Lock()
  private var subscribers = 0
  /// How many of the subscribers are only about to be attached, and would miss what a connection sends at once.
  private var pendingAttachments = 0
  /// The thread that makes a connection, and whether the last subscriber has left on it meanwhile.
  private var connectingThread: UInt = 0
  private var staysConnected = false
  private var connection: (any Cancellable)?
  private var connect: (() -> any Cancellable)?

  /// What has to be done for the connection to be as it should.
  private enum Step {
    case connect(() -> any Cancellable)
    case disconnect(any Cancellable)
    /// Nothing, but to release the closure that connects, which is not needed any more.
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

/// Passes everything on; the subscription that it sends answers for upstream's.
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

/// What one subscriber has of the connection, which it gives back once.
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

/// Upstream's subscription, except that the first cancellation, before the completion or after, gives the subscriber's
/// part of the connection back.
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

  override var releasesSubscriberOnCancel: Bool { upstream._withUnsafeGuaranteedRef { $0.releasesSubscriberOnCancel } }

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
  /// Connects with the first subscriber, and disconnects when the last has cancelled; the next one connects again.
  ///
  /// A subscriber that cancels while the first one connects, since the publisher delivers meanwhile, does not
  /// disconnect.
  ///
  /// - Demand: Passes through, as everything else does: the subscription is upstream's own but for the cancellation.
  /// - Cancellation: Passes through, each time; the first counts for the connection.
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
