import Combine

/// A publisher that runs an async closure for each value of another, and delivers the results as they come.
///
/// Made by `task(maxPublishers:buffering:priority:_:)`.
public struct TaskPublisher<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher
where Upstream.Output: Sendable {
  typealias Transform = @Sendable (Upstream.Output) async throws(Failure) -> Output

  /// The publisher whose values are worked on.
  public let upstream: Upstream

  /// How many values may be worked on at a time.
  public let maxPublishers: Subscribers.Demand

  /// What is kept of the values that come while as many as allowed are worked on; `nil` where upstream is not asked for
  /// any then.
  public let buffering: BufferingPolicy?

  let priority: TaskPriority?
  let transform: Transform
  let mapFailure: @Sendable (Upstream.Failure) -> Failure

  init(
    _ upstream: Upstream, _ maxPublishers: Subscribers.Demand, _ buffering: BufferingPolicy?,
    _ priority: TaskPriority?, transform: @escaping Transform,
    mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure
  ) {
    precondition(maxPublishers != .none, "at least one task must be allowed to run")
    self.upstream = upstream
    self.maxPublishers = maxPublishers
    self.buffering = buffering
    self.priority = priority
    self.transform = transform
    self.mapFailure = mapFailure
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      TaskStorage(
        subscriber, TaskStateMachine(slots: maxPublishers, buffering: buffering), priority: priority,
        transform: transform, mapFailure: mapFailure))
  }
}

extension TaskPublisher: Sendable where Upstream: Sendable {}
