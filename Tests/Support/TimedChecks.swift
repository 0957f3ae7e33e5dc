import Combine
import Foundation
import InterflowTesting
import Testing

/// A value that tells whether somebody still holds it.
package final class Tracked: Sendable, CustomStringConvertible {
  package let number: Int
  private let token: LifetimeCounter.Token

  package init(_ number: Int, _ counter: LifetimeCounter) {
    self.number = number
    token = counter.make()
  }

  package var description: String { "\(number)" }
}

/// What every operator that delivers on a scheduler keeps.
struct TimedRules<P: Publisher> where P.Failure == TestError {
  typealias Source = TestPublisher<Tracked, TestError>
  typealias Downstream = RecordingSubscriber<P.Output, TestError>

  let name: String
  /// Whether a value brings one value, so that order and number can be compared.
  let passesEachValue: Bool
  /// Whether it keeps values that nobody has asked for.
  let holdsSurplus: Bool
  /// Whether it makes sense on a scheduler that runs jobs before their time.
  let bearsEarlyJobs: Bool
  let location: SourceLocation
  /// The operator, with times that are over before ten seconds are.
  let make: (AnyPublisher<Tracked, TestError>, VirtualScheduler, LifetimeCounter.Token) -> P

  private let counter = LifetimeCounter()

  private func expect(_ condition: Bool, _ comment: Comment) {
    #expect(condition, comment, sourceLocation: location)
  }

  private func attach(_ source: Source, _ scheduler: VirtualScheduler, _ recorder: Downstream) {
    make(source.eraseToAnyPublisher(), scheduler, counter.make()).subscribe(recorder)
    // For an operator that subscribes on the scheduler.
    scheduler.advance()
  }

  private func feed(_ source: Source, _ numbers: ClosedRange<Int> = 1...3) {
    for number in numbers { source.send(Tracked(number, counter)) }
  }

  // MARK: Signals

  func subscriptionIsNamed() {
    let (source, scheduler, recorder) = (
      Source(keepsSubscribers: true), VirtualScheduler(), Downstream(initialDemand: .none)
    )
    attach(source, scheduler, recorder)
    expect(recorder.subscriptionNames == [name], "the subscription should be \(name), is \(recorder.subscriptionNames)")
    expect(recorder.subscription.map { Mirror(reflecting: $0).children.count > 0 } ?? false, "should have a mirror")
  }

  func failureNeedsNoDemand() {
    let (source, scheduler, recorder) = (
      Source(keepsSubscribers: true), VirtualScheduler(), Downstream(initialDemand: .none)
    )
    attach(source, scheduler, recorder)
    source.send(completion: .failure(TestError("early")))
    scheduler.advance(by: 10)
    expect(recorder.log == ["early"], "a failure should need no demand, got \(recorder.log)")
  }

  func nothingArrivesOnAnotherThreadWhileTheSubscriptionIsHandedOver() {
    let (scheduler, recorder) = (VirtualScheduler(), Downstream(initialDemand: .none))
    recorder.onSubscription = { [unowned recorder] subscription in
      subscription.request(.unlimited)
      let log = recorder.log
      onOtherThread { scheduler.advance(by: 10) }
      expect(recorder.log == log, "nothing should come from another thread meanwhile, got \(recorder.log)")
    }
    let publisher = (1...2).map { Tracked($0, counter) }.publisher.setFailureType(to: TestError.self)
    make(publisher.eraseToAnyPublisher(), scheduler, counter.make()).subscribe(recorder)
    scheduler.advance(by: 10)
    expect(recorder.isFinished, "the rest should follow, got \(recorder.log)")
    if passesEachValue { expect(recorder.log == ["1", "2", "finished"], "all should come, got \(recorder.log)") }
  }

