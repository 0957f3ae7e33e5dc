import Combine

/// A publisher of somebody else's that passes another on, and counts the subscriptions that have not ended.
///
/// As somebody else's it is served without the short cuts that operators may take among themselves.
struct Watched<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  /// How many subscriptions there are. Everything happens on one thread.
  final class Count {
    var value = 0
  }

  let upstream: Upstream
  let count: Count

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(Passage(subscriber, count))
  }

  private final class Passage<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private let count: Count

    init(_ downstream: Downstream, _ count: Count) {
      self.downstream = downstream
      self.count = count
    }

    func receive(subscription: any Subscription) {
      count.value += 1
      upstream = subscription
      downstream?.receive(subscription: self)
    }

    func receive(_ input: Output) -> Subscribers.Demand { downstream?.receive(input) ?? .none }

    func receive(completion: Subscribers.Completion<Failure>) {
      end().downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

    func cancel() { end().upstream?.cancel() }

    private func end() -> (downstream: Downstream?, upstream: (any Subscription)?) {
      defer { (downstream, upstream) = (nil, nil) }
      if upstream != nil { count.value -= 1 }
      return (downstream, upstream)
    }
  }
}
