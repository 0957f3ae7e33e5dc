import Combine

/// How long ``Combine/Publisher/share(replay:scope:)`` stores values.
public enum ReplayScope: Sendable {
  /// As long as the shared publisher exists: a subscriber that comes when all others have gone, or after the completion,
  /// receives them.
  case forever
  /// As long as there are subscribers and the upstream has not completed. Then the next subscriber begins again.
  case whileConnected
}

extension Publisher {
  /// Shares one subscription to this publisher among all subscribers, each of which receives the latest values first.
  ///
  /// The values are stored for ever; see ``Combine/Publisher/share(replay:scope:)`` for another way.
  ///
  /// ```swift
  /// let profile = fetchProfile().share(replay: 1)
  /// ```
  ///
  /// - Demand: Unlimited demand is requested from this publisher. Values that a subscriber has not requested are
  ///   buffered for it.
  /// - Cancellation: This publisher is cancelled with the last subscriber.
  /// - Parameter bufferSize: How many values a new subscriber receives.
  public func share(
    replay bufferSize: Int
  ) -> Publishers.ShareReplay<Self> {
    share(replay: bufferSize, scope: .forever)
  }

  /// Shares one subscription to this publisher among all subscribers, each of which receives the latest values first.
  ///
  /// - Parameters:
  ///   - bufferSize: How many values a new subscriber receives.
  ///   - scope: How long they are stored.
  public func share(replay bufferSize: Int, scope: ReplayScope) -> Publishers.ShareReplay<Self> {
    precondition(bufferSize >= 0, "the size of a replay buffer must not be negative, but was \(bufferSize)")
    return Publishers.ShareReplay(self, scope) { ReplaySubject(bufferSize: bufferSize) }
  }

  /// Shares one subscription to this publisher among all subscribers, each of which receives the latest values first,
  /// if they are not too old.
  ///
  /// - Parameters:
  ///   - bufferSize: How many values a new subscriber receives at most.
  ///   - age: How old they are at most.
  ///   - scheduler: Measures the time.
  ///   - scope: How long they are stored.
  public func share<S: Scheduler>(
    replay bufferSize: Int = .max, within age: S.SchedulerTimeType.Stride, scheduler: S, scope: ReplayScope = .forever
  ) -> Publishers.ShareReplay<Self> {
    precondition(bufferSize >= 0, "the size of a replay buffer must not be negative, but was \(bufferSize)")
    return Publishers.ShareReplay(self, scope) {
      ReplaySubject(bufferSize: bufferSize, within: age, scheduler: scheduler)
    }
  }
}
