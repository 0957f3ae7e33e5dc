/// A subject that passes values on to its subscribers and holds none.
///
/// A subscriber gets the values that are sent while it has demand; what is sent while it has none is dropped for it.
/// Subscribers are served in the order in which they subscribed.
///
/// - Thread: `send` may be called from any thread. It delivers its value on the thread that calls it, and returns when
///   the value has been delivered: while another thread delivers, it waits for its turn. A call from inside a
///   subscriber's `receive` is delivered at once, and so is one that would otherwise wait for a thread that waits for
///   this one, as where two subjects send to each other. Subscribing, requests and cancellations never wait. A
///   subscriber that waits for another thread by other means, such as `DispatchQueue.sync` or a lock, must not do so
///   while that thread sends.
///
/// ```swift
/// let subject = PassthroughSubject<Int, Never>()
/// let cancellable = subject.sink { print($0) }
/// subject.send(1)
/// subject.send(completion: .finished)
/// ```
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<Output, Failure>

  /// Makes a subject without subscribers.
  public init() {
    core = SubjectCore(holding: nil)
  }

  deinit {
    core.cancelUpstreams()
  }

  /// Attaches a subscriber; after the completion it gets that at once.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.subscribe(subscriber, parent: self)
  }

  /// Sends a value to the subscribers that have demand. Does nothing after the completion.
  @inlinable
  public func send(_ value: Output) {
    core.pass(value)
  }

  /// Ends the stream for every subscriber; a second call does nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.finish(completion)
  }

  /// Requests values from an upstream: without limit, from the first request of a subscriber on.
  public func send(subscription: any Subscription) {
    core.addUpstream(subscription)
  }
}

// The core's lock and turn guard every mutable state.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
