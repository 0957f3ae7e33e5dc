import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

// Publishers, operators, subscribers and subjects as clients of Combine write them by hand, in the shapes that articles
// and packages have taught since Combine appeared.

/// A publisher of an event source, with a subscription that the source holds on to.
private struct ControlPublisher<Control: FakeControl>: Publisher {
  typealias Output = Control
  typealias Failure = Never

  let control: Control

  func receive<S>(subscriber: S) where S: Subscriber, S.Failure == Failure, S.Input == Output {
    let subscription = Inner(subscriber: subscriber, control: control)
    subscriber.receive(subscription: subscription)
  }

  private final class Inner<S: Subscriber>: Subscription where S.Input == Control, S.Failure == Never {
    private var subscriber: S?
    private weak var control: Control?

    init(subscriber: S, control: Control) {
      self.subscriber = subscriber
      self.control = control
      control.handler = { [weak self] in self?.eventHandler() }
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
      subscriber = nil
      control?.handler = nil
    }

    private func eventHandler() {
      guard let control else { return }
      _ = subscriber?.receive(control)
    }
  }
}

private class FakeControl {
  var handler: (() -> Void)?
  var taps = 0

  func tap() {
    taps += 1
    handler?()
  }
}

/// A publisher that counts down as it is asked to.
private struct Countdown: Publisher {
  typealias Output = Int
  typealias Failure = Never

  let start: Int

  func receive<S: Subscriber>(subscriber: S) where Never == S.Failure, Int == S.Input {
    subscriber.receive(subscription: CountdownSubscription(subscriber: subscriber, next: start))
  }
}

private final class CountdownSubscription<S>: Subscription where S: Subscriber, S.Input == Int, S.Failure == Never {
  private var subscriber: S?
  private var next: Int
  private var demand: Subscribers.Demand = .none

  init(subscriber: S, next: Int) {
    self.subscriber = subscriber
    self.next = next
  }

  func request(_ demand: Subscribers.Demand) {
    self.demand += demand
    while self.demand > 0, next > 0, let subscriber {
      self.demand -= 1
      next -= 1
      self.demand += subscriber.receive(next + 1)
    }
    guard next == 0 else { return }
    subscriber?.receive(completion: .finished)
    subscriber = nil
  }

  func cancel() { subscriber = nil }
}

extension Publishers {
  /// An operator with a subscriber that stands between.
  fileprivate struct Unwrap<Upstream: Publisher, Output>: Publisher where Upstream.Output == Output? {
    typealias Failure = Upstream.Failure

    let upstream: Upstream

    func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input {
      upstream.subscribe(Inner(downstream: subscriber))
    }

    private struct Inner<S: Subscriber>: Subscriber where S.Input == Output, S.Failure == Upstream.Failure {
      typealias Input = Upstream.Output
      typealias Failure = Upstream.Failure

      let combineIdentifier = CombineIdentifier()
      let downstream: S

      func receive(subscription: Subscription) { downstream.receive(subscription: subscription) }

      func receive(_ input: Input) -> Subscribers.Demand {
        switch input {
        case .some(let output): return downstream.receive(output)
        case .none: return .max(1)
        }
      }

      func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
    }
  }
}

extension Publisher {
  fileprivate func unwrap<T>() -> Publishers.Unwrap<Self, T> where Output == T? { Publishers.Unwrap(upstream: self) }
}

/// An operator whose middle is subscriber and subscription at once.
private final class EveryOther<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  private let upstream: Upstream

  init(_ upstream: Upstream) { self.upstream = upstream }

  func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Output == Downstream.Input, Failure == Downstream.Failure {
    upstream.subscribe(Sink(subscriber))
  }

  private final class Sink<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private var downstream: Downstream?
    private var upstream: Subscription?
    private var skips = false

    init(_ downstream: Downstream) { self.downstream = downstream }

    func receive(subscription: Subscription) {
      upstream = subscription
      downstream?.receive(subscription: self)
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      defer { skips.toggle() }
      return skips ? .max(1) : downstream?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
      downstream?.receive(completion: completion)
      downstream = nil
      upstream = nil
    }

    func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

    func cancel() {
      upstream?.cancel()
      upstream = nil
      downstream = nil
    }
  }
}

/// A subscriber that asks for a few values and for one more now and then.
private final class IntSubscriber: Subscriber {
  typealias Input = Int
  typealias Failure = Never

  private(set) var received: [Int] = []
  private(set) var completion: Subscribers.Completion<Never>?

  func receive(subscription: Subscription) { subscription.request(.max(2)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    received.append(input)
    switch input {
    case 1: return .max(2)
    case 3: return .max(1)
    default: return .none
    }
  }

  func receive(completion: Subscribers.Completion<Never>) { self.completion = completion }
}

/// A subject that replays the last values to whoever comes late.
private final class ReplaySubject<Output, Failure: Error>: Subject {
  private let lock = NSRecursiveLock()
  private var buffer: [Output] = []
  private let size: Int
  private var completion: Subscribers.Completion<Failure>?
  private var subscriptions: [ReplaySubscription<Output, Failure>] = []

