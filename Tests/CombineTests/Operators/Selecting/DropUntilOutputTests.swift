import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct DropUntilOutputTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Other = TestPublisher<Void, TestError>

  // MARK: Values

  @Test func valuesPassAfterTheSignal() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.drop(untilOutputFrom: other) }
    source.send(1)
    source.send(2)
    #expect(other.send(()) == .none)
    #expect(other.cancellations.count == 1)
    source.send(3)
    other.send(())
    other.send(completion: .finished)
    source.send(4)
    source.send(completion: .finished)
    #expect(recorder.log == ["3", "4", "finished"])
    #expect(source.cancellations.isEmpty)
  }

  @Test func signalBeforeTheSubscriptionLetsEverythingThrough() {
    let recorder = [1, 2].publisher.drop(untilOutputFrom: Just(())).recorded()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(recorder.subscriptionNames == ["DropUntilOutput"])
  }

  @Test func completionWithoutASignalEndsTheStream() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError("other"))] {
      let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
      let recorder = source.recorded(demand: .none) { $0.drop(untilOutputFrom: other) }
      source.send(1)
      other.send(completion: completion)
      source.send(2)
      source.send(completion: .finished)
      #expect(recorder.log == [completion == .finished ? "finished" : "other"])
      #expect(source.cancellations.count == 1)
    }
  }

  @Test func completionWithoutASignalBeforeTheSubscriptionComesAtOnce() {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = source.recorded { $0.drop(untilOutputFrom: Empty<Int, TestError>()) }
    #expect(recorder.subscriptions.count == 1)
    #expect(recorder.log == ["finished"])
    source.subscription?.sendSubscription()
    #expect(recorder.subscriptions.count == 1)
    #expect(source.cancellations.count == 1)
    #expect(source.requests.isEmpty)
  }

  @Test func subscriptionIsSentBeforeAnythingIsSubscribedTo() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2))
    recorder.onSubscription = { _ in #expect(source.subscriptions.isEmpty && other.subscriptions.isEmpty) }
    other.onRequest = { _ in
      #expect(recorder.subscriptions.count == 1)
      #expect(source.subscriptions.isEmpty)
      recorder.request(.max(3))
    }
    source.drop(untilOutputFrom: other).subscribe(recorder)
    #expect(source.requests == [.max(5)])
    recorder.request(.none)
    #expect(source.requests == [.max(5)])
  }

  @Test func signalsBeforeTheirSubscriptionCount() {
    let (source, other) = (
      Source(keepsSubscribers: true, sendsSubscriptions: false),
      Other(keepsSubscribers: true, sendsSubscriptions: false)
    )
    let recorder = source.recorded(demand: .max(3)) { $0.drop(untilOutputFrom: other) }
    source.send(1)
    other.send(())
    source.send(2)
    #expect(recorder.log == ["2"])
    other.subscription?.sendSubscription()
    #expect(other.cancellations.count == 1)
    source.subscription?.sendSubscription()
    #expect(source.requests == [.max(2)])

    let ending = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let signal = Just(()).setFailureType(to: TestError.self)
    let unasked = ending.recorded(demand: .none) { $0.drop(untilOutputFrom: signal) }
    ending.send(1)
    ending.send(completion: .finished)
    #expect(unasked.log == ["finished"])
    ending.subscription?.sendSubscription()
    #expect(ending.cancellations.count == 1)
  }

  @Test func completionOfTheOtherBeforeItsSubscriptionEndsTheStream() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true, sendsSubscriptions: false))
    let recorder = source.recorded { $0.drop(untilOutputFrom: other) }
    other.send(completion: .finished)
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func completionReleasesTheSignalsPublisher() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.drop(untilOutputFrom: other) }
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    #expect(other.cancellations.count == 1)
  }

  // MARK: Demand

  @Test func valuesLeftOutAreAskedForAgainWithTheSignal() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandForEach: { .max($0) })
    source.drop(untilOutputFrom: other).subscribe(recorder)
    #expect(other.requests == [.max(1)])
    #expect(source.requests == [.max(3)])
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    other.send(())
    #expect(source.requests == [.max(3), .max(2)])
    #expect(source.send(5) == .max(5))
    #expect(recorder.log == ["5"])
  }

  @Test func subscriberOfASubjectGetsWhatItAskedFor() {
    let subject = PassthroughSubject<Int, TestError>()
    let other = Other(keepsSubscribers: true)
    let recorder = subject.drop(untilOutputFrom: other).recorded(demand: .max(1))
    for value in 1...3 { subject.send(value) }
    other.send(())
    subject.send(4)
    subject.send(5)
    #expect(recorder.log == ["4"])
  }

  // MARK: Reentrancy and cancellation

  @Test func cancellationCancelsBoth() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.drop(untilOutputFrom: other) }
    recorder.cancel()
    #expect(source.cancellations.count == 1)
    #expect(other.cancellations.count == 1)
    other.send(completion: .finished)
    #expect(recorder.log.isEmpty)
  }

  @Test func cancellationInsideTheSubscriptionCancelsBoth() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    source.drop(untilOutputFrom: other).subscribe(recorder)
    #expect(source.cancellations.count == 1)
    #expect(other.cancellations.count == 1)
    other.send(completion: .finished)
    #expect(recorder.log.isEmpty)
  }

  @Test func otherSubscriptionThatComesAfterCancellationIsCancelled() {
    let source = Source(keepsSubscribers: true)
    let other = Other(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = source.recorded { $0.drop(untilOutputFrom: other) }
    recorder.cancel()
    other.subscription?.sendSubscription()
    #expect(other.cancellations.count == 1)
    #expect(other.requests.isEmpty)
  }

  @Test func secondSubscriptionOfTheOtherPublisherIsCancelled() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.drop(untilOutputFrom: other) }
    other.subscription?.sendSubscription()
    #expect(other.cancellations.count == 1)
    other.send(())
    source.send(1)
    #expect(recorder.log == ["1"])
  }

  // MARK: Threads

  @Test func noDemandIsLostWhenSignalAndValuesMeet() {
    for _ in 0..<200 {
      let source = Source(keepsSubscribers: true)
      let other = Other(keepsSubscribers: true)
      let recorder = source.recorded(demand: .max(1000)) { $0.drop(untilOutputFrom: other) }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for value in 0..<200 { source.send(value) }
        } else {
          other.send(())
        }
      }
      let dropped = 200 - recorder.values.count
      #expect(source.requested == .max(1000 + dropped))
      #expect(recorder.values == Array(dropped..<200))
    }
  }

  @Test func keepsTheRules() {
    expectOperatorRules("DropUntilOutput", earlyValue: .passes) { upstream, token in
      upstream.drop(
        untilOutputFrom: Just(1).setFailureType(to: TestError.self).filter { _ in
          token.touch()
          return true
        })
    }
  }
}
