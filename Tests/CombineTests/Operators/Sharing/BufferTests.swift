import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Buffer")
struct BufferTests {
  typealias Prefetch = Publishers.PrefetchStrategy
  typealias WhenFull = Publishers.BufferingStrategy<TestError>

  @Suite("Values")
  struct Values {
    @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
    func valuesWithoutDemandWaitInOrder(prefetch: Publishers.PrefetchStrategy) {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(size: 4, prefetch: prefetch, whenFull: .dropNewest).subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Buffer"])
      for value in 1...3 { upstream.send(value) }
      #expect(recorder.values == [])
      recorder.request(.max(2))
      #expect(recorder.values == [1, 2])
      recorder.request(.unlimited)
      upstream.send(4)
      #expect(recorder.values == [1, 2, 3, 4])
    }

    @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
    func theNewestIsDroppedWhenFull(prefetch: Publishers.PrefetchStrategy) {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(size: 2, prefetch: prefetch, whenFull: .dropNewest).subscribe(recorder)
      for value in 1...4 { upstream.send(value) }
      recorder.request(.unlimited)
      upstream.send(5)
      #expect(recorder.values == [1, 2, 5])
    }

    @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
    func theOldestIsDroppedWhenFull(prefetch: Publishers.PrefetchStrategy) {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(size: 2, prefetch: prefetch, whenFull: .dropOldest).subscribe(recorder)
      for value in 1...4 { upstream.send(value) }
      recorder.request(.unlimited)
      upstream.send(5)
      #expect(recorder.values == [3, 4, 5])
    }

    @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
    func anErrorOfTheUsersEndsTheStreamAfterTheValuesThatWait(prefetch: Publishers.PrefetchStrategy) {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      var errors = 0
      upstream.buffer(
        size: 2, prefetch: prefetch,
        whenFull: .customError {
          errors += 1
          return TestError("full")
        }
      ).subscribe(recorder)
      for value in 1...4 { upstream.send(value) }
      #expect(errors == 1)
      #expect(upstream.cancellations.count == 1)
      #expect(recorder.log == [])
      recorder.request(.max(1))
      #expect(recorder.log == ["1"])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "2", "full"])
    }

    @Test func demandReturnedForAValueServesWhatWasSentInsideIt() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
      recorder.onValue = { if $0 == 1 { subject.send(2) } }
      subject.buffer(size: 8, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      subject.send(1)
      #expect(recorder.log == ["1", "2"])
      subject.send(3)
      #expect(recorder.log == ["1", "2", "3"])
    }

    @Test func theCompletionWaitsForTheValuesThatAreBufferedAndForDemand() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      upstream.send(1)
      upstream.send(2)
      upstream.send(completion: .finished)
      #expect(recorder.log == [])
      recorder.request(.max(2))
      #expect(recorder.log == ["1", "2"])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "2", "finished"])
    }