  func endIsOneCompletion() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let (source, scheduler, recorder) = (Source(keepsSubscribers: true), VirtualScheduler(), Downstream())
      attach(source, scheduler, recorder)
      feed(source)
      source.send(completion: completion)
      scheduler.advance(by: 10)
      let log = recorder.log
      expect(recorder.completions == 1, "should have ended once, got \(log)")
      feed(source)
      source.send(completion: .finished)
      source.send(completion: .failure(TestError()))
      scheduler.advance(by: 10)
      expect(recorder.log == log, "nothing should follow the completion, got \(recorder.log)")
      expect(scheduler.scheduled == 0, "nothing should stay scheduled, \(scheduler.scheduled) jobs do")
      expect(source.cancellations.isEmpty, "a stream that has ended should not be cancelled")
    }
  }

  // MARK: Misuse

  func secondSubscriptionChangesNothing() {
    let (source, scheduler, recorder) = (Source(keepsSubscribers: true), VirtualScheduler(), Downstream())
    attach(source, scheduler, recorder)
    let (requests, scheduled) = (source.requests, scheduler.scheduled)
    source.subscription?.sendSubscription()
    scheduler.advance()
    expect(source.cancellations.count == 1, "the second subscription should be cancelled once")
    expect(recorder.subscriptions.count == 1, "the second subscription should not be seen")
    expect(source.requests == requests, "nothing more should be asked for, got \(source.requests)")
    expect(scheduler.scheduled == scheduled, "nothing more should be scheduled, \(scheduler.scheduled) jobs are")
  }

  func signalsBeforeTheSubscriptionAreDropped() {
    let (source, scheduler, recorder) = (
      Source(keepsSubscribers: true, sendsSubscriptions: false), VirtualScheduler(), Downstream()
    )
    attach(source, scheduler, recorder)
    let before = counter.count
    feed(source)
    scheduler.advance(by: 10)
    expect(recorder.signals.isEmpty, "values too early should be dropped, got \(recorder.log)")
    expect(counter.count == before, "values too early should not be kept")
    source.subscription?.sendSubscription()
    source.send(completion: .finished)
    scheduler.advance(by: 10)
    expect(recorder.log == ["finished"], "the stream should run once there is a subscription, got \(recorder.log)")
  }

  // MARK: Cancellation and lifetime

  func cancelInsideSubscription() {
    let (source, scheduler, recorder) = (
      Source(keepsSubscribers: true), VirtualScheduler(), Downstream(initialDemand: .none)
    )
    recorder.onSubscription = { $0.cancel() }
    attach(source, scheduler, recorder)
    feed(source)
    source.send(completion: .finished)
    scheduler.advance(by: 10)
    expect(source.cancellations.count == 1, "should cancel upstream once, did \(source.cancellations.count) times")
    expect(source.requests.isEmpty, "nothing should be requested after cancellation")
    expect(recorder.log.isEmpty, "nothing should follow a cancellation, got \(recorder.log)")
    expect(scheduler.scheduled == 0, "nothing should stay scheduled, \(scheduler.scheduled) jobs do")
  }

  func cancelInsideValue() {
    let (source, scheduler, recorder) = (Source(keepsSubscribers: true), VirtualScheduler(), Downstream())
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    attach(source, scheduler, recorder)
    feed(source)
    scheduler.advance(by: 4)
    feed(source)
    source.send(completion: .finished)
    scheduler.advance(by: 10)
    expect(recorder.values.count == 1, "one value should come, got \(recorder.log)")
    expect(recorder.completions == 0, "no completion should follow a cancellation")
    expect(source.cancellations.count == 1, "should cancel upstream once, did \(source.cancellations.count) times")
  }

  /// Ends the stream at once with everything still scheduled: the scheduled jobs may keep nothing alive.
  func cancellationReleasesWhileJobsAreScheduled() {
    let (source, scheduler) = (Source(keepsSubscribers: true), VirtualScheduler())
    var subscription: (any Subscription)?
    func stream() {
      let downstreamToken = counter.make()
      let recorder = Downstream(demandForEach: { _ in
        downstreamToken.touch()
        return .none
      })
      attach(source, scheduler, recorder)
      feed(source)
      subscription = recorder.subscription
      recorder.releaseSubscriptions()
      subscription?.cancel()
      subscription?.cancel()
      subscription?.request(.max(1))
      expect(recorder.log.allSatisfy { $0 != "finished" }, "should not have ended")
    }
    let before = counter.count
    stream()
    source.releaseSubscribers()
    let scheduled = scheduler.scheduled
    expect(counter.count == before, "\(counter.count - before) objects are kept with \(scheduled) jobs scheduled")
    scheduler.advance(by: 10)
    expect(scheduler.scheduled == 0, "nothing should stay scheduled")
    expect(source.cancellations.count == 1, "should cancel upstream once, did \(source.cancellations.count) times")
    withExtendedLifetime(subscription) {}
  }

  func completionReleases() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let (source, scheduler) = (Source(keepsSubscribers: true), VirtualScheduler())
      let before = counter.count
      var subscription: (any Subscription)?
      func stream() {
        let downstreamToken = counter.make()
        // What the recorder has recorded goes with it.
        let recorder = Downstream(demandForEach: { _ in
          downstreamToken.touch()
          return .none
        })
        attach(source, scheduler, recorder)
        feed(source)
        source.send(completion: completion)
        source.releaseSubscribers()
        while recorder.completions == 0, scheduler.scheduled > 0 { scheduler.advance(by: .milliseconds(500)) }
        expect(recorder.completions == 1, "should have ended, got \(recorder.log)")
        subscription = recorder.subscription
        recorder.releaseSubscriptions()
      }
      stream()
      expect(counter.count == before, "\(counter.count - before) objects are kept after \(completion)")
      withExtendedLifetime(subscription) {}
    }
  }

  // MARK: Locks

  func noLockIsHeldWhileCallingOut() {
    let (source, scheduler, recorder) = (
      Source(keepsSubscribers: true), VirtualScheduler(), Downstream(initialDemand: .none)
    )
    let requested = Shared<Set<String>>([])
    // Whoever calls out with a lock held keeps this request, from another thread, from coming back.
    let requestFromElsewhere = { [unowned recorder] (call: String) in
      guard let subscription = recorder.subscription, requested.update({ $0.insert(call).inserted }) else { return }
      let box = UncheckedBox(subscription)
      let isFree = onOtherThread {
        box.value.request(.max(1))
        _ = Mirror(reflecting: box.value).children.count
      }
      expect(isFree, "a lock is held during \(call)")
    }
    recorder.onSubscription = { _ in requestFromElsewhere("the subscription") }
    recorder.onValue = { _ in requestFromElsewhere("a value") }
    recorder.onCompletion = { _ in requestFromElsewhere("the completion") }
    scheduler.onNow = { requestFromElsewhere("now") }
    scheduler.onSchedule = { requestFromElsewhere("schedule") }
    source.onRequest = { _ in requestFromElsewhere("a request") }
    attach(source, scheduler, recorder)
    recorder.request(.unlimited)
    feed(source)
    scheduler.advance(by: 4)
    requested.value = []
    feed(source)
    source.send(completion: .finished)
    scheduler.advance(by: 10)
    expect(recorder.isFinished, "should have finished, got \(recorder.log)")

    let (another, second) = (Source(keepsSubscribers: true), Downstream())
    another.onCancel = { [unowned second] in
      let box = UncheckedBox(second)
      expect(onOtherThread { box.value.request(.max(1)) }, "a lock is held during a cancellation")
    }
    attach(another, scheduler, second)
    second.cancel()
    scheduler.advance(by: 10)
    expect(another.cancellations.count == 1, "should have cancelled upstream")
  }

  // MARK: Schedulers of all kinds

  func orderIsKept(on scheduler: VirtualScheduler) {
    let (source, recorder) = (Source(keepsSubscribers: true), Downstream())
    attach(source, scheduler, recorder)
    scheduler.advance(by: 3)
    feed(source, 1...40)
    source.send(completion: .finished)
    scheduler.advance(by: 10)
    let expected = (1...40).map(String.init) + ["finished"]
    expect(recorder.log == expected, "values should not overtake each other, got \(recorder.log)")
  }

  func demandIsKept() {
    for order in [VirtualScheduler.Order.firstScheduled, .lastScheduled, .random(seed: 7)] {
      let (source, scheduler, recorder) = (
        Source(keepsSubscribers: true), VirtualScheduler(order: order), Downstream(initialDemand: .max(2))
      )
      attach(source, scheduler, recorder)
      expect(source.requests == [.max(2)], "two should be asked for, got \(source.requests)")
      feed(source, 1...2)
      scheduler.advance(by: 1)
      recorder.request(.max(3))
      recorder.request(.max(1))
      scheduler.advance()
      expect(source.requested == .max(6), "demand should pass through, got \(source.requests)")
      if holdsSurplus {
        feed(source, 3...9)
        scheduler.advance(by: 4)
        expect(recorder.values.count <= 6, "six were asked for, got \(recorder.log)")
      }

      let reentrant = Downstream(initialDemand: .max(1), demandForEach: { _ in .max(1) })
      let publisher = (0..<1000).map { Tracked($0, counter) }.publisher.setFailureType(to: TestError.self)
      make(publisher.eraseToAnyPublisher(), scheduler, counter.make()).subscribe(reentrant)
      while reentrant.completions == 0, scheduler.scheduled > 0 { scheduler.advance(by: 1) }
      expect(reentrant.values.count == 1000, "all should come one after the other, got \(reentrant.values.count)")
    }
  }
}

