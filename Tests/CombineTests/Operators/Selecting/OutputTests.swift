import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct OutputTests {
  private let letters = Publishers.SetFailureType<_, TestError>(upstream: ["a", "b", "c", "d"].publisher)

  // MARK: Values

  @Test func valuesInTheRangeAreDelivered() {
    #expect(letters.output(in: 1...2).recorded().log == ["b", "c", "finished"])
    #expect(letters.output(in: 1..<2).recorded().log == ["b", "finished"])
    #expect(letters.output(in: 2...).recorded().log == ["c", "d", "finished"])
    #expect(letters.output(in: ...1).recorded().log == ["a", "b", "finished"])
    #expect(letters.output(in: 3...9).recorded().log == ["d", "finished"])
    #expect(letters.output(in: 4...).recorded().log == ["finished"])
    #expect(letters.output(at: 2).recorded().log == ["c", "finished"])
    #expect(letters.prefix(3).recorded().log == ["a", "b", "c", "finished"])
    #expect(letters.prefix(9).recorded().log == ["a", "b", "c", "d", "finished"])
  }

  @Test func lastValueEndsTheStream() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.prefix(1).recorded()
    subject.send(1)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func failurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.prefix(2) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "test error"])
    #expect(source.cancellations.isEmpty)
  }

  @Test func emptyRangeFinishesWithoutDemand() {
    for range in [0..<0, 3..<3] {
      let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = source.recorded(demand: .none) { $0.output(in: range) }
      #expect(recorder.log == ["finished"])
      #expect(recorder.subscriptionNames == ["Empty"])
      #expect(source.cancellations.count == 1)
      #expect(source.requests.isEmpty)
      source.send(1)
      source.send(completion: .finished)
      source.subscription?.sendSubscription()
      #expect(recorder.log == ["finished"])
      #expect(recorder.subscriptionNames == ["Empty"])
      #expect(source.cancellations.count == 2)
    }
    #expect(letters.prefix(0).recorded().log == ["finished"])
  }

  @Test func publisherHoldsTheRange() {
    #expect(letters.prefix(3).range == 0..<3)
    #expect(letters.output(at: 3).range == 3..<4)
    #expect(letters.output(in: 2...).range == 2..<Int.max)
    #expect(letters.prefix(3) == letters.output(in: 0...2))
    #expect(letters.prefix(3) != letters.prefix(2))
  }

  // MARK: Demand

  @Test func lastValueStillHandsBackTheDemandItEarned() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { .max($0) })
    source.prefix(2).subscribe(recorder)
    #expect(source.requests == [.max(1)])
    #expect(source.send(5) == .max(5))
    #expect(source.cancellations.isEmpty)
    #expect(source.send(6) == .max(6))
    #expect(source.cancellations.count == 1)
    #expect(source.send(7) == .none)
    #expect(recorder.log == ["5", "6", "finished"])
    source.send(completion: .finished)
    #expect(recorder.completions == 1)
    #expect(source.cancellations.count == 1)
  }

  @Test func valueBeforeTheRangeIsReplaced() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.output(in: 2...3) }
    #expect(source.requests == [.max(1)])
    #expect(source.send(0) == .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    recorder.request(.max(3))
    #expect(source.requests == [.max(1), .max(1), .max(1), .max(3)])
    #expect(recorder.log == ["2"])
  }

  // MARK: Reentrancy

  @Test func valueSentFromInsideTheLastIsDropped() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.prefix(2) }
    recorder.onValue = { [unowned source] in source.send($0 + 1) }
    source.send(1)
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func cancellationInsideTheLastValueKeepsTheCompletionOut() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.prefix(1) }
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    source.send(1)
    #expect(recorder.log == ["1"])
    #expect(source.cancellations.count == 1)
  }

  @Test func subscriberMayGiveUpItsSubscriptionWithTheLastValue() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellables = Set<AnyCancellable>()
    var events: [String] = []
    let publisher = subject.prefix(1)
    publisher.sink(receiveCompletion: { events.append("\($0)") }, receiveValue: { events.append("\($0)") })
      .store(in: &cancellables)
    subject.send(1)
    cancellables.removeAll()
    #expect(events == ["1", "finished"])
  }

  // MARK: Misuse

  @Test func negativePositionsTrap() async {
    await #expect(processExitsWith: .failure) { _ = Empty<Int, Never>().prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = Empty<Int, Never>().output(at: -1) }
    await #expect(processExitsWith: .failure) { _ = Empty<Int, Never>().output(in: -1...2) }
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Output", earlyValue: .passes) { upstream, _ in upstream.prefix(2) }
    expectOperatorRules("Output", earlyValue: .byOperator) { upstream, _ in upstream.output(at: 1) }
    expectOperatorRules("Output", feed: [1, 2, 3, 4, 5], earlyValue: .byOperator) { upstream, _ in
      upstream.output(in: 1...)
    }
  }
}
