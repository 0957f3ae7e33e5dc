@testable import Combine

/// An operator that joins, written with ``Delivery`` as one of a newcomer: each value of upstream, with the latest value
/// of another publisher. Values before the other's first are dropped.
struct WithLatestFrom<Upstream: Publisher, Other: Publisher>: Publisher where Upstream.Failure == Other.Failure {
  typealias Output = (Upstream.Output, Other.Output)
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let other: Other

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "WithLatestFrom", LatestValue<Other.Output>(), inputs: 2)
    delivery.join(other, .unlimited) {
      $0.values.latest = $1
    } onFinish: {
      if $0.values.latest == nil { $0.finish() }
    }
    delivery.join(upstream, [.demanded, .returnsDemand]) { delivery, value in
      guard let latest = delivery.values.latest else { return delivery.requestAnother() }
      delivery.send((value, latest))
    } onFinish: {
      $0.finish()
    }
    delivery.sendSubscription()
  }
}

/// The latest value of upstream, each time that another publisher sends a value, unless it has been delivered already.
struct Sample<Upstream: Publisher, Trigger: Publisher>: Publisher where Upstream.Failure == Trigger.Failure {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let trigger: Trigger

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "Sample", LatestValue<Output>(), inputs: 2)
    delivery.join(upstream, .unlimited) {
      $0.values.latest = $1
    } onFinish: {
      $0.finish(dropsUnrequested: true)
    }
    delivery.join(trigger, .unlimited) { delivery, _ in
      if let latest = delivery.values.latest.take() { delivery.sendLatest(latest) }
    } onFinish: {
      $0.finish(dropsUnrequested: true)
    }
    delivery.sendSubscription()
  }
}

private struct LatestValue<Value>: JoinedValues {
  var latest: Value?
}

extension Publisher {
  func withLatest<Other: Publisher>(from other: Other) -> WithLatestFrom<Self, Other> where Other.Failure == Failure {
    WithLatestFrom(upstream: self, other: other)
  }

  func sample<Trigger: Publisher>(_ trigger: Trigger) -> Sample<Self, Trigger> where Trigger.Failure == Failure {
    Sample(upstream: self, trigger: trigger)
  }
}
