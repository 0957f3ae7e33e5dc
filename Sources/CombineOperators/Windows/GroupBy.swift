import Combine

/// The values of a publisher that have one key: what ``Combine/Publisher/groupBy(_:)`` delivers.
public struct GroupedPublisher<Key, Output, Failure: Error>: Publisher {
  /// The key of the values.
  public let key: Key
  private let values: AnyPublisher<Output, Failure>

  init(key: Key, values: AnyPublisher<Output, Failure>) {
    self.key = key
    self.values = values
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    values.receive(subscriber: subscriber)
  }
}

extension Publishers {
  /// A publisher of publishers, one for each key of an upstream's values.
  ///
  /// See ``Combine/Publisher/groupBy(_:)``.
  public struct GroupBy<Upstream: Publisher, Key: Hashable>: Publisher {
    /// The values of one key.
    public typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are divided.
    public let upstream: Upstream
    /// The key of a value.
    public let key: (Upstream.Output) -> Key

    /// Divides the values of a publisher by their keys.
    public init(upstream: Upstream, key: @escaping (Upstream.Output) -> Key) {
      self.upstream = upstream
      self.key = key
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let key = self.key
      WindowInput<Upstream.Output, S, [Key: ReplaySubject<Upstream.Output, Failure>]>(subscriber, "GroupBy", [:]) {
        input, value in
        let key = key(value)
        if let group = input.state[key] {
          group.send(value)
        } else if let group = input.open() {
          input.state[key] = group
          input.deliver(group) { GroupedPublisher(key: key, values: $0) }
          group.send(value)
        }
      }
      .join(upstream)
    }
  }
}

extension Publisher {
  /// Delivers a publisher for each key of the values, which delivers the values with that key.
  ///
  /// ```swift
  /// let totals = payments.groupBy(\.account).flatMap { $0.map(\.amount).scan(0, +) }
  /// ```
  ///
  /// A group is delivered before its first value, and completes with this publisher.
  ///
  /// - Demand: Unlimited demand is requested from this publisher. Groups that have not been requested are buffered, and
  ///   the values of a group until it has a subscriber that requests them. A group that has been released without a
  ///   subscriber stores nothing. A failure does not wait for a request: it drops the groups that have not been
  ///   requested.
  /// - Cancellation: This publisher is cancelled when the subscriber and those of all groups have ended. Values of new
  ///   keys are dropped when the subscriber has. A subscriber that cancels while it receives a group, as `first(where:)`
  ///   does, counts until that call returns, so `first { $0.key == 3 }.flatMap { $0 }` delivers all values of the group.
  ///   A group that nobody subscribes to before then, as with `receive(on:)` after `first(where:)` or with `firstValue()`,
  ///   has finished if nobody else uses this publisher.
  /// - Parameter key: The key of a value.
  public func groupBy<Key: Hashable>(_ key: @escaping (Output) -> Key) -> Publishers.GroupBy<Self, Key> {
    Publishers.GroupBy(upstream: self, key: key)
  }
}
