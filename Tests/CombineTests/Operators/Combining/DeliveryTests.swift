import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Combine

/// What an operator may rely on that is written with ``Delivery``.
@Suite("Delivery") struct DeliveryTests {
  private typealias Source = TestPublisher<Int, TestError>

  // MARK: Values

  @Test func aValueGoesWithTheLatestOfTheOther() {
    let (source, other) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = source.withLatest(from: other).map { "\($0)-\($1)" }.recorded()
    other.send(1)
    source.send(10)
    source.send(20)
    other.send(2)
    source.send(30)
    source.send(completion: .finished)
    #expect(recorder.log == ["10-1", "20-1", "30-2", "finished"])
    #expect(recorder.subscriptionNames == ["WithLatestFrom"])
    #expect(other.cancellations.count == 1)
  }

  @Test func aSampleIsTakenOnceAtEachTrigger() {
    let (source, trigger) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = source.sample(trigger).recorded()
    trigger.send(0)
    source.send(1)
    source.send(2)
    trigger.send(0)
    trigger.send(0)
    source.send(3)
    trigger.send(completion: .finished)
    #expect(recorder.log == ["2", "finished"])
    #expect(source.cancellations.count == 1)
  }

  // MARK: Demand

  @Test func demandGoesToTheInputsThatAreDemanded() {
    let (source, other) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = source.withLatest(from: other).recorded(demand: .max(2))
    recorder.request(.max(3))
    #expect(source.requests == [.max(2), .max(3)])
    #expect(other.requests == [.unlimited])
  }

  @Test func demandThatAValueCausesIsReturnedToItsPublisher() {
    let (source, other) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1)) { .max($0) }
    source.withLatest(from: other).map(\.0).subscribe(recorder)
    other.send(1)
    #expect(source.send(4) == .max(4))
    #expect(source.requests == [.max(1), .max(4)])
  }

  @Test func anotherValueIsRequestedForOneThatIsDropped() {
    let (source, other) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = source.withLatest(from: other).map(\.0).recorded(demand: .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(1))
    other.send(0)
    #expect(source.send(3) == .none)
    #expect(recorder.values == [3])
  }

  @Test func aMillionDroppedValuesDoNotGrowTheStack() {
    let other = Source(keepsSubscribers: true)
    let recorder = (0..<1_000_000).publisher.setFailureType(to: TestError.self).withLatest(from: other).map(\.0)
      .recorded(demand: .max(1))
    #expect(recorder.log == ["finished"])
  }

  @Test func aSampleWithoutDemandIsReplacedByTheNext() {
    let (source, trigger) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = source.sample(trigger).recorded(demand: .none)
    for value in 1...3 {
      source.send(value)
      trigger.send(0)
    }
    recorder.request(.max(1))
    #expect(recorder.values == [3])
    recorder.request(.max(1))
    #expect(recorder.values == [3])
  }

  // MARK: Reentrancy

  @Test func aLatestValueSentFromInsideADeliveryFollowsItOnce() {
    let (source, trigger) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { value in
      for next in 1...2 {
        source.send(value * 10 + next)
        trigger.send(0)
      }
      #expect(recorder.values.last == value)
    }
    source.sample(trigger).subscribe(recorder)
    source.send(1)
    trigger.send(0)
    #expect(recorder.values == [1, 12])
  }

  @Test func aLatestValueSentFromInsideADeliveryComesBeforeTheEnd() {
    let (source, trigger) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { value in
      guard value == 1 else { return }
      source.send(2)
      trigger.send(0)
      trigger.send(completion: .failure(TestError("end")))
    }
    source.sample(trigger).subscribe(recorder)
    source.send(1)
    trigger.send(0)
    #expect(recorder.log == ["1", "2", "end"])
  }

  // MARK: The end

  @Test func afterTheEndNoPublisherIsSubscribedTo() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.withLatest(from: Fail<Int, TestError>(error: TestError("early"))).map(\.0).recorded()
    #expect(source.subscriptions.isEmpty)
    #expect(recorder.log == ["early"])
  }

  @Test func theValuesAreReleasedAtTheEnd() {
    for isCancelled in [false, true] {
      let lifetime = LifetimeCounter()
      let (source, other) = (
        Source(keepsSubscribers: true), TestPublisher<LifetimeCounter.Token, TestError>(keepsSubscribers: true)
      )
      let recorder = source.withLatest(from: other).map(\.0).recorded()
      other.send(lifetime.make())
      source.send(1)
      #expect(lifetime.count == 1)
      if isCancelled { recorder.cancel() } else { source.send(completion: .finished) }
      #expect(lifetime.count == 0)
      #expect(other.cancellations.count == 1)
    }
  }

  // MARK: Rules

  @Test func withLatestFromKeepsTheRules() {
    expectOperatorRules("WithLatestFrom", isGuarded: false) { upstream, token in
      upstream.withLatest(from: [0].publisher.setFailureType(to: TestError.self)).map {
        token.touch()
        return $0.0
      }
    }
  }

  @Test func severalThreadsLoseNothing() {
    for _ in 0..<20 {
      let (source, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .unlimited)
      source.withLatest(from: other).map(\.0).subscribe(recorder)
      other.send(0)
      let (left, right) = (UncheckedBox(source), UncheckedBox(other))
      inParallel(4) { thread in
        for number in 0..<100 {
          if thread < 3 { left.value.send(thread * 1_000 + number) } else { right.value.send(number) }
        }
      }
      for thread in 0..<3 {
        #expect(recorder.values.filter { $0 / 1_000 == thread } == (0..<100).map { thread * 1_000 + $0 })
      }
    }
  }
}
