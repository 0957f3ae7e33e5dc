import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct SwitchToLatestTests {
  private typealias Inner = TestPublisher<Int, TestError>
  private typealias Outer = TestPublisher<Inner, TestError>

  // MARK: Values

  @Test func followsTheLatestAndCancelsTheOneBefore() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded()
    #expect(outer.requests == [.unlimited])
    #expect(outer.send(first) == .none)
    #expect(first.requests == [.unlimited])
    #expect(first.send(1) == .none)
    outer.send(second)
    #expect(first.cancellations.count == 1)
    first.send(2)
    second.send(3)
    #expect(recorder.log == ["1", "3"])
    #expect(recorder.subscriptionNames == ["SwitchToLatest"])
    #expect((outer.cancellations + second.cancellations).isEmpty)
  }

  @Test func finishesWhenUpstreamAndTheLatestHave() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded()
    outer.send(inner)
    outer.send(completion: .finished)
    inner.send(1)
    #expect(recorder.log == ["1"])
    inner.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])

    let (otherOuter, otherInner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let other = otherOuter.switchToLatest().recorded(demand: .none)
    otherOuter.send(otherInner)
    otherInner.send(completion: .finished)
    #expect(other.log.isEmpty)
    otherOuter.send(completion: .finished)
    #expect(other.log == ["finished"])
    #expect([outer, otherOuter].map(\.cancellations.count) == [0, 0])
    #expect([inner, otherInner].map(\.cancellations.count) == [0, 0])
  }

  @Test func finishOfOneThatWasLeftMeansNothing() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded()
    outer.send(first)
    outer.send(second)
    outer.send(completion: .finished)
    first.send(completion: .finished)
    first.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    second.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func failureOfTheLatestCancelsUpstreamOnce() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded(demand: .none)
    outer.send(inner)
    inner.send(completion: .failure(TestError()))
    outer.send(Inner(keepsSubscribers: true))
    #expect(recorder.log == ["test error"])
    #expect(outer.cancellations.count == 1)
    #expect(inner.cancellations.isEmpty)
  }

  @Test func failureOfUpstreamCancelsTheLatestOnce() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded(demand: .none)
    outer.send(inner)
    outer.send(completion: .failure(TestError()))
    inner.send(1)
    #expect(recorder.log == ["test error"])
    #expect(outer.cancellations.isEmpty)
    #expect(inner.cancellations.count == 1)
  }

  @Test func overloadsBringTheFailuresTogether() {
    typealias MayFail = Result<Int, TestError>.Publisher
    let (inner, sure) = (MayFail(.success(1)), Just(2))
    let same = PassthroughSubject<MayFail, TestError>()
    let first: Publishers.SwitchToLatest<MayFail, PassthroughSubject<MayFail, TestError>> = same.switchToLatest()
    let recorder = first.recorded()
    same.send(inner)
    #expect(recorder.log == ["1"])

    #expect(Just(inner).switchToLatest().recorded().log == ["1", "finished"])
    let neither: Publishers.SwitchToLatest<Just<Int>, Just<Just<Int>>> = Just(sure).switchToLatest()
    #expect(neither.recorded().log == ["2", "finished"])
    let outerFails = Just(sure).setFailureType(to: TestError.self).switchToLatest().recorded()
    #expect(outerFails.log == ["2", "finished"])
    let failed = Fail<Just<Int>, TestError>(error: TestError()).switchToLatest().recorded()
    #expect(failed.log == ["test error"])
  }

  // MARK: Demand

  @Test func whatIsOutstandingIsAskedOfTheNext() {
    let (outer, first, second, third) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true),
      Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded(demand: .max(3))
    outer.send(first)
    #expect(first.requests == [.max(3)])
    first.send(1)
    outer.send(second)
    #expect(second.requests == [.max(2)])
    recorder.request(.max(4))
    #expect(second.requests == [.max(2), .max(4)])
    #expect(first.requests == [.max(3)])
    second.send(2)
    second.send(3)
    second.send(completion: .finished)
    recorder.request(.max(1))
    outer.send(third)
    #expect(third.requests == [.max(5)])
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func nothingIsAskedForWithoutDemand() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded(demand: .none)
    outer.send(inner)
    #expect(inner.requests.isEmpty)
    recorder.request(.max(1))
    #expect(inner.requests == [.max(1)])
  }

  @Test func demandThatAValueBringsBackIsReturned() {
    let (outer, inner, next) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(3) })
    outer.switchToLatest().subscribe(recorder)
    outer.send(inner)
    #expect(inner.send(1) == .max(3))
    #expect(inner.requests == [.max(1), .max(3)])
    recorder.request(.max(1))
    #expect(inner.requests == [.max(1), .max(3), .max(1)])
    outer.send(next)
    #expect(next.requests == [.max(4)])
    recorder.request(.unlimited)
    #expect(next.send(2) == .max(3))
    #expect(next.requests == [.max(4), .unlimited, .max(3)])
  }

  @Test func demandThatAWaitingValueBringsBackIsAskedOfTheLatest() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none, demandForEach: { _ in .max(3) })
    outer.switchToLatest().subscribe(recorder)
    outer.send(inner)
    #expect(inner.send(1) == .none)
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    #expect(inner.requests == [.max(3)])
  }

  @Test func demandOfAValueFromInsideIsCountedOnce() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    var returned: [Subscribers.Demand] = []
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    recorder.onValue = { if $0 == 1 { returned.append(inner.send(2)) } }
    outer.switchToLatest().subscribe(recorder)
    outer.send(inner)
    returned.append(inner.send(1))
    #expect(returned == [.max(2), .max(1)])
    #expect(inner.requests == [.max(2), .max(2), .max(1)])
  }

  @Test func switchFromInsideAValueCountsThatValue() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(2), demandForEach: { $0 == 1 ? .max(3) : .none })
    recorder.onValue = { if $0 == 1 { outer.send(second) } }
    outer.switchToLatest().subscribe(recorder)
    outer.send(first)
    #expect(first.send(1) == .none)
    #expect(second.requests == [.max(1), .max(3)])
    #expect(first.cancellations.count == 1)
  }

  @Test func switchFromInsideAValueThatARequestSetsFreeAsksOnce() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded(demand: .none)
    recorder.onValue = { if $0 == 1 { outer.send(second) } }
    outer.send(first)
    // Sent without demand, so it waits for the request.
    first.send(1)
    recorder.request(.max(3))
    #expect(recorder.log == ["1"])
    #expect(second.requested == .max(2))
  }

  @Test func valueThatWaitsIsNotAskedForAgain() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded(demand: .none)
    outer.send(inner)
    inner.send(1)
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    #expect(inner.requests.isEmpty)
  }

  @Test func concurrentRequestsAndSwitchesAskForNoMoreThanIsWanted() {
    for _ in 0..<500 {
      let (outer, first, second) = (
        Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
      )
      let recorder = outer.switchToLatest().recorded(demand: .max(1))
      outer.send(first)
      inParallel(2) { index in
        if index == 0 { recorder.request(.max(2)) } else { outer.send(second) }
      }
      #expect(second.requested == .max(3))
    }
  }

  @Test func synchronousPublishersFollowEachOther() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    (0..<100).publisher.map { [$0, $0].publisher }.switchToLatest().subscribe(recorder)
    #expect(recorder.values == (0..<100).flatMap { [$0, $0] })
    #expect(recorder.completions == 1)
  }

  // MARK: What comes from inside a value, and what is left behind

  @Test func nothingOfOneThatWasLeftIsDelivered() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded(demand: .none)
    outer.send(first)
    first.send(1)
    outer.send(second)
    recorder.request(.max(2))
    #expect(second.requests == [.max(2)])
    second.send(2)
    #expect(recorder.log == ["2"])
  }

  @Test func whatOneThatHasFinishedBroughtIsKept() {
    let (outer, first, second, third) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true),
      Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded(demand: .none)
    outer.send(first)
    first.send(1)
    first.send(completion: .finished)
    outer.send(second)
    second.send(2)
    second.send(3)
    outer.send(third)
    third.send(4)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "4"])
  }

  @Test func aValueFromInsideComesBeforeTheSwitch() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = RecordingSubscriber<Int, TestError>()
    var log: [String] = []
    first.onCancel = { log.append("cancelled") }
    recorder.onValue = {
      log.append("\($0)")
      guard $0 == 1 else { return }
      first.send(2)
      outer.send(second)
      first.send(3)
    }
    outer.switchToLatest().subscribe(recorder)
    outer.send(first)
    first.send(1)
    #expect(log == ["1", "2", "cancelled"])
  }

  // MARK: Cancellation, lifetime, misuse

  @Test func theSubscriberHasItsSubscriptionBeforeUpstreamIsSubscribedTo() {
    let outer = Outer(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onSubscription = { _ in #expect(outer.subscriptions.isEmpty) }
    outer.switchToLatest().subscribe(recorder)
    #expect(recorder.subscriptionNames == ["SwitchToLatest"])
    #expect(outer.subscriptions.count == 1)
    outer.send(completion: .finished)
    outer.send(completion: .failure(TestError()))
    #expect(recorder.log == ["finished"])
  }

  @Test func theLatestIsCancelledBeforeUpstream() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    var cancelled: [String] = []
    outer.onCancel = { cancelled.append("outer") }
    inner.onCancel = { cancelled.append("inner") }
    let recorder = outer.switchToLatest().recorded()
    outer.send(inner)
    recorder.cancel()
    #expect(cancelled == ["inner", "outer"])
  }

  @Test func cancellationReachesUpstreamAndTheLatestOnce() {
    let (outer, first, second) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded()
    outer.send(first)
    outer.send(second)
    recorder.cancel()
    recorder.cancel()
    second.send(1)
    outer.send(Inner(keepsSubscribers: true))
    #expect(recorder.log.isEmpty)
    #expect([first, second].map(\.cancellations.count) == [1, 1])
    #expect(outer.cancellations.count == 1)
  }

  @Test func cancelInsideTheSubscriptionAsksForNothing() {
    let outer = Outer(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    outer.switchToLatest().subscribe(recorder)
    let inner = Inner(keepsSubscribers: true)
    outer.send(inner)
    #expect(outer.requests.isEmpty)
    #expect(outer.cancellations.count == 1)
    #expect(inner.subscriptions.isEmpty)
  }

  @Test func cancelInsideAValueEndsAll() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded()
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    outer.send(inner)
    inner.send(1)
    inner.send(2)
    #expect(recorder.log == ["1"])
    #expect([outer.cancellations.count, inner.cancellations.count] == [1, 1])
  }

  @Test func publisherThatComesWhileTheOneBeforeIsCancelledWins() {
    let (outer, first, second, third) = (
      Outer(keepsSubscribers: true), Inner(keepsSubscribers: true), Inner(keepsSubscribers: true),
      Inner(keepsSubscribers: true)
    )
    let recorder = outer.switchToLatest().recorded()
    first.onCancel = { outer.send(third) }
    outer.send(first)
    outer.send(second)
    second.send(2)
    third.send(3)
    #expect(recorder.log == ["3"])
    #expect(third.cancellations.isEmpty)
    #expect(second.subscriptions.count == second.cancellations.count)
  }

  @Test(arguments: 0..<3) func everythingIsReleasedAfterTheEnd(_ end: Int) {
    typealias Tokens = TestPublisher<LifetimeCounter.Token, TestError>
    let counter = LifetimeCounter()
    let outer = TestPublisher<Tokens, TestError>(keepsSubscribers: true)
    let inner = Tokens(keepsSubscribers: true)
    let subscription = outer.switchToLatest().subscription(holding: counter.make(), demand: .none)
    outer.send(inner)
    inner.send(counter.make())
    #expect(counter.count == 2)
    switch end {
    case 0: subscription?.cancel()
    case 1: outer.send(completion: .failure(TestError()))
    default:
      outer.send(completion: .finished)
      inner.send(completion: .finished)
      subscription?.request(.max(1))
    }
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func secondSubscriptionsAreCancelled() {
    let (outer, inner) = (Outer(keepsSubscribers: true), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded()
    outer.subscription?.sendSubscription()
    #expect(outer.cancellations.count == 1)
    outer.send(inner)
    inner.subscription?.sendSubscription()
    #expect(inner.cancellations.count == 1)
    inner.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func publisherBeforeTheSubscriptionIsIgnored() {
    let (outer, inner) = (Outer(keepsSubscribers: true, sendsSubscriptions: false), Inner(keepsSubscribers: true))
    let recorder = outer.switchToLatest().recorded()
    outer.send(inner)
    #expect(inner.subscriptions.isEmpty)
    outer.subscription?.sendSubscription()
    outer.send(completion: .finished)
    outer.send(completion: .failure(TestError()))
    #expect(recorder.log == ["finished"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("SwitchToLatest", feed: [1]) { upstream, token in
      upstream.map { value in
        token.touch()
        return [value, value].publisher.setFailureType(to: TestError.self)
      }
      .switchToLatest()
    }
  }

  // MARK: Threads

  @Test func concurrentSwitchesKeepTheOrderOfEach() {
    for _ in 0..<20 {
      let outer = PassthroughSubject<PassthroughSubject<Numbered, Never>, Never>()
      let probe = SerialProbe<Numbered, Never>()
      outer.switchToLatest().subscribe(probe)
      let subjects = (0..<3).map { _ in PassthroughSubject<Numbered, Never>() }
      inParallel(4) { index in
        if index == 3 {
          for turn in 0..<200 { outer.send(subjects[turn % 3]) }
        } else {
          for number in 0..<500 { subjects[index].send(Numbered(sender: index, number: number)) }
        }
      }
      subjects[199 % 3].send(Numbered(sender: 9, number: 0))
      outer.send(completion: .finished)
      for subject in subjects { subject.send(completion: .finished) }
      #expect(probe.wait())
      #expect(probe.violations == 0)
      #expect(probe.completions == 1)
      #expect(probe.values.last == Numbered(sender: 9, number: 0))
      for sender in 0..<3 {
        let numbers = probe.values.filter { $0.sender == sender }.map(\.number)
        #expect(numbers == Array(Set(numbers)).sorted())
      }
    }
  }

  @Test func otherThreadMayCallDuringADelivery() {
    let outer = PassthroughSubject<PassthroughSubject<Int, TestError>, TestError>()
    let (first, second) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    let sent = Shared<Latch?>(nil)
    recorder.onValue = { [unowned recorder] value in
      if value == 1 {
        let returned = onOtherThread { recorder.request(.max(1)) }
        #expect(returned)
        sent.value = beginOnOtherThread {
          outer.send(second)
          second.send(2)
        }
      } else {
        #expect(onOtherThread { recorder.cancel() })
      }
    }
    outer.switchToLatest().subscribe(recorder)
    outer.send(first)
    first.send(1)
    sent.value?.wait()
    second.send(3)
    #expect(recorder.log == ["1", "2"])
  }
}
