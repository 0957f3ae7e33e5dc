import Combine
import Dispatch
import Foundation
import InterflowTesting
import Testing

/// What every operator keeps, whatever it does with the values: run for each with one line.
struct OperatorRules<P: Publisher> {
  typealias Source = TestPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<P.Output, P.Failure>

  /// What the subscription is called.
  let name: String
  /// Values that make the operator deliver at least one of its own, before its upstream finishes or when it does.
  let feed: [Int]
  let deliversValues: Bool
  let location: SourceLocation
  /// The operator. Its closures call `touch()` on the token, so that it lives as long as they do.
  let make: (AnyPublisher<Int, TestError>, LifetimeCounter.Token) -> P

  private let counter = LifetimeCounter()

  private func expect(_ condition: Bool, _ comment: Comment) {
    #expect(condition, comment, sourceLocation: location)
  }

  private func attach(_ source: Source, _ recorder: Downstream) {
    make(source.eraseToAnyPublisher(), counter.make()).subscribe(recorder)
  }

  private func run(_ source: Source, _ completion: Subscribers.Completion<TestError>? = nil) {
    for value in feed { source.send(value) }
    if let completion { source.send(completion: completion) }
  }

  // MARK: Signals

  func subscriptionIsNamed() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream(initialDemand: .none))
    attach(source, recorder)
    expect(recorder.subscriptionNames == [name], "the subscription should be \(name), is \(recorder.subscriptionNames)")
  }

  func failurePassesWithoutDemand() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream(initialDemand: .none))
    attach(source, recorder)
    source.send(completion: .failure(TestError("early")))
    expect(recorder.log == ["early"], "a failure should pass at once, got \(recorder.log)")
    source.releaseSubscribers()
  }

  func endIsOneCompletion() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream())
    attach(source, recorder)
    run(source, .finished)
    let log = recorder.log
    expect(recorder.isFinished && recorder.completions == 1, "should have finished, got \(log)")
    expect(recorder.values.isEmpty != deliversValues, "should have delivered, got \(log)")
    run(source, .finished)
    run(source, .failure(TestError()))
    expect(recorder.log == log, "nothing should follow the completion, got \(recorder.log)")
  }

  // MARK: Misuse

  func secondSubscriptionIsCancelled() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream())
    attach(source, recorder)
    source.subscription?.sendSubscription()
    expect(source.cancellations.count == 1, "the second subscription should be cancelled once")
    expect(recorder.subscriptions.count == 1, "the second subscription should not be seen")
    run(source, .finished)
    expect(recorder.isFinished, "the first subscription should live on")
    source.subscription?.sendSubscription()
    expect(recorder.subscriptions.count == 1, "a subscription after the completion should not be seen")
  }

  func valueBeforeSubscription(passes: Bool) {
    let (source, recorder) = (Source(keepsSubscribers: true, sendsSubscriptions: false), Downstream())
    attach(source, recorder)
    for value in feed { expect(source.send(value) == .none, "a value too early should earn nothing") }
    expect(recorder.log.isEmpty != passes, "a value too early should \(passes ? "pass" : "be dropped")")
    source.subscription?.sendSubscription()
    run(source, .finished)
    expect(recorder.isFinished, "the stream should run once there is a subscription")
  }

  // MARK: Cancellation and lifetime

  func cancelInsideSubscription(subscribesFirst: Bool) {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream(initialDemand: .none))
    recorder.onSubscription = { $0.cancel() }
    attach(source, recorder)
    // An operator that sends its own subscription first does not subscribe any more.
    expect(source.subscriptions.count == (subscribesFirst ? 1 : 0), "should subscribe only if that comes first")
    expect(source.cancellations.count == source.subscriptions.count, "should cancel upstream once")
    expect(source.requests.isEmpty, "nothing should be requested after cancellation")
    run(source, .finished)
    expect(recorder.log.isEmpty, "nothing should follow a cancellation, got \(recorder.log)")
  }

  func cancelInsideValue() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream())
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    attach(source, recorder)
    run(source, .finished)
    expect(recorder.values.count == 1, "one value should come, got \(recorder.log)")
    expect(recorder.completions == 0, "no completion should follow a cancellation")
    expect(source.cancellations.count <= 1, "should cancel upstream at most once")
  }

  func cancelTwice() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream())
    attach(source, recorder)
    recorder.cancel()
    recorder.cancel()
    recorder.request(.max(1))
    expect(source.cancellations.count == 1, "should cancel upstream once")
    let requests = source.requests.count
    recorder.request(.unlimited)
    expect(source.requests.count == requests, "a request after cancellation should go nowhere")
  }

  func everythingIsReleased(after end: (Source, any Subscription) -> Void) {
    let source = Source(keepsSubscribers: true)
    var subscription: (any Subscription)?
    func stream() {
      let downstreamToken = counter.make()
      let recorder = Downstream(demandForEach: { _ in
        downstreamToken.touch()
        return .none
      })
      attach(source, recorder)
      subscription = recorder.subscription
      recorder.releaseSubscriptions()
      if let subscription { end(source, subscription) }
      source.releaseSubscribers()
    }
    stream()
    expect(counter.count == 0, "closures and subscriber should be released, \(counter.count) are left")
    withExtendedLifetime(subscription) {}
  }

  // MARK: Locks

  func noLockIsHeldWhileCallingOut() {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream(initialDemand: .none))
    // Whoever calls out with a lock held keeps this request, from another thread, from coming back.
    let requestFromElsewhere = { [unowned recorder] (signal: String) in
      let isDone = DispatchSemaphore(value: 0)
      let subscription = UncheckedBox(recorder.subscription)  // A subscription may be used from any thread.
      Thread.detachNewThread {
        subscription.value?.request(.max(3))
        isDone.signal()
      }
      expect(isDone.wait(timeout: .now() + 120) == .success, "a lock is held during the \(signal)")
    }
    recorder.onSubscription = { _ in requestFromElsewhere("subscription") }
    recorder.onValue = { _ in requestFromElsewhere("value") }
    recorder.onCompletion = { _ in requestFromElsewhere("completion") }
    attach(source, recorder)
    run(source, .finished)
    expect(recorder.isFinished, "should have finished, got \(recorder.log)")
    source.releaseSubscribers()
  }

  // MARK: Demand

  /// What the operator makes of a synchronous source, in the hands of a recorder.
  private func stream(_ recorder: Downstream) {
    make(feed.publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(), counter.make()).subscribe(recorder)
  }

  func demandIsKept() {
    let free = Downstream()
    stream(free)

    let additive = Downstream(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    stream(additive)
    expect(additive.log == free.log, "demand for one after the other should get \(free.log), got \(additive.log)")

    let reentrant = Downstream(initialDemand: .max(1))
    reentrant.onValue = { [unowned reentrant] _ in reentrant.request(.max(1)) }
    stream(reentrant)
    expect(reentrant.log == free.log, "requests inside values should get \(free.log), got \(reentrant.log)")

    let slow = Downstream(initialDemand: .none)
    stream(slow)
    expect(slow.values.isEmpty, "nothing was asked for, got \(slow.log)")
    for requested in 1...(free.values.count + 1) where slow.completions == 0 {
      slow.request(.max(1))
      expect(slow.values.count <= requested, "\(requested) were asked for, got \(slow.log)")
    }
    expect(slow.log == free.log, "single requests should get \(free.log), got \(slow.log)")
  }
}

