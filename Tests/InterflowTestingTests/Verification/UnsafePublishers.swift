import Foundation
import InterflowTestSupport
import InterflowTesting

/// A publisher as textbooks have it: a class with a plain variable, a loop in `request`, and no lock.
struct TextbookCountdown: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let start: Int
  /// Whether a request after the cancellation does nothing.
  var hasFlag = false

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Inner(subscriber, start, hasFlag))
  }

  private final class Inner<Downstream: Subscriber>: Subscription where Downstream.Input == Int {
    private var downstream: Downstream?
    private var remaining: Int
    private let hasFlag: Bool
    private var isCancelled = false

    init(_ downstream: Downstream, _ remaining: Int, _ hasFlag: Bool) {
      self.downstream = downstream
      self.remaining = remaining
      self.hasFlag = hasFlag
    }

    func request(_ demand: Subscribers.Demand) {
      if isCancelled { return }
      var demand = demand
      while demand > 0, remaining > 0, let downstream {
        demand -= 1
        remaining -= 1
        demand += downstream.receive(remaining)
      }
      if remaining == 0 { downstream?.receive(completion: .finished) }
    }

    func cancel() {
      isCancelled = hasFlag
      downstream = nil
    }
  }
}

/// A subject with an array as its buffer, and no lock.
final class UnlockedBuffer: Publisher, @unchecked Sendable {  // Nothing does, which is to be found.
  typealias Output = Int
  typealias Failure = Never

  private var inners: [Inner] = []

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    let inner = Inner(AnySubscriber(subscriber))
    inners.append(inner)
    subscriber.receive(subscription: inner)
  }

  func send(_ value: Int) { for inner in inners { inner.add(value) } }

  func finish() { for inner in inners { inner.finish() } }

  private final class Inner: Subscription {
    private var downstream: AnySubscriber<Int, Never>?
    private var buffer: [Int] = []
    private var demand = Subscribers.Demand.none
    private var isFinished = false

    init(_ downstream: AnySubscriber<Int, Never>) { self.downstream = downstream }

    func add(_ value: Int) {
      buffer.append(value)
      drain()
    }

    func finish() {
      isFinished = true
      drain()
    }

    func request(_ demand: Subscribers.Demand) {
      self.demand += demand
      drain()
    }

    private func drain() {
      while demand > 0, !buffer.isEmpty, let downstream {
        demand -= 1
        let value = buffer.removeFirst()
        demand += downstream.receive(value)
      }
      if isFinished, buffer.isEmpty, let downstream {
        self.downstream = nil
        downstream.receive(completion: .finished)
      }
    }

    func cancel() {
      downstream = nil
      buffer = []
    }
  }
}

/// A publisher that holds a lock while it calls its subscriber.
struct LockedCountdown: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let start: Int

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Inner(subscriber, start))
  }

  private final class Inner<Downstream: Subscriber>: Subscription where Downstream.Input == Int {
    private let lock = NSLock()
    private var downstream: Downstream?
    private var remaining: Int

    init(_ downstream: Downstream, _ remaining: Int) {
      self.downstream = downstream
      self.remaining = remaining
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock {
        var demand = demand
        while demand > 0, remaining > 0, let downstream {
          demand -= 1
          remaining -= 1
          demand += downstream.receive(remaining)
        }
        guard remaining == 0, let downstream else { return }
        self.downstream = nil
        downstream.receive(completion: .finished)
      }
    }

    func cancel() { lock.withLock { downstream = nil } }
  }
}

/// A publisher that does not answer, or in which a call does not return.
struct SilentPublisher: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never

  enum Fault: CaseIterable {
    case deliversNothing
    case sendsNoSubscription
    case requestDoesNotReturn
    case cancelDoesNotReturn
  }

  let count: Int
  let fault: Fault

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    if fault == .sendsNoSubscription { return }
    (0..<count).publisher.subscribe(Relay(subscriber, fault))
  }

  private final class Relay<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Int, Downstream.Failure == Never {
    private let downstream: Downstream
    private let fault: Fault
    private var upstream: (any Subscription)?

    init(_ downstream: Downstream, _ fault: Fault) {
      self.downstream = downstream
      self.fault = fault
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream.receive(subscription: self)
    }

    func receive(_ input: Int) -> Subscribers.Demand { downstream.receive(input) }

    func receive(completion: Subscribers.Completion<Never>) { downstream.receive(completion: completion) }

    func request(_ demand: Subscribers.Demand) {
      if fault == .requestDoesNotReturn { DispatchSemaphore(value: 0).wait() }
      if fault != .deliversNothing { upstream?.request(demand) }
    }

    func cancel() {
      if fault == .cancelDoesNotReturn { DispatchSemaphore(value: 0).wait() }
      upstream?.cancel()
    }
  }
}

