import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct DelayTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  @Test func everySignalComesItsTimeLater() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.delay(for: 2, scheduler: scheduler) }
    #expect(recorder.subscriptionNames == ["Delay"])
    source.send(1)
    scheduler.advance(by: 1)
    source.send(2)
    source.send(completion: .finished)
    scheduler.advance(by: .milliseconds(999))
    #expect(recorder.log.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.log == ["1"])
    scheduler.advance(by: 1)
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(scheduler.scheduled == 0)
  }

  @Test func eachSignalIsScheduledForItsTimeWhenItComes() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.delay(for: 2, scheduler: scheduler, options: "label") }
    source.send(1)
    scheduler.advance(by: 1)
    source.send(2)
    source.send(completion: .finished)
    #expect(scheduler.calls == [.after(2), .after(3), .after(3)])
    scheduler.run()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(scheduler.calls.count == 3)
    #expect(scheduler.options == ["label", "label", "label"])
  }

  @Test func workForTheSameTimeKeepsItsPlace() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.delay(for: 2, scheduler: scheduler) }
    var delivered: [Int] = []
    let end = scheduler.now.advanced(by: 2)
    for value in 1...3 {
      scheduler.schedule(after: end) { delivered.append(recorder.values.count) }
      source.send(value)
    }
    scheduler.run()
    #expect(delivered == [0, 1, 2])
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func branchesOnOneSchedulerTakeTurns() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.delay(for: 1, scheduler: scheduler).map { "a\($0)" }
      .merge(with: subject.delay(for: 1, scheduler: scheduler).map { "b\($0)" }).recorded()
    subject.send(1)
    subject.send(2)
    scheduler.run()
    #expect(recorder.values == ["a1", "b1", "a2", "b2"])
  }

  @Test func everySignalIsPassedOnWhateverWasAskedFor() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.delay(for: 1, scheduler: scheduler) }
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    scheduler.run()
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func failureIsDelayedToo() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.delay(for: 2, scheduler: scheduler) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    scheduler.advance(by: 1)
    #expect(recorder.log.isEmpty)
    scheduler.advance(by: 1)
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func toleranceAndOptionsReachTheScheduler() {
    let (source, other) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let exact = source.recorded { $0.delay(for: 2, scheduler: scheduler) }
    let tolerant = other.recorded { $0.delay(for: 2, tolerance: 1, scheduler: scheduler, options: "label") }
    source.send(1)
    other.send(2)
    #expect(scheduler.tolerances == [scheduler.minimumTolerance, 1])
    scheduler.run()
    #expect(scheduler.options.prefix(2) == [nil, "label"])
    #expect(exact.log == ["1"])
    #expect(tolerant.log == ["2"])
  }

  @Test func valuesAreReleasedInOrderWhateverTheJobsDo() {
    for seed in 0..<50 as Range<UInt64> {
      let scheduler = VirtualScheduler(order: .random(seed: seed))
      let source = Source(keepsSubscribers: true)
      let recorder = source.recorded { $0.delay(for: 1, scheduler: scheduler) }
      for value in 1...10 { source.send(value) }
      source.send(completion: .finished)
      scheduler.run()
      #expect(recorder.log == (1...10).map(String.init) + ["finished"])
    }
  }

  @Test func cancellationDropsWhatIsOnItsWay() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.delay(for: 1, scheduler: scheduler) }
    source.send(1)
    recorder.cancel()
    source.send(2)
    source.send(completion: .finished)
    #expect(scheduler.scheduled == 1)
    scheduler.run()
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.count == 1)
  }

  @Test func immediateSchedulerDelaysNothing() {
    let recorder = [1, 2].publisher.delay(for: 1, scheduler: ImmediateScheduler.shared).recorded()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func realQueueDeliversNotBefore() {
    let queue = DispatchQueue(label: "delay", attributes: .concurrent)
    let done = Latch()
    let recorder = RecordingSubscriber<Int, Never>()
    let start = DispatchTime.now()
    recorder.onValue = { _ in #expect(DispatchTime.now() >= start + .milliseconds(20)) }
    recorder.onCompletion = { _ in done.open() }
    (0..<500).publisher.delay(for: .milliseconds(20), scheduler: queue).subscribe(recorder)
    #expect(done.wait())
    #expect(recorder.values == Array(0..<500))
  }

  /// 100,000 values of 8 producers, a thousandth of them at each millisecond.
  @Test func timingHoldsUnderLoad() {
    let subject = PassthroughSubject<[Int], Never>()
    var arrivals: [(value: [Int], time: Int)] = []
    let cancellable = subject.delay(for: .milliseconds(5), scheduler: scheduler).sink {
      arrivals.append(($0, scheduler.now.nanoseconds / 1_000_000))
    }
    let box = UncheckedBox(subject)
    inRounds(1000, producers: 8, scheduler) { round, producer in
      for number in 0..<(producer < 4 ? 12 : 13) { box.value.send([producer, round * 13 + number]) }
    }
    scheduler.run()
    #expect(arrivals.count == 100_000)
    #expect(arrivals.allSatisfy { $0.time == $0.value[1] / 13 + 5 })
    for producer in 0..<8 {
      let numbers = arrivals.filter { $0.value[0] == producer }.map { $0.value[1] }
      #expect(numbers == (0..<13_000).filter { producer >= 4 || $0 % 13 < 12 })
    }
    cancellable.cancel()
  }

  @Test func demandReturnedAfterUpstreamsCompletionIsRequested() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { .max($0) })
    source.delay(for: 1, scheduler: scheduler).subscribe(recorder)
    source.send(3)
    source.send(completion: .finished)
    scheduler.run()
    #expect(recorder.log == ["3", "finished"])
    #expect(source.requests == [.max(1), .max(3)])
    recorder.request(.max(1))
    recorder.cancel()
    #expect(source.requests.count == 2)
    #expect(source.cancellations.isEmpty)
  }

  @Test func negativeIntervalIsZero() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.delay(for: -3, scheduler: scheduler) }
    scheduler.advance(by: 5)
    source.send(1)
    #expect(scheduler.calls == [.after(5)])
    scheduler.advance()
    #expect(recorder.log == ["1"])
  }

  @Test func keepsTheRules() {
    expectTimedRules("Delay", holdsSurplus: false) { upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.delay(for: 1, scheduler: scheduler)
    }
    expectOperatorRules("Delay") { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }.delay(for: 1, scheduler: ImmediateScheduler.shared)
    }
  }
}
