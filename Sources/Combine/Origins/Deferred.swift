/// A publisher that makes a new publisher for each subscriber, when that subscribes.
///
/// Demand, completion and cancellation are those of the publisher that it makes.
///
/// ```swift
/// let now = Deferred { Just(ContinuousClock.now) }
/// ```
@frozen
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// The kind of values that the publisher delivers.
  public typealias Output = DeferredPublisher.Output
  /// The kind of error that may end the publisher.
  public typealias Failure = DeferredPublisher.Failure

  /// The closure that makes the publisher.
  public let createPublisher: () -> DeferredPublisher

  /// Makes a publisher that calls a closure for each subscriber and attaches it to the result.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  /// Makes the publisher and attaches a subscriber to it.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // Has no subscription of its own: the subscriber receives that of the publisher made.
    createPublisher().subscribe(subscriber)
  }
}
