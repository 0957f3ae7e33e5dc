import Combine
import InterflowPrimitives

/// A publisher that joins each value of one publisher with the latest of several others.
///
/// Each of the others is an input of its own rather than one of a `combineLatest`, which would never end if one of them
/// finished without a value, and would hold back what the subscriber itself sends to one of them.
struct WithLatestFromMany<Upstream: Publisher, Latest, Output>: Publisher {
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let others: [AnyPublisher<Any, Failure>]
  let makeTuple: ([Any]) -> Latest
  let resultSelector: (Upstream.Output, Latest) -> Output

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "WithLatestFrom", WithLatestFromManyValues<Latest>(count: others.count))
    for (number, other) in others.enumerated() {
      delivery.join(other, .unlimited) { [makeTuple] delivery, value in
        let isFirst = delivery.values.latest == nil
        let replaced = delivery.values.replace(number, value, makeTuple)
        if isFirst, delivery.values.latest != nil { delivery.startInputs() }
        releaseOutsideLock(replaced)
      } onFinish: {
        if $0.values.isMissing(number) { $0.finish() }
      }
    }
    delivery.join(upstream, .held) { [resultSelector] delivery, value in
      guard let latest = delivery.values.latest else { return }
      delivery.send(resultSelector(value, latest))
    } onFinish: {
      $0.finish()
    }
    delivery.sendSubscription()
  }
}

/// The latest value of each of the others, and the tuple of them if there is one of each. After the end there are none,
/// and what another thread still brings is ignored.
private struct WithLatestFromManyValues<Latest>: DeliveryValues {
  private var parts: [Any?] = []
  private(set) var latest: Latest?

  init() {}

  init(count: Int) {
    parts = Array(repeating: nil, count: count)
  }

  func isMissing(_ number: Int) -> Bool { parts.indices.contains(number) && parts[number] == nil }

  /// - Returns: What there was before. The caller releases it afterwards, since that may run code that uses this operator.
  mutating func replace(_ number: Int, _ value: Any, _ makeTuple: ([Any]) -> Latest) -> (part: Any?, tuple: Latest?) {
    guard parts.indices.contains(number) else { return (nil, nil) }
    let replaced = (parts[number], latest)
    parts[number] = value
    let present = parts.compactMap(\.self)
    if present.count == parts.count { latest = makeTuple(present) }
    return replaced
  }
}
