import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct PrefixUntilOutputTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Other = TestPublisher<Void, Never>

  // MARK: Values

  @Test func valuesPassUntilTheSignal() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    source.send(1)
    source.send(2)
    #expect(other.send(()) == .none)
    #expect(recorder.log == ["1", "2", "finished"])
    source.send(3)
    source.send(completion: .finished)
    other.send(())
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(source.cancellations.count == 1)
    #expect(other.cancellations.count == 1)
  }

  @Test func completionWithoutASignalIsIgnored() {
    let source = Source(keepsSubscribers: true)
    let other = TestPublisher<Void, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    other.send(completion: .failure(TestError("other")))
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancellations.isEmpty)
  }

  @Test func completionReleasesTheSignalsPublisher() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    #expect(other.cancellations.count == 1)
    other.send(())
    #expect(recorder.log == ["test error"])
  }

  @Test func signalBeforeTheSubscriptionEndsTheStreamWithIt() {
    let recorder = [1, 2].publisher.prefix(untilOutputFrom: Just(())).recorded()
    #expect(recorder.log == ["finished"])
    #expect(recorder.subscriptionNames == ["PrefixUntilOutput"])

    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let late = source.recorded(demand: .none) { $0.prefix(untilOutputFrom: Just(())) }
    #expect(late.subscriptions.count == 1)
    #expect(late.log == ["finished"])
    source.subscription?.sendSubscription()
    #expect(late.subscriptions.count == 1)
    #expect(source.cancellations.count == 1)
  }

  @Test func cancellationInsideASubscriptionThatASignalBringsKeepsTheCompletionOut() {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    source.prefix(untilOutputFrom: Just(())).subscribe(recorder)
    source.subscription?.sendSubscription()
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.count == 1)
  }

  @Test func signalsOfTheOtherBeforeItsSubscriptionAreIgnored() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true, sendsSubscriptions: false))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    other.send(())
    other.send(completion: .finished)
    source.send(1)
    other.subscription?.sendSubscription()
    #expect(other.requests == [.max(1)])
    other.send(())
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func completionBeforeTheSubscriptionCancelsTheOther() {
    let (source, other) = (Source(keepsSubscribers: true, sendsSubscriptions: false), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    source.send(completion: .finished)
    #expect(other.cancellations.count == 1)
    #expect(recorder.signals.isEmpty)
    source.subscription?.sendSubscription()
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  // MARK: Demand

  @Test func demandPassesAndOneSignalIsAskedFor() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.prefix(untilOutputFrom: other).subscribe(recorder)
    #expect(other.requests == [.max(1)])
    #expect(source.requests == [.max(2)])
    #expect(source.send(3) == .max(3))
    recorder.request(.max(4))
    #expect(source.requests == [.max(2), .max(3), .max(4)])
  }

  // MARK: Reentrancy and cancellation

  @Test func signalFromInsideAValueEndsTheStreamAfterIt() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(demandForEach: { _ in .max(1) })
    source.prefix(untilOutputFrom: other).subscribe(recorder)
    recorder.onValue = { [unowned recorder] _ in
      other.send(())
      #expect(source.cancellations.count == 1)
      #expect(recorder.completions == 0)
      source.send(2)
    }
    source.send(1)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func cancellationAfterASignalInsideTheSameValueKeepsTheCompletionOut() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    recorder.onValue = { [unowned recorder] _ in
      other.send(())
      recorder.cancel()
    }
    source.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func completionInsideAValueIsNotFollowedByAnother() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    recorder.onValue = { _ in
      source.send(completion: .finished)
      other.send(())
    }
    source.send(1)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func cancellationCancelsBoth() {
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    let recorder = source.recorded { $0.prefix(untilOutputFrom: other) }
    recorder.cancel()
    #expect(source.cancellations.count == 1)
    #expect(other.cancellations.count == 1)
    other.send(())
    #expect(recorder.log.isEmpty)
  }

  @Test func bothAreReleasedAfterTheSignal() {
    let counter = LifetimeCounter()
    let (source, other) = (Source(keepsSubscribers: true), Other(keepsSubscribers: true))
    func stream() {
      let token = counter.make()
      let recorder = RecordingSubscriber<Int, TestError>(demandForEach: { _ in
        token.touch()
        return .none
      })
      source.prefix(untilOutputFrom: other).subscribe(recorder)
      other.send(())
      source.releaseSubscribers()
      other.releaseSubscribers()
    }
    stream()
    #expect(counter.count == 0)
  }

  // MARK: Threads

  @Test func signalFromAnotherThreadNeverMeetsAValueBeingDelivered() {
    for _ in 0..<200 {
      let values = PassthroughSubject<Int, Never>()
      let stop = PassthroughSubject<Int, Never>()
      let inside = Atomic(0)
      let clashes = Atomic(0)
      let ends = Atomic(0)
      let cancellable = values.prefix(untilOutputFrom: stop).sink { _ in
        if inside.load(ordering: .acquiring) != 0 { clashes.wrappingAdd(1, ordering: .relaxed) }
        ends.wrappingAdd(1, ordering: .relaxed)
      } receiveValue: { _ in
        inside.wrappingAdd(1, ordering: .acquiringAndReleasing)
        if ends.load(ordering: .relaxed) != 0 { clashes.wrappingAdd(1, ordering: .relaxed) }
        inside.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          for value in 0..<200 { values.send(value) }
        } else {
          stop.send(0)
        }
      }
      values.send(0)
      #expect(clashes.load(ordering: .relaxed) == 0)
      #expect(ends.load(ordering: .relaxed) == 1)
      cancellable.cancel()
    }
  }

  @Test func keepsTheRules() {
    expectOperatorRules("PrefixUntilOutput") { upstream, _ in
      upstream.prefix(untilOutputFrom: Other(keepsSubscribers: true))
    }
    expectOperatorRules("PrefixUntilOutput") { upstream, token in
      upstream.prefix(
        untilOutputFrom: Empty<Int, Never>().filter { _ in
          token.touch()
          return true
        })
    }
  }
}
