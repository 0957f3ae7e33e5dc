import BenchmarkKit
import Interflow

/// What a subscription costs that delivers values of several threads or buffers them: to make and cancel it, to request
/// one value, and to deliver one that has been requested alone.
let subscriptionScenarios = [
  subscribing("subject.zip(subject).sink") { $0.zip($1).map { $0 &+ $1 } },
  subscribing("subject.combineLatest(subject).sink") { $0.combineLatest($1).map { $0 &+ $1 } },
  subscribing("subject.merge(subject).sink") { $0.merge(with: $1) },
  subscribing("subject.flatMap(subject).sink") { outer, inner in outer.flatMap { _ in inner } },
  subscribing("subject.map(subject).switchToLatest.sink") { outer, inner in outer.map { _ in inner }.switchToLatest() },
  subscribing("subject.buffer.sink") { left, _ in left.buffer(size: 64, prefetch: .byRequest, whenFull: .dropOldest) },
  subscribing("subject.receive(on: ImmediateScheduler).sink") { left, _ in left.receive(on: ImmediateScheduler.shared)
  },
  subscribing("subject.debounce(ImmediateScheduler).sink") { left, _ in
    left.debounce(for: 1, scheduler: ImmediateScheduler.shared)
  },
  requesting("subject.zip(subject)") { $0.zip($1).map { $0 &+ $1 } },
  requesting("subject.combineLatest(subject)") { $0.combineLatest($1).map { $0 &+ $1 } },
  requesting("subject.merge(subject)") { left, right in left.map { $0 &* 2 }.merge(with: right.map { _ in 0 }) },
  requesting("subject.buffer") { left, _ in
    left.map { $0 &* 2 }.buffer(size: 64, prefetch: .byRequest, whenFull: .dropOldest)
  },
  requested("subject.zip(subject)") { $0.zip($1).map { $0 &+ $1 } },
  requested("subject.buffer") { left, _ in
    left.map { $0 &* 2 }.buffer(size: 64, prefetch: .byRequest, whenFull: .dropOldest)
  },
  requested("subject.receive(on: ImmediateScheduler)") { left, _ in
    left.map { $0 &* 2 }.receive(on: ImmediateScheduler.shared)
  },
  requested("subject.debounce(ImmediateScheduler)") { left, _ in
    left.map { $0 &* 2 }.debounce(for: 1, scheduler: ImmediateScheduler.shared)
  },
]

private typealias Subject = PassthroughSubject<Int, Never>
private typealias Joined = Publisher<Int, Never> & SendableMetatype

private func subscribing(
  _ name: String, _ joined: @escaping @Sendable (Subject, Subject) -> some Joined
) -> Scenario {
  counted("subscribe and cancel \(name)", expected: { _ in 0 }) { count, sum in
    let (left, right) = (Subject(), Subject())
    for _ in 0..<count { joined(left, right).sink { sum.value &+= $0 }.cancel() }
  }
}

/// Requests one value after the other, and then sends one, which shows that the requests have arrived.
private func requesting(
  _ name: String, _ joined: @escaping @Sendable (Subject, Subject) -> some Joined
) -> Scenario {
  counted("request from \(name)", expected: { _ in 14 }) { count, sum in
    let (left, right) = (Subject(), Subject())
    let requester = Requester(sum)
    joined(left, right).subscribe(requester)
    for _ in 0..<count { requester.subscription?.request(.max(1)) }
    left.send(7)
    right.send(7)
    requester.subscription?.cancel()
  }
}

/// Requests each value alone, and sends it.
private func requested(
  _ name: String, _ joined: @escaping @Sendable (Subject, Subject) -> some Joined
) -> Scenario {
  counted("\(name), each requested", expected: { 2 * (0..<$0).reduce(0, &+) }) { count, sum in
    let (left, right) = (Subject(), Subject())
    let requester = Requester(sum)
    joined(left, right).subscribe(requester)
    for index in 0..<count {
      requester.subscription?.request(.max(1))
      left.send(index)
      right.send(index)
    }
    requester.subscription?.cancel()
  }
}

/// Stores its subscription, and requests nothing itself.
private final class Requester: Subscriber {
  var subscription: (any Subscription)?
  private let sum: Sum

  init(_ sum: Sum) {
    self.sum = sum
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    sum.value &+= input
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}
