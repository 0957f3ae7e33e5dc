/// A subject that holds a value and sends each change of it to its subscribers.
///
/// A subscriber gets the value held with its first demand, on the thread that requests it, before the request returns.
/// One without demand misses values, and gets the latest when it requests again.
///
/// - Thread: ``value`` and `send` may be used from any thread, with the rules of ``PassthroughSubject``. The order of
///   the values that several threads send is the order in which they are held, so that the last one delivered is the
///   last one held. A value sent from inside a subscriber reaches the subscribers behind it before the one that it
///   answers. One that a subscriber has had already, or a later one, is not delivered to it again.
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

  /// The value held. Setting it is the same as sending it; after the completion it only changes what is held.
  public var value: Output {
    get { core.current.value }
    set { core.hold(newValue, evenIfFinished: true) }
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

  /// Ends the stream for every subscriber; a second call does nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.finish(completion)
  }

  /// Draws values from an upstream, without limit.
  public func send(subscription: any Subscription) {
    core.addUpstream(subscription)
  }
}

// The core's lock and turn guard every mutable state.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
