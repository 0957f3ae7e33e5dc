import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RetryWhenTests {
  private struct Other: Error {}

  private final class Tries {
    var count = 0
  }

  /// Fails so many times, and then delivers a value.
  private func failing(_ times: Int) -> (AnyPublisher<Int, TestError>, Tries) {
    let tries = Tries()
    let publisher = Deferred { () -> AnyPublisher<Int, TestError> in
      tries.count += 1
      return tries.count > times
        ? Just(5).setFailureType(to: TestError.self).eraseToAnyPublisher()
        : Fail(error: TestError("try \(tries.count)")).eraseToAnyPublisher()
    }
    return (publisher.eraseToAnyPublisher(), tries)
  }

  @Test func valueOfTheTriggerSubscribesAgain() {
    let (publisher, tries) = failing(2)
    let recorder = publisher.retryWhen { $0.map { _ in } }.recorded()
    #expect(recorder.log == ["5", "finished"])
    #expect(tries.count == 3)
  }

  @Test func subscriberThatCancelsAtOnceStartsNoAttempt() {
    let (publisher, tries) = failing(0)
    publisher.retryWhen { $0 }.subscribe(RecordingSubscriber(cancelsAfter: 0))
    #expect(tries.count == 0)
    publisher.prefix(while: { _ in true }, behavior: .inclusive).subscribe(RecordingSubscriber(cancelsAfter: 0))
    #expect(tries.count == 0)
  }

  @Test func triggerThatRequestsOneAtATimeGetsEveryFailure() {
    let (publisher, tries) = failing(3)
    let recorder = publisher.retryWhen { $0.concatMap { _ in Just(()) } }.recorded()
    #expect(recorder.log == ["5", "finished"])
    #expect(tries.count == 4)
  }

  @Test func completionOfTheTriggerIsTheEnd() {
    let (publisher, tries) = failing(9)
    let recorder = publisher.retryWhen { $0.prefix(1) }.recorded()
    #expect(recorder.log == ["finished"])
    #expect(tries.count == 2)
  }

  @Test func failureOfTheTriggerIsTheFailure() {
    let (publisher, tries) = failing(9)
    let same = publisher.retryWhen { $0.tryMap { _ in throw TestError("trigger") } }.recorded()
    let other = publisher.retryWhen { $0.tryMap { _ in throw Other() } }.recorded()
    #expect(same.log == ["trigger"])
    #expect(other.log == ["try 2"])
    #expect(tries.count == 2)
  }

  @Test func otherFailureOfTheTriggerBeforeAnyFailureIsTheEnd() {
    let (source, trigger) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Void, Other>(keepsSubscribers: true)
    )
    let recorder = source.retryWhen { _ in trigger }.recorded()
    trigger.send(completion: .failure(Other()))
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func upstreamThatFinishesEndsTheStream() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.retryWhen { $0.filter { _ in false } }.recorded()
    subject.send(2)
    subject.send(completion: .finished)
    #expect(recorder.log == ["2", "finished"])
  }

  @Test func unmetDemandIsRequestedFromTheNextTry() {
    let sources = (0..<2).map { _ in TestPublisher<Int, TestError>(keepsSubscribers: true) }
    var tries = 0
    let recorder = Deferred { () -> TestPublisher<Int, TestError> in
      defer { tries += 1 }
      return sources[tries]
    }
    .retryWhen { $0 }.recorded(demand: .max(3))
    sources[0].send(1)
    sources[0].send(completion: .failure(TestError()))
    #expect(sources[1].requests == [.max(2)])
    recorder.request(.max(1))
    #expect(sources[1].requests == [.max(2), .max(1)])
  }

  @Test func signalsOfAnEarlierTryAreDropped() {
    let sources = (0..<2).map { _ in TestPublisher<Int, TestError>(keepsSubscribers: true) }
    var tries = 0
    let recorder = Deferred { () -> TestPublisher<Int, TestError> in
      defer { tries += 1 }
      return sources[tries]
    }
    .retryWhen { $0 }.recorded(demand: .max(5))
    sources[0].send(1)
    sources[0].send(completion: .failure(TestError()))
    sources[0].send(2)
    sources[0].send(completion: .finished)
    sources[0].subscription?.sendSubscription()
    #expect(sources[0].cancellations.count == 1)
    #expect(sources[1].cancellations.isEmpty)
    sources[1].send(3)
    sources[1].send(completion: .finished)
    #expect(recorder.log == ["1", "3", "finished"])
  }

  @Test func cancellationCancelsUpstreamAndTrigger() {
    let (source, trigger) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Void, Never>(keepsSubscribers: true)
    )
    let recorder = source.retryWhen { _ in trigger }.recorded()
    recorder.cancel()
    #expect(source.cancellations.count == 1)
    #expect(trigger.cancellations.count == 1)
    trigger.send(())
    #expect(source.subscriptions.count == 1)
  }

  @Test func manyImmediateRetriesDoNotGrowTheStack() {
    let (publisher, tries) = failing(100_000)
    #expect(publisher.retryWhen { $0 }.recorded().log == ["5", "finished"])
    #expect(tries.count == 100_001)
  }

  @Test func subscribingAgainMakesNoOtherSignalWait() {
    let (source, trigger) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Void, Never>(keepsSubscribers: true)
    )
    var hasReturned: [Bool] = []
    let recorder = Deferred { () -> TestPublisher<Int, TestError> in
      hasReturned.append(onOtherThread { trigger.send(()) })
      return source
    }
    .retryWhen { _ in trigger }.recorded()
    source.send(completion: .failure(TestError()))
    trigger.send(())
    source.send(1)
    #expect(hasReturned == [true, true])
    #expect(recorder.log == ["1"])
  }

  @Test func valueOfTheTriggerBeforeTheFailureIsIgnored() {
    let (source, trigger) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Void, Never>(keepsSubscribers: true)
    )
    var attempts = 0
    let recorder = Deferred { () -> TestPublisher<Int, TestError> in
      attempts += 1
      if attempts == 2 { trigger.send(()) }
      return source
    }
    .retryWhen { _ in trigger }.recorded()
    trigger.send(())
    #expect(attempts == 1)
    source.send(completion: .failure(TestError()))
    #expect(attempts == 1)
    trigger.send(())
    #expect(attempts == 2)
    source.send(completion: .failure(TestError()))
    #expect(attempts == 2)
    trigger.send(())
    #expect(attempts == 3)
    recorder.cancel()
  }

  @Test func failureDuringADeliveryIsFollowedByTheNextAttempt() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { if $0 == 1 { source.send(completion: .failure(TestError())) } }
    source.retryWhen { $0 }.subscribe(recorder)
    source.send(1)
    source.send(2)
    #expect(source.subscriptions.count == 2)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func followsTheRulesOfOperators() {
    expectOperatorRules("RetryWhen.Subscription<Int, TestError>", subscribesFirst: false) { upstream, token in
      upstream.retryWhen { errors in
        errors.tryMap { error -> Void in
          token.touch()
          throw error
        }
      }
    }
  }

  @Test func partOfAReplacedFailureMayEndTheStream() {
    // `@unchecked Sendable`: one thread uses it.
    struct Parts: Error, @unchecked Sendable {
      let first: ReportsRelease
      let second: ReportsRelease
    }
    let trigger = PassthroughSubject<Void, Other>()
    let attempts = PassthroughSubject<AnyPublisher<Int, Parts>, Never>()
    let publisher = Deferred { attempts.setFailureType(to: Parts.self).first().flatMap { $0 } }
    var failures: [[Int]] = []
    let cancellable = publisher.retryWhen { _ in trigger }
      .sink {
        if case .failure(let parts) = $0 { failures.append([parts.first.number, parts.second.number]) }
      } receiveValue: { _ in
      }
    let fail = { (first: ReportsRelease, second: ReportsRelease) in
      attempts.send(Fail(error: Parts(first: first, second: second)).eraseToAnyPublisher())
    }
    fail(ReportsRelease(1) { trigger.send(completion: .failure(Other())) }, ReportsRelease(1))
    trigger.send()
    fail(ReportsRelease(2), ReportsRelease(2))
    cancellable.cancel()
    #expect(failures == [[2, 2]])
  }
}
