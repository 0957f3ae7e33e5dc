import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RetryTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func failureSubscribesAgain() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(2).recorded()
    source.send(1)
    source.send(completion: .failure(TestError("first")))
    #expect(source.subscriptions.count == 2)
    source.send(2)
    source.send(completion: .failure(TestError("second")))
    source.send(completion: .failure(TestError("third")))
    #expect(recorder.log == ["1", "2", "third"])
    #expect(source.subscriptions.count == 3)
    #expect(source.cancellations.isEmpty)
    #expect(recorder.subscriptionNames == ["Retry"])
  }

  @Test func finishEndsTheStream() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(5).recorded(demand: .none)
    source.send(completion: .finished)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["finished"])
    #expect(source.subscriptions.count == 1)
  }

  @Test func noRetriesLetTheFailurePass() {
    let recorder = Fail<Int, TestError>(error: TestError()).retry(0).recorded(demand: .none)
    #expect(recorder.log == ["test error"])
  }

  @Test func withoutANumberItTriesOn() {
    var attempts = 0
    let publisher = Deferred { () -> AnyPublisher<Int, TestError> in
      attempts += 1
      if attempts == 1000 { return Just(attempts).setFailureType(to: TestError.self).eraseToAnyPublisher() }
      return Fail(error: TestError()).eraseToAnyPublisher()
    }
    let recorder = Publishers.Retry(upstream: publisher, retries: nil).recorded()
    #expect(recorder.log == ["1000", "finished"])
  }

  @Test func publisherThatFailsAtOnceIsTriedInALoop() {
    var attempts = 0
    let recorder = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: TestError())
    }
    .retry(100_000).recorded()
    #expect(attempts == 100_001)
    #expect(recorder.log == ["test error"])
  }

  @Test func publisherThatFailsWhenAskedIsTriedInALoop() {
    let recorder = [1].publisher.tryMap { _ -> Int in throw TestError() }.retry(100_000).recorded()
    #expect(recorder.log == ["test error"])
  }

  @Test func publisherThatFailsAfterAValueIsTriedInALoop() {
    var attempts = 0
    let stack = StackGauge()
    let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    recorder.onValue = { _ in stack.measure() }
    (1...2).publisher.tryMap { value -> Int in
      if value == 2 {
        attempts += 1
        throw TestError()
      }
      return value
    }
    .retry(10_000).subscribe(recorder)
    #expect(attempts == 10_001)
    #expect(recorder.values.count == 10_001)
    #expect(recorder.completions == 1)
    #expect(stack.growth < 4096)
  }

  @Test func outstandingDemandGoesOver() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(3), demandForEach: { $0 == 1 ? .max(1) : .none })
    source.retry(3).subscribe(recorder)
    #expect(source.send(1) == .none)
    #expect(source.requests == [.max(3), .max(1)])
    source.send(completion: .failure(TestError()))
    #expect(source.requests == [.max(3), .max(1), .max(3)])
    source.send(2)
    recorder.request(.max(2))
    #expect(source.requests == [.max(3), .max(1), .max(3), .max(2)])
    source.send(completion: .failure(TestError()))
    #expect(source.requests == [.max(3), .max(1), .max(3), .max(2), .max(4)])
  }

  @Test func demandReturnedWhileSubscribingAgainGoesIntoTheRequestOfTheNext() {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandForEach: { _ in .max(2) })
    source.retry(1).subscribe(recorder)
    source.subscription?.sendSubscription()
    source.send(completion: .failure(TestError()))
    #expect(source.send(1) == .none)
    source.subscription?.sendSubscription()
    #expect(source.requests == [.max(3), .max(4)])
  }

  @Test func completionBeforeTheSubscriptionPasses() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError("finished"))] {
      let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
      let recorder = source.retry(0).recorded()
      source.send(completion: completion)
      #expect(recorder.log == ["finished"])
      source.subscription?.sendSubscription()
      #expect(source.cancellations.count == 1)
      #expect(recorder.subscriptions.isEmpty)
    }
  }

  @Test func failureBeforeTheSubscriptionIsTriedAgain() {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = source.retry(1).recorded()
    source.send(completion: .failure(TestError()))
    #expect(source.subscriptions.count == 2)
    source.subscription?.sendSubscription()
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.subscriptionNames == ["Retry"])
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func withoutDemandNothingIsAskedOfTheNext() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(1).recorded(demand: .max(1))
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(source.subscriptions.count == 2)
    #expect(source.requests == [.max(1)])
    recorder.request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
  }

  @Test func valueDuringWhichUpstreamFailsStillAddsItsDemand() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(2) })
    recorder.onValue = { if $0 == 1 { source.send(completion: .failure(TestError())) } }
    source.retry(1).subscribe(recorder)
    #expect(source.send(1) == .none)
    #expect(source.subscriptions.count == 2)
    #expect(source.requests == [.max(1), .max(2)])
  }

  @Test func cancellationReachesTheOneThatRuns() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(3).recorded()
    source.send(completion: .failure(TestError()))
    recorder.cancel()
    recorder.cancel()
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(source.cancellations.count == 1)
    #expect(source.subscriptions.count == 2)
    #expect(recorder.log.isEmpty)
  }

  @Test func cancelInsideAValueEndsTheTrying() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(3).recorded()
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(source.subscriptions.count == 1)
    #expect(source.cancellations.count == 1)
  }

  @Test func secondSubscriptionOfOneAttemptIsCancelled() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(1).recorded()
    source.subscription?.sendSubscription()
    #expect(source.cancellations.count == 1)
    source.send(completion: .failure(TestError()))
    source.subscription?.sendSubscription()
    #expect(source.cancellations.count == 2)
    source.send(1)
    source.send(completion: .finished)
    source.subscription?.sendSubscription()
    #expect(source.cancellations.count == 3)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func attemptThatHasFailedHasNoMoreToSay() throws {
    let source = Source(keepsSubscribers: true)
    let recorder = source.retry(5).recorded()
    let first = try #require(source.subscription)
    source.send(completion: .failure(TestError()))
    #expect(source.subscriptions.count == 2)
    first.send(completion: .failure(TestError()))
    #expect(first.send(1) == .none)
    first.send(completion: .finished)
    #expect(source.subscriptions.count == 2)
    #expect(recorder.log.isEmpty)
    source.subscription?.send(2)
    #expect(recorder.log == ["2"])
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func equatableWhereThePublisherIs() {
    let publisher = Fail<Int, TestError>(error: TestError())
    #expect(publisher.retry(1) == publisher.retry(1))
    #expect(publisher.retry(1) != publisher.retry(2))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Retry") { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }
      .retry(0)
    }
  }

  @Test func failureOnAnotherThreadWhileSubscribingIsTriedAgain() {
    // Each attempt hears of its failure from another thread while it is still subscribing.
    let failing = FailingFromElsewhere(failures: 100)
    let recorder = failing.retry(200).recorded()
    #expect(recorder.log == ["1", "finished"])
    #expect(failing.attempts.value == 101)
  }

  private struct FailingFromElsewhere: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let failures: Int
    let attempts = Shared(0)

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscriber.receive(subscription: Subscriptions.empty)
      let attempt = attempts.update {
        $0 += 1
        return $0
      }
      let box = UncheckedBox(AnySubscriber(subscriber))
      onOtherThread {
        if attempt <= failures {
          box.value.receive(completion: .failure(TestError()))
        } else {
          _ = box.value.receive(1)
          box.value.receive(completion: .finished)
        }
      }
    }
  }
}
