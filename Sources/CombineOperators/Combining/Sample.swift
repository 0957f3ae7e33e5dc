import Combine
import InterflowPrimitives

extension Publishers {
  /// A publisher of the latest value of one publisher, each time that another delivers a value.
  public struct Sample<Upstream: Publisher, Trigger: Publisher>: Publisher
  where Upstream.Failure == Trigger.Failure {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The failure of both publishers.
    public typealias Failure = Upstream.Failure

    /// The publisher whose latest value is delivered.
    public let upstream: Upstream
    /// The publisher whose values say when.
    public let trigger: Trigger

    /// Samples a publisher each time that another delivers a value.
    public init(upstream: Upstream, trigger: Trigger) {
      self.upstream = upstream
      self.trigger = trigger
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let delivery = Delivery(subscriber, "Sample", WithLatestFromValues<Output>())
      delivery.join(upstream, .unlimited) {
        // What its release sends must find the new value whole.
        let replaced = $0.values.replace($1)
        releaseOutsideLock(replaced)
      } onFinish: {
        $0.finish(unrequested: .dropped)
      }
      delivery.join(trigger, .unlimited) { delivery, _ in
        if let latest = delivery.values.latest.take() { delivery.sendLatest(latest) }
      } onFinish: {
        $0.finish(unrequested: .dropped)
      }
      delivery.sendSubscription()
    }
  }
}

extension Publisher {
  /// Delivers the latest value each time that another publisher delivers a value, unless it has been delivered already.
  ///
  /// ```swift
  /// let position = pointer.sample(frames)
  /// ```
  ///
  /// The stream finishes when one of the publishers has finished.
  ///
  /// - Demand: Unlimited demand is requested from both. If the subscriber has not requested a value, the latest is
  ///   buffered until it does; the completion does not wait for that.
  /// - Cancellation: Cancels both publishers, as the end of the stream does with the one that has not completed.
  /// - Parameter trigger: The publisher whose values say when.
  public func sample<Trigger: Publisher>(_ trigger: Trigger) -> Publishers.Sample<Self, Trigger>
  where Trigger.Failure == Failure {
    Publishers.Sample(upstream: self, trigger: trigger)
  }
}
