/// A subject that sends values to its subscribers and stores none.
///
/// Subscribers receive a value in the order in which they subscribed.
///
/// - Demand: A subscriber receives the values that are sent while it has demand, and misses the others. The completion
///   needs no demand.
/// - Thread: `send` may be called from any thread. It delivers its value on the calling thread, and returns when the
///   value has been delivered; while another thread delivers, it waits. A value that is sent from inside a subscriber's
///   `receive` is delivered immediately. So is a value whose `send` would otherwise wait for a thread that waits for
///   this one, as when two subjects send to each other. Subscribing, requests and cancellations never wait. A
///   subscriber must not wait for a thread that sends to the same subject by other means, such as `DispatchQueue.sync`
///   or a lock.
/// - Cancellation: Releases the subscriber. The other subscribers are not affected.
///
/// ```swift
/// let subject = PassthroughSubject<Int, Never>()
/// let cancellable = subject.sink { print($0) }
/// subject.send(1)
/// subject.send(completion: .finished)
/// ```
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  // Built on `SubjectCore`, as every subject is: its turn delivers the values of several threads one at a time.
  @usableFromInline let core: SubjectCore<Output, Failure>

  /// Makes a subject without subscribers.
  public init() {
    core = SubjectCore(holding: nil)
    core.subject = .passUnretained(self)
  }

  deinit {
    core.cancelUpstreams()
  }

  /// Attaches a subscriber. After the completion, the subscriber receives the completion immediately.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.subscribe(subscriber, of: self)
  }

  /// Sends a value to the subscribers that have demand. Does nothing after the completion.
  @inlinable
  public func send(_ value: Output) {
    core.pass(value)
  }

  /// Sends the completion to every subscriber, with or without demand. A second call does nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.finish(completion)
  }

  /// Requests unlimited values from an upstream, when a subscriber makes the first request.
  public func send(subscription: any Subscription) {
    core.addUpstream(subscription)
  }
}

// The core's lock and turn guard all mutable state.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
