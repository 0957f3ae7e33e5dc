import Combine
import InterflowPrimitives

extension Publishers {
  /// A publisher that joins each value of one publisher with the latest of another.
  ///
  /// See ``Combine/Publisher/withLatestFrom(_:resultSelector:)``.
  public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {
    /// The failure of both publishers.
    public typealias Failure = Upstream.Failure
    /// Makes a value from one of each publisher.
    public typealias ResultSelector = (Upstream.Output, Other.Output) -> Output

    /// The publisher whose values cause values.
    public let upstream: Upstream
    /// The publisher whose latest value is joined.
    public let other: Other
    /// Makes a value from one of each publisher.
    public let resultSelector: ResultSelector

    /// Joins each value of a publisher with the latest of another.
    @inlinable
    public init(upstream: Upstream, other: Other, resultSelector: @escaping ResultSelector) {
      self.upstream = upstream
      self.other = other
      self.resultSelector = resultSelector
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let delivery = Delivery(subscriber, "WithLatestFrom", WithLatestFromValues<Other.Output>())
      delivery.join(other, .unlimited) { delivery, value in
        if let replaced = delivery.values.replace(value) {
          releaseOutsideLock(replaced)
        } else {
          delivery.startInputs()
        }
      } onFinish: {
        if $0.values.latest == nil { $0.finish() }
      }
      let resultSelector = self.resultSelector
      delivery.join(upstream, .held) { delivery, value in
        guard let latest = delivery.values.latest else { return }
        delivery.send(resultSelector(value, latest))
      } onFinish: {
        $0.finish()
      }
      delivery.sendSubscription()
    }
  }
}

@frozen
@usableFromInline
struct WithLatestFromValues<Value>: DeliveryValues {
  @usableFromInline var latest: Value?

  @inlinable
  init() {}

  /// - Returns: The value before. The caller releases it afterwards, since that may run code that uses this operator.
  @inlinable
  mutating func replace(_ value: Value) -> Value? {
    let replaced = latest
    latest = value
    return replaced
  }
}