  init(_ size: Int) { self.size = size }

  func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Failure == Failure, Downstream.Input == Output {
    lock.lock()
    defer { lock.unlock() }
    let subscription = ReplaySubscription<Output, Failure>(downstream: AnySubscriber(subscriber))
    subscriber.receive(subscription: subscription)
    subscriptions.append(subscription)
    subscription.replay(buffer, completion: completion)
  }

  func send(subscription: Subscription) { subscription.request(.unlimited) }

  func send(_ value: Output) {
    lock.lock()
    defer { lock.unlock() }
    buffer = buffer.suffix(size - 1) + [value]
    subscriptions.forEach { $0.receive(value) }
  }

  func send(completion: Subscribers.Completion<Failure>) {
    lock.lock()
    defer { lock.unlock() }
    self.completion = completion
    subscriptions.forEach { $0.receive(completion: completion) }
  }
}

private final class ReplaySubscription<Output, Failure: Error>: Subscription {
  private let downstream: AnySubscriber<Output, Failure>
  private var isCompleted = false
  private var demand: Subscribers.Demand = .none

  init(downstream: AnySubscriber<Output, Failure>) { self.downstream = downstream }

  func request(_ newDemand: Subscribers.Demand) { demand += newDemand }

  func cancel() { isCompleted = true }

  func receive(_ value: Output) {
    guard !isCompleted, demand > 0 else { return }
    demand += downstream.receive(value)
    demand -= 1
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard !isCompleted else { return }
    isCompleted = true
    downstream.receive(completion: completion)
  }

  func replay(_ values: [Output], completion: Subscribers.Completion<Failure>?) {
    guard !isCompleted else { return }
    values.forEach { value in receive(value) }
    if let completion { receive(completion: completion) }
  }
}

/// A connectable publisher around a subject that it does not own.
private struct Relay: ConnectablePublisher {
  typealias Output = Int
  typealias Failure = Never

  unowned let source: PassthroughSubject<Int, Never>
  private let relay = PassthroughSubject<Int, Never>()

  init(_ source: PassthroughSubject<Int, Never>) { self.source = source }

  func receive<S>(subscriber: S) where S: Subscriber, S.Failure == Never, S.Input == Int {
    relay.receive(subscriber: subscriber)
  }

  func connect() -> Cancellable { source.subscribe(relay) }
}

@Suite struct UserPublishersTests {
  @Test func aSubscriptionThatAnEventSourceHolds() {
    let control = FakeControl()
    var taps: [Int] = []
    let cancellable = ControlPublisher(control: control).map(\.taps).sink { taps.append($0) }
    control.tap()
    control.tap()
    cancellable.cancel()
    control.tap()
    #expect(taps == [1, 2])
    #expect(control.handler == nil)
  }

  @Test func aPublisherThatHeedsDemandUnderOurOperators() {
    #expect(log(of: Countdown(start: 3)) == ["3", "2", "1", "finished"])
    #expect(log(of: Countdown(start: 3).map { $0 * 2 }.filter { $0 != 4 }) == ["6", "2", "finished"])
    #expect(
      log(of: Countdown(start: 2).flatMap(maxPublishers: .max(1)) { Countdown(start: $0) }) == [
        "2", "1", "1", "finished",
      ])
    #expect(log(of: Countdown(start: 2).zip(["a", "b"].publisher).map { "\($0)\($1)" }) == ["2a", "1b", "finished"])
  }

  @Test func operatorsBetweenOurs() {
    #expect(log(of: [1, nil, 3].publisher.unwrap().map { $0 + 1 }) == ["2", "4", "finished"])
    #expect(log(of: EveryOther((1...5).publisher.eraseToAnyPublisher())) == ["1", "3", "5", "finished"])
    let failing = Fail<Int?, TestError>(error: TestError()).unwrap()
    #expect(log(of: failing) == ["test error"])
  }

  @Test func anOperatorPassesOnOneMoreForEachValueThatItKeeps() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    EveryOther([1, 2, 3].publisher).subscribe(recorder)
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "3", "finished"])
  }

  @Test func aSubscriberWithLimitedDemand() {
    let subscriber = IntSubscriber()
    (1...6).publisher.subscribe(subscriber)
    #expect(subscriber.received == [1, 2, 3, 4, 5])
    #expect(subscriber.completion == nil)
  }

  @Test func aSubjectOfTheUsersOwn() {
    let subject = ReplaySubject<Int, Never>(2)
    let early = RecordingSubscriber<Int, Never>()
    subject.eraseToAnyPublisher().subscribe(early)
    let upstream = (1...3).publisher.subscribe(subject)
    #expect(early.log == ["1", "2", "3", "finished"])
    #expect(log(of: subject) == ["2", "3", "finished"])
    upstream.cancel()
  }

  @Test func aConnectablePublisherOfTheUsersOwn() {
    let source = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    Relay(source).autoconnect().subscribe(recorder)
    source.send(1)
    recorder.cancel()
    source.send(2)
    #expect(recorder.log == ["1"])
  }
}
