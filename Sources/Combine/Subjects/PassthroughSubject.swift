/// A subject that passes values on to its subscribers and holds none.
///
/// A subscriber gets the values that are sent while it has demand; what is sent while it has none is dropped for it.
/// Subscribers are served in the order in which they subscribed.
///
/// - Thread: `send` may be called from any thread. A call from inside a subscriber's `receive` is delivered at once. A
///   call that finds another thread delivering leaves its value to that thread and returns before it arrives; values
///   queue up without limit while producers outpace the subscribers.
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

  /// Ends the stream for every subscriber. Values that other threads sent before go first; a second call does nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.perform(.completion(completion))
  }

  /// Draws values from an upstream: without limit, from the first request of a subscriber on.
  public func send(subscription: any Subscription) {
    core.addUpstream(subscription)
  }
}

// The core's lock and gate guard every mutable state.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
