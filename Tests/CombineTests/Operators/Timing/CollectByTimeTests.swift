import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CollectByTimeTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  private func collected(
    _ source: Source, count: Int? = nil, demand: Subscribers.Demand = .unlimited
  ) -> RecordingSubscriber<[Int], TestError> {
    source.recorded(demand: demand) {
      $0.collect(count.map { .byTimeOrCount(scheduler, 10, $0) } ?? .byTime(scheduler, 10), options: "label")
    }
  }

  // MARK: Values

  @Test func groupComesAtTheEndOfEachInterval() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source)
    #expect(recorder.subscriptionNames == ["CollectByTime"])
    for value in 0..<25 {
      source.send(value)
      scheduler.advance(by: 1)
    }
    #expect(recorder.values == [Array(0..<10), Array(10..<20)])
    scheduler.advance(by: 30)
    #expect(recorder.values == [Array(0..<10), Array(10..<20), Array(20..<25)])
    #expect(scheduler.options == ["label"])
  }

  @Test func fullGroupDoesNotWait() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source, count: 4)
    #expect(recorder.subscriptionNames == ["CollectByTimeOrCount"])
    for value in 0..<10 { source.send(value) }
    #expect(recorder.log.isEmpty)
    scheduler.advance()
    #expect(recorder.values == [[0, 1, 2, 3], [4, 5, 6, 7]])
    scheduler.advance(by: 10)
    #expect(recorder.values == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]])
  }

  @Test func valueSentFromInsideAGroupBelongsToTheNext() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source)
    recorder.onValue = { [unowned source] in if $0 == [1] { source.send(2) } }
    source.send(1)
    scheduler.advance(by: 10)
    #expect(recorder.values == [[1]])
    scheduler.advance(by: 10)
    #expect(recorder.values == [[1], [2]])
  }

  // MARK: The end

  @Test func finishBringsTheRest() {
    for count in [nil, 3] {
      let source = Source(keepsSubscribers: true)
      let recorder = collected(source, count: count)
      source.send(1)
      source.send(2)
      source.send(completion: .finished)
      scheduler.advance()
      #expect(recorder.log == ["[1, 2]", "finished"])
      #expect(scheduler.scheduled == 0)
    }
  }

  @Test func finishWithoutARestBringsNoGroup() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source)
    source.send(1)
    scheduler.advance(by: 10)
    source.send(completion: .finished)
    scheduler.advance()
    #expect(recorder.log == ["[1]", "finished"])
  }

  @Test func failureDropsTheRest() {
    for count in [nil, 3] {
      let source = Source(keepsSubscribers: true)
      let recorder = collected(source, count: count)
      source.send(1)
      source.send(completion: .failure(TestError()))
      scheduler.advance()
      #expect(recorder.log == ["test error"])
      #expect(scheduler.scheduled == 0)
    }
  }

  @Test func failureDropsGroupsThatNobodyHasAskedFor() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 10)
    source.send(completion: .failure(TestError()))
    scheduler.advance()
    #expect(recorder.log == ["test error"])
  }

  @Test func finishComesAfterTheGroupsAndEndsTheTimer() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 10)
    source.send(2)
    source.send(completion: .finished)
    scheduler.advance()
    #expect(recorder.log.isEmpty)
    #expect(scheduler.scheduled == 0)
    recorder.request(.max(2))
    scheduler.advance()
    #expect(recorder.log == ["[1]", "[2]", "finished"])
  }

  // MARK: Demand

  @Test func byTimeAsksWithoutLimitAndKeepsTheGroups() {
    let source = Source(keepsSubscribers: true)
    let recorder = collected(source, demand: .max(1))
    #expect(source.requests == [.unlimited])
    for value in 1...3 {
      source.send(value)
      scheduler.advance(by: 10)
    }
    #expect(recorder.values == [[1]])
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.values == [[1], [2]])
    #expect(source.requests == [.unlimited])
  }

  @Test func byCountAsksForWhatTheGroupsHold() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<[Int], TestError>(initialDemand: .max(2), demandForEach: { _ in .max(1) })
    source.collect(.byTimeOrCount(scheduler, 10, 3)).subscribe(recorder)
    #expect(source.requests == [.max(6)])
    for value in 1...3 { #expect(source.send(value) == .none) }
    scheduler.advance()
    #expect(recorder.values == [[1, 2, 3]])
    #expect(source.requests == [.max(6), .max(3)])
    recorder.request(.unlimited)
    #expect(source.requests.last == .unlimited)
  }

  // MARK: Cancellation

  @Test func cancellationEndsTheTimer() {
    for count in [nil, 3] {
      let source = Source(keepsSubscribers: true)
      let recorder = collected(source, count: count)
      source.send(1)
      recorder.cancel()
      #expect(scheduler.scheduled == 0)
      source.send(2)
      source.send(completion: .finished)
      scheduler.advance(by: 20)
      #expect(recorder.log.isEmpty)
      #expect(source.cancellations.count == 1)
    }
  }

  @Test func cancellationWhileTheTimerIsMadeEndsIt() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<[Int], TestError>()
    scheduler.onSchedule = { [unowned recorder] in recorder.cancel() }
    source.collect(.byTime(scheduler, 10)).subscribe(recorder)
    #expect(scheduler.scheduled == 0)
    #expect(source.cancellations.count == 1)
    scheduler.onSchedule = nil
  }

  // MARK: Other schedulers

  @Test func immediateSchedulerBringsTheGroupAtTheEnd() {
    let byTime = [1, 2, 3].publisher.collect(.byTime(ImmediateScheduler.shared, 1)).recorded()
    #expect(byTime.log == ["[1, 2, 3]", "finished"])
    let byCount = [1, 2, 3].publisher.collect(.byTimeOrCount(ImmediateScheduler.shared, 1, 2)).recorded()
    #expect(byCount.log == ["[1, 2]", "[3]", "finished"])
  }

  @Test func realQueueBringsEveryValue() {
    let queue = DispatchQueue(label: "collect", attributes: .concurrent)
    let subject = PassthroughSubject<Int, Never>()
    let (first, done) = (Latch(), Latch())
    let recorder = RecordingSubscriber<[Int], Never>()
    recorder.onValue = { _ in first.open() }
    recorder.onCompletion = { _ in done.open() }
    subject.collect(.byTimeOrCount(queue, .milliseconds(1), 100)).subscribe(recorder)
    subject.send(-1)
    #expect(first.wait())
    for value in 0..<1000 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(done.wait())
    #expect(recorder.values.flatMap { $0 } == Array(-1..<1000))
    #expect(recorder.values.allSatisfy { 1...100 ~= $0.count })
  }

  /// 100,000 values, a hundred at each millisecond, all of which are its number.
  @Test(arguments: [nil, 300]) func timingHoldsUnderLoad(count: Int?) {
    let subject = PassthroughSubject<Int, Never>()
    var arrivals: [(group: [Int], time: Int)] = []
    let strategy: Publishers.TimeGroupingStrategy<VirtualScheduler> =
      count.map { .byTimeOrCount(scheduler, .milliseconds(10), $0) } ?? .byTime(scheduler, .milliseconds(10))
    let cancellable = subject.collect(strategy).sink {
      arrivals.append(($0, scheduler.now.nanoseconds / 1_000_000))
    }
    let box = UncheckedBox(subject)
    inRounds(1000, producers: 8, scheduler) { round, producer in
      for _ in 0..<(producer < 4 ? 12 : 13) { box.value.send(round) }
    }
    subject.send(completion: .finished)
    scheduler.run()
    #expect(arrivals.flatMap(\.group) == (0..<100_000).map { $0 / 100 })
    if count == nil {
      #expect(arrivals.map(\.group.count) == Array(repeating: 1000, count: 100))
      #expect(arrivals.map(\.time) == Array(stride(from: 10, through: 1000, by: 10)))
    } else {
      // A full group is delivered before time passes; the rest at the end of the interval.
      var expected: [[Int]] = []
      for start in stride(from: 0, to: 1000, by: 10) {
        expected += [[300, start + 2], [300, start + 5], [300, start + 8], [100, start + 10]]
      }
      #expect(arrivals.map { [$0.group.count, $0.time] } == expected)
    }
    cancellable.cancel()
  }

  @Test(arguments: [nil, 100]) func keepsTheRules(count: Int?) {
    expectTimedRules(count == nil ? "CollectByTime" : "CollectByTimeOrCount", passesEachValue: false) {
      upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.collect(count.map { .byTimeOrCount(scheduler, 1, $0) } ?? .byTime(scheduler, 1))
    }
  }
}