/// A publisher that serves each request with everything from the start, however much that is.
struct ForgetfulPublisher: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never

  enum Manner: CaseIterable {
    case inPlace
    /// On a new thread, which the request waits for.
    case elsewhere
    /// In place, and without end.
    case endlessly
  }

  let count: Int
  let manner: Manner

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Inner(subscriber, self))
  }

  private struct Inner<Downstream: Subscriber>: Subscription
  where Downstream.Input == Int, Downstream.Failure == Never {
    let combineIdentifier = CombineIdentifier()
    let downstream: Downstream
    let publisher: ForgetfulPublisher

    init(_ downstream: Downstream, _ publisher: ForgetfulPublisher) {
      self.downstream = downstream
      self.publisher = publisher
    }

    func request(_ demand: Subscribers.Demand) {
      if publisher.manner == .elsewhere { onAnotherThread(serve) } else { serve() }
    }

    private func serve() {
      repeat {
        for number in 0..<publisher.count { _ = downstream.receive(number) }
      } while publisher.manner == .endlessly
      downstream.receive(completion: .finished)
    }

    func cancel() {}
  }
}

/// A publisher that finishes if everything is requested at once, and otherwise begins again after its last value.
struct EndlessCountdown: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never
  let start: Int

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Inner(AnySubscriber(subscriber), start))
  }

  private final class Inner: Subscription {
    private let lock = NSLock()
    private let start: Int
    private var downstream: AnySubscriber<Int, Never>?
    private var pending = Subscribers.Demand.none
    private var isDelivering = false

    init(_ downstream: AnySubscriber<Int, Never>, _ start: Int) {
      self.downstream = downstream
      self.start = start
    }

    func request(_ demand: Subscribers.Demand) {
      lock.lock()
      defer { lock.unlock() }
      pending += demand
      if isDelivering { return }
      isDelivering = true
      var remaining = start
      while pending > 0, let downstream {
        if remaining == 0, pending == .unlimited {
          self.downstream = nil
          lock.unlock()
          downstream.receive(completion: .finished)
          lock.lock()
          break
        }
        pending -= 1
        remaining = remaining == 0 ? start - 1 : remaining - 1
        lock.unlock()
        let more = downstream.receive(remaining)
        lock.lock()
        pending += more
      }
      isDelivering = false
    }

    func cancel() { lock.withLock { downstream = nil } }
  }
}

/// A publisher that keeps its subscribers, also after they have cancelled.
final class StubbornPublisher: Publisher, @unchecked Sendable {  // `lock` guards `subscribers`.
  typealias Output = Int
  typealias Failure = Never
  private let values: Int
  private let lock = NSLock()
  private var subscribers: [AnySubscriber<Int, Never>] = []

  init(values: Int) { self.values = values }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    let subscriber = AnySubscriber(subscriber)
    lock.withLock { subscribers.append(subscriber) }
    subscriber.receive(subscription: Inner(downstream: subscriber, values: values))
  }

  func sendSubscriptionsAgain() {
    for subscriber in lock.withLock({ subscribers }) { subscriber.receive(subscription: Subscriptions.empty) }
  }

  private struct Inner: Subscription {
    let combineIdentifier = CombineIdentifier()
    let downstream: AnySubscriber<Int, Never>
    let values: Int

    func request(_ demand: Subscribers.Demand) { for number in 0..<values { _ = downstream.receive(number) } }

    func cancel() {}
  }
}

/// A publisher that delivers without end from tasks, one value at a time, also after a cancellation.
struct EndlessTasks: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never
  /// How many tasks deliver to each subscriber.
  let count: Int
  let delivered: Shared<Int>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Inner(AnySubscriber(subscriber), self))
  }

  // `lock` guards the calls of `downstream`.
  private final class Inner: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let downstream: AnySubscriber<Int, Never>
    private let publisher: EndlessTasks

    init(_ downstream: AnySubscriber<Int, Never>, _ publisher: EndlessTasks) {
      self.downstream = downstream
      self.publisher = publisher
    }

    func request(_ demand: Subscribers.Demand) {
      for _ in 0..<publisher.count {
        Task {
          while true {
            lock.withLock { _ = downstream.receive(0) }
            publisher.delivered.update { $0 += 1 }
            await Task.yield()
          }
        }
      }
    }

    func cancel() {}
  }
}

/// A publisher that completes again and again.
struct EndlessCompletion: Publisher {
  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Inner(downstream: AnySubscriber(subscriber)))
  }

  private struct Inner: Subscription {
    let combineIdentifier = CombineIdentifier()
    let downstream: AnySubscriber<Int, Never>

    func request(_ demand: Subscribers.Demand) { while true { downstream.receive(completion: .finished) } }

    func cancel() {}
  }
}

/// A publisher that keeps the thread that releases it, once it has had a subscriber.
final class WaitingInDeinit: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never
  private let hasServed = Shared(false)

  deinit {
    if hasServed.update({ $0 }) { DispatchSemaphore(value: 0).wait() }
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    hasServed.update { $0 = true }
    (0..<5).publisher.receive(subscriber: subscriber)
  }
}

/// A publisher that delivers to its first subscriber only.
final class ServesTheFirst: Publisher, Sendable {
  typealias Output = Int
  typealias Failure = Never
  private let count: Int
  private let hasServed = Shared(false)

  init(count: Int) { self.count = count }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    let isFirst = hasServed.update { hasServed in
      defer { hasServed = true }
      return !hasServed
    }
    if isFirst {
      (0..<count).publisher.receive(subscriber: subscriber)
    } else {
      Empty(completeImmediately: false).receive(subscriber: subscriber)
    }
  }
}
