/// A subject that holds a value and sends each change of it to its subscribers.
///
/// A subscriber gets the value held with its first demand. One without demand misses values, and gets the latest when
/// it asks again.
///
/// - Thread: ``value`` and `send` may be used from any thread, with the rules of ``PassthroughSubject``. The order of
///   values that several threads send is the order in which they were held, so that the last one delivered is the last
///   one held. A value sent from inside a subscriber reaches the subscribers behind it before the one that it answers.
///
/// ```swift
/// let subject = CurrentValueSubject<Int, Never>(0)
/// let cancellable = subject.sink { print($0) }  // 0
/// subject.value = 1  // 1
/// ```
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<Output, Failure>

  /// Makes a subject that holds a value.
  public init(_ value: Output) {
    core = SubjectCore(holding: value)
  }

  deinit {
    core.cancelUpstreams()
  }

  /// The value held. Setting it is the same as sending it; after the completion it does not change any more.
  public var value: Output {
    get { core.current.unsafelyUnwrapped }
    set { send(newValue) }
  }

  /// Attaches a subscriber; after the completion it gets that at once.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.subscribe(subscriber, parent: self)
  }

  /// Holds a value and sends it to the subscribers that have demand. Does nothing after the completion.
  @inlinable
  public func send(_ value: Output) {
    core.hold(value)
  }

  /// Ends the stream for every subscriber. Values that other threads sent before go first; a second call does nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.perform(.completion(completion))
  }

  /// Draws values from an upstream, without limit.
  public func send(subscription: any Subscription) {
    core.addUpstream(subscription)
  }
}

// The core's lock and gate guard every mutable state.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
