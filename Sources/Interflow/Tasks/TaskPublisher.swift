import Combine

/// A publisher that runs an async closure for each value of another, several at a time, and delivers the results.
///
/// Made by `task(maxPublishers:buffering:priority:_:)`, which delivers results in the order in which the closures
/// return, and by `concurrentMap(maxTasks:buffering:priority:_:)`, which delivers them in the order of upstream's
/// values.
@frozen
public struct TaskPublisher<Upstream: Publisher, Output: Sendable, Failure: Error>: Publisher
where Upstream.Output: Sendable {
  @usableFromInline typealias Transform = @Sendable (Upstream.Output) async throws(Failure) -> Output

  /// The publisher that this publisher receives values from.
  public let upstream: Upstream

  /// How many tasks may run at a time.
  public let maxPublishers: Subscribers.Demand

  /// Which values are buffered if they arrive while the maximum number of tasks runs; `nil` if none are requested then.
  public let buffering: BufferingPolicy?

  @usableFromInline let policy: TaskPolicy
  @usableFromInline let priority: TaskPriority?
  @usableFromInline let transform: Transform
  @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure

  @inlinable
  init(
    _ upstream: Upstream, _ policy: TaskPolicy, _ maxPublishers: Subscribers.Demand,
    _ buffering: BufferingPolicy?, _ priority: TaskPriority?, transform: @escaping Transform,
    mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure
  ) {
    precondition(maxPublishers != .none, "at least one task must be allowed to run")
    self.upstream = upstream
    self.policy = policy
    self.maxPublishers = maxPublishers
    self.buffering = buffering
    self.priority = priority
    self.transform = transform
    self.mapFailure = mapFailure
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let storage = TaskStorage(
      subscriber, TaskStateMachine(slots: maxPublishers, buffering: buffering, policy: policy),
      priority: priority, transform: transform, mapFailure: mapFailure)
    // A sink makes its first request when upstream sends the subscription, which other code may do later.
    if policy == .sink { storage.captureContext() }
    upstream.subscribe(storage)
  }
}

extension Subscribers.Demand {
  /// A number of tasks, as a demand. A number less than one is a programming error and traps.
  @inlinable
  static func tasks(_ count: Int) -> Subscribers.Demand {
    precondition(count > 0, "at least one task must be allowed to run, but maxTasks was \(count)")
    return .max(count)
  }
}

extension TaskPublisher: Sendable where Upstream: Sendable {}
