/// A subject that holds a current value and sends each change of it to its subscribers.
///
/// - Demand: A subscriber receives the current value with its first request, on the requesting thread, before the
///   request returns. A subscriber without demand misses values, and receives the latest when it requests again. The
///   completion needs no demand.
/// - Thread: ``value`` and `send` may be used from any thread, with the rules of ``PassthroughSubject``. Values that
///   several threads send are delivered in the order in which they become the current value. If a subscriber sends a
///   value while it receives another, the subscribers after it receive the new value first, and then not the older one.
/// - Cancellation: Releases the subscriber. The other subscribers are not affected.
///
/// ```swift
/// let subject = CurrentValueSubject<Int, Never>(0)
/// let cancellable = subject.sink { print($0) }  // 0
/// subject.value = 1  // 1
/// ```
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  // Built on `SubjectCore`, as every subject is: its turn delivers the values of several threads one at a time.
  @usableFromInline let core: SubjectCore<Output, Failure>

  /// Makes a subject with a first current value.
  public init(_ value: Output) {
    core = SubjectCore(holding: value)
    core.subject = .passUnretained(self)
  }

  deinit {
    core.cancelUpstreams()
  }

  /// The current value. Setting it sends the value to the subscribers; after the completion it only stores the value.
  public var value: Output {
    get { core.current.value }
    set { core.hold(newValue, evenIfFinished: true) }
  }

  /// Attaches a subscriber. After the completion, the subscriber receives the completion immediately, and no value.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.subscribe(subscriber, of: self)
  }

  /// Stores a value and sends it to the subscribers that have demand. Does nothing after the completion.
  @inlinable
  public func send(_ value: Output) {
    core.hold(value)
  }

  /// Sends the completion to every subscriber, with or without demand. A second call does nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.finish(completion)
  }

  /// Requests unlimited values from an upstream, immediately.
  public func send(subscription: any Subscription) {
    core.addUpstream(subscription)
  }
}

// The core's lock and turn guard all mutable state.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
