import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ShareTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func subscribersShareOneSubscription() {
    let source = Source(keepsSubscribers: true)
    let shared = source.share()
    let one = shared.recorded()
    source.send(1)
    let two = shared.recorded()
    source.send(2)
    source.send(completion: .failure(TestError()))
    #expect(source.subscriptions.count == 1)
    #expect(source.requests == [.unlimited])
    #expect(one.log == ["1", "2", "test error"])
    #expect(two.log == ["2", "test error"])
  }

  @Test func lastToLeaveCancelsAndTheNextSubscribesAgain() {
    let source = Source(keepsSubscribers: true)
    let shared = source.share()
    for round in 1...3 {
      let (one, two) = (shared.recorded(), shared.recorded())
      one.cancel()
      #expect(source.cancellations.count == round - 1)
      source.send(round)
      two.cancel()
      #expect(source.cancellations.count == round)
      #expect(source.subscriptions.count == round)
      #expect(two.log == ["\(round)"])
    }
  }

  @Test func subscriberAfterTheEndIsTold() {
    let source = Source(keepsSubscribers: true)
    let shared = source.share()
    _ = shared.recorded()
    source.send(completion: .finished)
    #expect(shared.recorded(demand: .none).log == ["finished"])
    #expect(source.subscriptions.count == 1)
  }

  @Test func synchronousPublisherRunsForTheFirstAlone() {
    let shared = [1, 2].publisher.share()
    #expect(shared.recorded().log == ["1", "2", "finished"])
    #expect(shared.recorded().log == ["finished"])
  }

  @Test func synchronousPublisherRunsOnceThoughItsSubscribersLeaveMeanwhile() {
    var runs = 0
    let shared = Deferred { () -> Just<Int> in
      runs += 1
      return Just(1)
    }.share()
    let first = shared.first().recorded()
    let second = shared.first().recorded()
    #expect(runs == 1)
    #expect(first.log == ["1", "finished"])
    #expect(second.log == ["finished"])
  }

  @Test func subscriptionIsNamedAlikeAfterTheEnd() throws {
    let recorder = Just(1).share().recorded()
    #expect(recorder.subscriptionNames == ["Multicast"])
    #expect("\(try #require(recorder.subscription))" == "Multicast")
  }

  @Test func oneWithoutDemandMissesWhatComes() {
    let source = Source(keepsSubscribers: true)
    let shared = source.share()
    let (free, bounded) = (shared.recorded(), shared.recorded(demand: .max(1)))
    for value in 1...3 { source.send(value) }
    bounded.request(.max(1))
    source.send(4)
    #expect(free.values == [1, 2, 3, 4])
    #expect(bounded.values == [1, 4])
  }

  @Test func prefixLeavesAndLetsGo() {
    let source = Source(keepsSubscribers: true)
    let shared = source.share()
    let recorder = shared.prefix(1).recorded()
    source.send(1)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func equalOnlyToItself() {
    let (one, two) = (Just(1).share(), Just(1).share())
    let same = one
    #expect(one == same)
    #expect(one != two)
  }

  /// A subscription in which each part holds the token.
  private func share(_ source: Source, _ token: LifetimeCounter.Token) -> AnyCancellable {
    source.map {
      token.touch()
      return $0
    }
    .share().sink { _ in
    } receiveValue: { _ in
      token.touch()
    }
  }

  @Test func everythingIsReleasedWhenTheLastLeaves() {
    let counter = LifetimeCounter()
    let source = Source(keepsSubscribers: true)
    let cancellable = share(source, counter.make())
    source.send(1)
    #expect(counter.count == 1)
    cancellable.cancel()
    source.releaseSubscribers()
    #expect(counter.count == 0)
  }

  @Test func everythingIsReleasedAfterTheEnd() {
    let counter = LifetimeCounter()
    let source = Source(keepsSubscribers: true)
    let cancellable = share(source, counter.make())
    source.send(completion: .finished)
    source.releaseSubscribers()
    #expect(counter.count == 0)
    withExtendedLifetime(cancellable) {}
  }

  @Test func concurrentSubscribersGetTheSameValuesInOrder() {
    for _ in 0..<20 {
      let subject = PassthroughSubject<Int, Never>()
      let shared = UncheckedBox(subject.share())
      let probes = (0..<3).map { _ in SerialProbe<Int, Never>() }
      inParallel(4) { index in
        if index == 3 {
          for number in 0..<300 { subject.send(number) }
        } else {
          shared.value.subscribe(probes[index])
        }
      }
      subject.send(-1)
      subject.send(completion: .finished)
      for probe in probes {
        #expect(probe.wait())
        #expect(probe.violations == 0)
        let values = probe.values
        #expect(values.last == -1)
        #expect(Array(values.dropLast()) == Array((301 - values.count)..<300))
      }
    }
  }

  @Test func otherThreadMayCallDuringADelivery() {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.share()
    let recorder = RecordingSubscriber<Int, Never>()
    let box = UncheckedBox(shared)
    let other = RecordingSubscriber<Int, Never>()
    recorder.onValue = { [unowned recorder] value in
      if value == 1 { #expect(onOtherThread { box.value.subscribe(other) }) }
      if value == 2 { #expect(onOtherThread { recorder.cancel() }) }
    }
    shared.subscribe(recorder)
    for value in 1...3 { source.send(value) }
    #expect(recorder.log == ["1", "2"])
    #expect(other.log == ["2", "3"])
  }
}