/// What an operator makes of a value that comes before its subscription.
package enum EarlyValue {
  case isIgnored
  case passes
  /// Exit tests see to it.
  case traps
  /// Tests of the operator see to it.
  case byOperator
}

/// Runs an operator through what all of them keep.
///
/// - Parameters:
///   - name: What its subscription is called.
///   - feed: Values that make it deliver at least one of its own.
///   - isGuarded: Whether it has a stage of its own, which keeps a misbehaving upstream out.
///   - earlyValue: What it makes of a value that comes before its subscription.
///   - subscribesFirst: Whether it subscribes to upstream before it sends its subscription.
package func expectOperatorRules<P: Publisher>(
  _ name: String, feed: [Int] = [1, 2, 3], deliversValues: Bool = true, isGuarded: Bool = true,
  earlyValue: EarlyValue = .isIgnored, subscribesFirst: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
  make: @escaping (AnyPublisher<Int, TestError>, LifetimeCounter.Token) -> P
) {
  let rules = OperatorRules(
    name: name, feed: feed, deliversValues: deliversValues, location: sourceLocation, make: make)
  rules.failurePassesWithoutDemand()
  rules.noLockIsHeldWhileCallingOut()
  rules.demandIsKept()
  rules.everythingIsReleased { source, _ in
    for value in feed { source.send(value) }
    source.send(completion: .finished)
  }
  rules.everythingIsReleased { source, _ in source.send(completion: .failure(TestError())) }
  rules.everythingIsReleased { _, subscription in subscription.cancel() }
  guard isGuarded else { return }
  rules.subscriptionIsNamed()
  rules.endIsOneCompletion()
  rules.secondSubscriptionIsCancelled()
  if earlyValue == .passes || earlyValue == .isIgnored { rules.valueBeforeSubscription(passes: earlyValue == .passes) }
  rules.cancelInsideSubscription(subscribesFirst: subscribesFirst)
  if deliversValues { rules.cancelInsideValue() }
  rules.cancelTwice()
}

extension Publisher {
  /// Subscribes a recorder.
  package func recorded(demand: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Output, Failure> {
    let recorder = RecordingSubscriber<Output, Failure>(initialDemand: demand)
    subscribe(recorder)
    return recorder
  }

  /// Subscribes somebody who holds a token, and whom nobody but the stream holds.
  package func subscription(
    holding token: LifetimeCounter.Token, demand: Subscribers.Demand = .unlimited
  ) -> (any Subscription)? {
    let recorder = RecordingSubscriber<Output, Failure>(
      initialDemand: demand,
      demandForEach: { _ in
        token.touch()
        return .none
      })
    subscribe(recorder)
    defer { recorder.releaseSubscriptions() }
    return recorder.subscription
  }
}

extension TestPublisher {
  /// Subscribes what a recorder makes of an operator over this, and gives out the recorder.
  package func recorded<P: Publisher>(
    demand: Subscribers.Demand = .unlimited, _ make: (TestPublisher) -> P
  ) -> RecordingSubscriber<P.Output, P.Failure> {
    make(self).recorded(demand: demand)
  }
}
