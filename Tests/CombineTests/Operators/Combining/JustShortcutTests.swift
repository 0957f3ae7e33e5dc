import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// `flatMap` and `switchToLatest` deliver the value of a `Just` without subscribing to it where they may: nobody is to
/// see a difference.
@Suite struct JustShortcutTests {
  private struct Outcome: Equatable {
    var log: [String]
    var requested: Subscribers.Demand
    var cancellations: Int
  }

  /// What comes of values, requests, nested sends and an end that all follow from a number.
  private func outcome<Failure: Error, P: Publisher>(
    _ seed: UInt64, _ make: (TestPublisher<Int, Failure>) -> P
  ) -> Outcome where P.Output == Int {
    var random = Random(seed)
    let source = TestPublisher<Int, Failure>(keepsSubscribers: true)
    let initial: Subscribers.Demand = [.none, .max(1), .max(5), .unlimited][Int.random(in: 0..<4, using: &random)]
    let recorder = RecordingSubscriber<Int, P.Failure>(
      initialDemand: initial, demandForEach: { .max($0 % 3 == 0 ? 1 : 0) })
    recorder.onValue = { [unowned recorder, unowned source] value in
      if value % 7 == 0, value < 1_000 { source.send(value + 1_000) }
      if value % 5 == 0 { recorder.request(.max(1)) }
      if value == 38 { recorder.cancel() }
    }
    make(source).subscribe(recorder)
    for value in 1...40 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        recorder.request(.max(Int.random(in: 1...3, using: &random)))
      } else {
        source.send(value)
      }
    }
    if Bool.random(using: &random) { source.send(completion: .finished) } else { recorder.cancel() }
    recorder.request(.max(3))
    recorder.request(.unlimited)
    return Outcome(log: recorder.log, requested: source.requested, cancellations: source.cancellations.count)
  }

  @Test(arguments: [.unlimited, .max(1), .max(3)] as [Subscribers.Demand])
  func flatMapDeliversAsThroughASubscription(limit: Subscribers.Demand) {
    for seed in 0..<300 as Range<UInt64> {
      let just = outcome(seed) { (source: TestPublisher<Int, Never>) in
        source.flatMap(maxPublishers: limit) { Just($0) }
      }
      let erased = outcome(seed) { (source: TestPublisher<Int, Never>) in
        source.flatMap(maxPublishers: limit) { Just($0).eraseToAnyPublisher() }
      }
      #expect(just == erased, "seed \(seed)")

      let failing = outcome(seed) { (source: TestPublisher<Int, TestError>) in
        source.flatMap(maxPublishers: limit) { Just($0) }
      }
      #expect(failing == erased, "seed \(seed)")
    }
  }

  @Test func endFromInsideAValueComesAfterIt() {
    func order<P: Publisher<Int, Never>>(_ make: (PassthroughSubject<Int, Never>) -> P) -> [String] {
      let subject = PassthroughSubject<Int, Never>()
      var order: [String] = []
      let cancellable = make(subject).sink { _ in
        order.append("finished")
      } receiveValue: { value in
        subject.send(completion: .finished)
        order.append("end of \(value)")
      }
      subject.send(1)
      return withExtendedLifetime(cancellable) { order }
    }
    let expected = ["end of 1", "finished"]
    #expect(order { $0.flatMap { Just($0) } } == expected)
    #expect(order { $0.flatMap { Just($0).eraseToAnyPublisher() } } == expected)
    #expect(order { $0.map { Just($0) }.switchToLatest() } == expected)
    #expect(order { $0.map { Just($0).eraseToAnyPublisher() }.switchToLatest() } == expected)
  }

  @Test func switchToLatestDeliversAsThroughASubscription() {
    for seed in 0..<300 as Range<UInt64> {
      let just = outcome(seed) { (source: TestPublisher<Int, Never>) in source.map { Just($0) }.switchToLatest() }
      let erased = outcome(seed) { (source: TestPublisher<Int, Never>) in
        source.map { Just($0).eraseToAnyPublisher() }.switchToLatest()
      }
      #expect(just == erased, "seed \(seed)")
    }
  }

  @Test func aJustTakesThePlaceOfAPublisherThatStillWaits() {
    let source = PassthroughSubject<Just<Int>, Never>()
    let recorder = source.switchToLatest().recorded(demand: .none)
    source.send(Just(1))
    source.send(Just(2))
    recorder.request(.max(1))
    #expect(recorder.log == ["2"])
    source.send(Just(3))
    source.send(completion: .finished)
    #expect(recorder.log == ["2"])
    recorder.request(.max(1))
    #expect(recorder.log == ["2", "3", "finished"])
  }

  @Test func valueThatASubjectOwesComesWhenTheOneBeforeHasGone() {
    let subject = CurrentValueSubject<Int, Never>(0)
    var seen: [Int] = []
    let cancellable = subject.flatMap(maxPublishers: .max(1)) { Just($0 + 1) }
      .sink { value in
        seen.append(value)
        if value < 5 { subject.send(value) }
      }
    #expect(seen == [1, 2, 3, 4, 5])
    withExtendedLifetime(cancellable) {}
  }
}