    @Test func aFailureWaitsOnlyForWhatHasBeenRequested() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
      upstream.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      recorder.onValue = { value in
        guard value == 1 else { return }
        for value in 2...4 { upstream.send(value) }
        recorder.request(.max(2))
        upstream.send(completion: .failure(TestError()))
      }
      upstream.send(1)
      #expect(recorder.log == ["1", "2", "3", "test error"])
    }

    @Test func anEmptyBufferPassesTheCompletionWithoutDemand() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      upstream.send(completion: .failure(TestError()))
      #expect(recorder.log == ["test error"])
    }

    @Test func aBufferWithoutRoomPassesWhatIsAskedFor() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
      upstream.buffer(size: 0, prefetch: .byRequest, whenFull: .dropOldest).subscribe(recorder)
      upstream.send(1)
      upstream.send(2)
      recorder.request(.max(1))
      upstream.send(3)
      #expect(recorder.values == [1, 3])
    }
  }

  @Suite("Demand")
  struct DemandTests {
    @Test func keepFullAsksForTheSizeAndForEachPlaceThatBecomesFree() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).subscribe(recorder)
      #expect(upstream.requests == [.max(3)])
      for value in 1...3 { #expect(upstream.send(value) == .none) }
      recorder.request(.max(2))
      #expect(recorder.values == [1, 2])
      #expect(upstream.requested == .max(5))
      upstream.send(4)
      upstream.send(5)
      recorder.request(.max(4))
      #expect(recorder.values == [1, 2, 3, 4, 5])
      #expect(upstream.requested == .max(8))
      // Delivered at once, so that its place is free again at once.
      #expect(upstream.send(6) == .max(1))
    }

    @Test func keepFullNeverHasMoreOutstandingThanItHolds() {
      for seed in 0..<50 {
        var random = Random(UInt64(seed))
        let size = Int.random(in: 1...5, using: &random)
        let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        upstream.buffer(size: size, prefetch: .keepFull, whenFull: .customError { TestError("overrun") })
          .subscribe(recorder)
        var sent = 0
        for _ in 0..<200 {
          let granted = upstream.requested
          if Bool.random(using: &random), granted > sent {
            upstream.send(sent)
            sent += 1
          } else {
            recorder.request(.max(Int.random(in: 1...3, using: &random)))
          }
          // What is waiting and what may still come fit into the buffer together, and fill it.
          #expect(upstream.requested - .max(recorder.values.count) == .max(size))
        }
        #expect(recorder.values == Array(0..<recorder.values.count))
        #expect(recorder.completions == 0)
      }
    }

    @Test func byRequestAsksForEverything() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      upstream.buffer(size: 3, prefetch: .byRequest, whenFull: .dropNewest)
        .subscribe(RecordingSubscriber<Int, TestError>(initialDemand: .none))
      #expect(upstream.requests == [.unlimited])
    }

    @Test func aSequenceIsReadOneAtATimeWithoutGrowingTheStack() {
      var count = 0
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      recorder.onValue = { _ in
        count += 1
        recorder.request(.max(1))
      }
      (0..<20_000).publisher.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest).subscribe(recorder)
      #expect(count == 20_000)
      #expect(recorder.isFinished)
    }

    @Test func aValueSentFromInsideADeliveryFollowsIt() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { if $0 < 5 { subject.send($0 + 1) } }
      subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      subject.send(1)
      #expect(recorder.values == [1, 2, 3, 4, 5])
    }
  }

  @Suite("Cancellation and lifetime")
  struct Lifetime {
    @Test(arguments: ["completion", "full", "cancellation", "cancellation while values wait"])
    func aSubscriptionThatIsKeptKeepsNothingElseAlive(ending: String) {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<LifetimeCounter.Token, TestError>()
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      do {
        let (first, second) = (lifetime.make(), lifetime.make())
        subject.buffer(
          size: 1, prefetch: .byRequest,
          whenFull: .customError {
            first.touch()
            return TestError("full")
          }
        ).map { _ in
          second.touch()
          return 1
        }.subscribe(recorder)
      }
      switch ending {
      case "completion":
        subject.send(completion: .finished)
        recorder.request(.max(1))
      case "full":
        subject.send(lifetime.make())
        subject.send(lifetime.make())
        recorder.request(.max(1))
      case "cancellation":
        recorder.cancel()
      default:
        subject.send(lifetime.make())
        recorder.cancel()
      }
      #expect(lifetime.count == 0)
      withExtendedLifetime((recorder.subscription, subject)) {}
    }

    @Test func theUsersErrorClosureMayCancel() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      upstream.buffer(
        size: 1, prefetch: .byRequest,
        whenFull: .customError {
          recorder.cancel()
          return TestError("full")
        }
      ).subscribe(recorder)
      upstream.send(1)
      upstream.send(2)
      #expect(recorder.log == [])
      #expect(upstream.cancellations.count == 1)
    }

    @Test func aSecondSubscriptionIsCancelled() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      upstream.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).subscribe(
        RecordingSubscriber<Int, TestError>())
      upstream.subscription?.sendSubscription()
      #expect(upstream.cancellations.count == 1)
    }

    @Test func upstreamIsAskedBeforeTheSubscriptionIsSent() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      recorder.onSubscription = { $0.cancel() }
      upstream.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest).subscribe(recorder)
      #expect(upstream.requests == [.max(1)])
      #expect(upstream.cancellations.count == 1)
    }

    @Test func aFailureThatComesBeforeTheSubscriptionIsSentDropsNothingThatIsRequestedWithIt() {
      let recorder = RecordingSubscriber<Int, TestError>()
      Record(output: [1, 2, 3, 4], completion: .failure(TestError()))
        .buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest)
        .buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest)
        .subscribe(recorder)
      #expect(recorder.log == ["1", "2", "3", "4", "test error"])
      let late = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
      Record(output: [1, 2], completion: .failure(TestError()))
        .buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest).subscribe(late)
      #expect(late.log == ["1", "test error"])
    }

    @Test func valuesThatAnswerTheRequestAtOnceFollowTheSubscription() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
      (1...4).publisher.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Buffer"])
      #expect(recorder.log == ["1", "2"])
      recorder.request(.max(3))
      #expect(recorder.log == ["1", "2", "3", "4", "finished"])
    }
  }

  @Test func requestsAndValuesOfSeveralThreadsLoseNothing() {
    for _ in 0..<50 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
      inParallel(3) { thread in
        for number in 0..<200 {
          if thread == 0 { subject.send(number) } else { recorder.request(.max(1)) }
        }
        if thread == 0 { subject.send(completion: .finished) }
      }
      #expect(recorder.values == Array(0..<200))
      #expect(recorder.isFinished)
    }
  }
}