/// Runs an operator that keeps time through what all of them keep.
///
/// - Parameters:
///   - name: What its subscription is called.
///   - passesEachValue: Whether each value brings one value, and demand passes through.
///   - make: The operator, with times that are over before four seconds are.
package func expectTimedRules<P: Publisher>(
  _ name: String, passesEachValue: Bool = true, holdsSurplus: Bool = true, bearsEarlyJobs: Bool = true,
  sourceLocation: SourceLocation = #_sourceLocation,
  make: @escaping (AnyPublisher<Tracked, TestError>, VirtualScheduler, LifetimeCounter.Token) -> P
) where P.Failure == TestError {
  let rules = TimedRules(
    name: name, passesEachValue: passesEachValue, holdsSurplus: holdsSurplus, bearsEarlyJobs: bearsEarlyJobs,
    location: sourceLocation, make: make)
  rules.subscriptionIsNamed()
  rules.failureNeedsNoDemand()
  rules.nothingArrivesOnAnotherThreadWhileTheSubscriptionIsHandedOver()
  rules.endIsOneCompletion()
  rules.secondSubscriptionChangesNothing()
  rules.cancelInsideSubscription()
  rules.cancelInsideValue()
  rules.cancellationReleasesWhileJobsAreScheduled()
  rules.completionReleases()
  rules.noLockIsHeldWhileCallingOut()
  rules.signalsBeforeTheSubscriptionAreDropped()
  guard passesEachValue else { return }
  rules.demandIsKept()
  for seed in 0..<20 as Range<UInt64> { rules.orderIsKept(on: VirtualScheduler(order: .random(seed: seed))) }
  rules.orderIsKept(on: VirtualScheduler(order: .lastScheduled))
  rules.orderIsKept(on: VirtualScheduler(lateness: 2))
  if bearsEarlyJobs { rules.orderIsKept(on: VirtualScheduler(lateness: -5)) }
}

/// Lets several threads do something together in each of so many rounds, with a millisecond of virtual time after each.
package func inRounds(
  _ rounds: Int, producers: Int, _ scheduler: VirtualScheduler, _ body: @escaping @Sendable (Int, Int) -> Void
) {
  let barrier = RoundBarrier(producers)
  inParallel(producers) { producer in
    for round in 0..<rounds {
      body(round, producer)
      // The last to arrive moves the clock while the others wait.
      barrier.arriveAndWait { scheduler.advance(by: .milliseconds(1)) }
    }
  }
}

/// A barrier that threads pass again and again.
private final class RoundBarrier: @unchecked Sendable {  // `condition` guards `missing` and `round`.
  private let condition = NSCondition()
  private let count: Int
  private var missing: Int
  private var round = 0

  init(_ count: Int) {
    self.count = count
    missing = count
  }

  /// - Parameter last: What the last to arrive does before anybody passes.
  func arriveAndWait(_ last: () -> Void) {
    condition.lock()
    missing -= 1
    if missing == 0 {
      last()
      missing = count
      round += 1
      condition.broadcast()
    } else {
      let current = round
      while round == current { condition.wait() }
    }
    condition.unlock()
  }
}
