import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ThrottleTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  private func throttled(
    _ source: Source, latest: Bool = true, demand: Subscribers.Demand = .unlimited
  ) -> RecordingSubscriber<Int, TestError> {
    source.recorded(demand: demand) { $0.throttle(for: 10, scheduler: scheduler, latest: latest) }
  }

  // MARK: Values

  @Test func firstValueComesAtOnceOnTheScheduler() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source)
    #expect(recorder.subscriptionNames == ["Throttle"])
    #expect(source.requests == [.unlimited])
    source.send(1)
    #expect(recorder.log.isEmpty)
    scheduler.advance()
    #expect(recorder.log == ["1"])
  }

  @Test(arguments: [true, false]) func oneValueOfEachIntervalComesAtItsEnd(latest: Bool) {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, latest: latest)
    for value in 0..<25 {
      source.send(value)
      scheduler.advance(by: 1)
    }
    #expect(recorder.values == (latest ? [0, 9, 19] : [0, 1, 10]))
    scheduler.advance(by: 5)
    #expect(recorder.values == (latest ? [0, 9, 19, 24] : [0, 1, 10, 20]))
    scheduler.run()
    #expect(recorder.values.count == 4)
    scheduler.advance(by: 7)
    source.send(30)
    scheduler.advance(by: 2)
    #expect(recorder.values.count == 4)
    scheduler.advance(by: 1)
    #expect(recorder.values.last == 30)
  }

  @Test func valueAfterAnIntervalWithoutOneComesAtOnce() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source)
    source.send(1)
    scheduler.advance(by: 10)
    source.send(2)
    scheduler.advance()
    #expect(recorder.log == ["1", "2"])
  }

  @Test func lateJobMakesTheNextIntervalStartLate() {
    let late = VirtualScheduler(lateness: 4)
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.throttle(for: 10, scheduler: late, latest: true) }
    source.send(1)
    late.advance(by: 4)
    #expect(recorder.log == ["1"])
    source.send(2)
    late.advance(by: 13)
    source.send(3)
    #expect(recorder.log == ["1"])
    late.advance(by: 1)
    #expect(recorder.log == ["1", "3"])
    source.send(4)
    late.advance(by: 13)
    #expect(recorder.log == ["1", "3"])
    late.advance(by: 1)
    #expect(recorder.log == ["1", "3", "4"])
  }

  @Test(arguments: [true, false]) func ofValuesBeforeTheJobRunsOneIsDelivered(latest: Bool) {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, latest: latest)
    for value in 1...3 { source.send(value) }
    #expect(scheduler.calls == [.soon])
    scheduler.run()
    #expect(recorder.log == [latest ? "3" : "1"])
    scheduler.advance(by: 4)
    for value in 4...6 { source.send(value) }
    #expect(scheduler.calls == [.soon, .after(10)])
    scheduler.run()
    #expect(recorder.log == (latest ? ["3", "6"] : ["1", "4"]))
    #expect(scheduler.calls.count == 2)
    #expect(scheduler.options == [nil, nil])
    #expect(scheduler.tolerances.last == scheduler.minimumTolerance)
  }

  @Test func intervalStartsWhenTheJobRuns() {
    let source = Source(keepsSubscribers: true)
    let late = VirtualScheduler(lateness: 3)
    let recorder = source.recorded { $0.throttle(for: 10, scheduler: late, latest: true) }
    source.send(1)
    late.advance(by: 3)
    source.send(2)
    #expect(late.calls == [.soon, .after(13)])
    late.run()
    #expect(recorder.log == ["1", "2"])
  }

  // MARK: The end

  @Test(arguments: [true, false]) func valueThatWaitsIsDeliveredAtItsTimeAndThenTheEnd(latest: Bool) {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError("finished"))] {
      let (source, scheduler) = (Source(keepsSubscribers: true), VirtualScheduler())
      let recorder = source.recorded { $0.throttle(for: 10, scheduler: scheduler, latest: latest) }
      source.send(1)
      scheduler.advance()
      source.send(2)
      source.send(3)
      scheduler.advance(by: 4)
      source.send(completion: completion)
      scheduler.advance(by: 5)
      #expect(recorder.log == ["1"])
      scheduler.advance(by: 1)
      #expect(recorder.log == ["1", latest ? "3" : "2", "finished"])
      #expect(scheduler.scheduled == 0)
      #expect(scheduler.calls == [.soon, .after(10)])
    }
  }

  @Test(arguments: [true, false]) func endOfABurstComesWithItsValue(latest: Bool) {
    let recorder = [1, 2, 3].publisher.throttle(for: 10, scheduler: scheduler, latest: latest).recorded()
    #expect(scheduler.calls == [.soon])
    scheduler.advance()
    #expect(recorder.log == [latest ? "3" : "1", "finished"])
    #expect(scheduler.scheduled == 0)
  }

  @Test func finishComesAtOnceWhenNothingWaits() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source)
    source.send(1)
    scheduler.advance(by: 1)
    source.send(completion: .finished)
    scheduler.advance()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func failureComesAtOnceWhenNothingWaits() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source)
    source.send(1)
    scheduler.advance(by: 1)
    source.send(completion: .failure(TestError()))
    #expect(scheduler.calls == [.soon, .soon])
    scheduler.advance()
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func valueSentAtOnceComesBeforeAFailure() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source)
    source.send(1)
    source.send(completion: .failure(TestError()))
    scheduler.run()
    #expect(recorder.log == ["1", "test error"])
  }

  // MARK: Cancellation

  @Test func cancellationReachesTheValueThatWaits() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source)
    source.send(1)
    source.send(2)
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.count == 1)
  }

  @Test func valueThatMeetsACancellationIsNotKept() {
    let counter = LifetimeCounter()
    let source = TestPublisher<Tracked, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Tracked, TestError>()
    source.throttle(for: 1, scheduler: scheduler, latest: true).subscribe(recorder)
    scheduler.onNow = { [unowned recorder] in recorder.cancel() }
    source.send(Tracked(1, counter))
    #expect(counter.count == 0)
    scheduler.onNow = nil
    #expect(scheduler.scheduled == 0)
  }

  // MARK: Other schedulers

  @Test func negativeIntervalIsZero() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.throttle(for: -5, scheduler: scheduler, latest: true) }
    for value in 1...2 {
      source.send(value)
      scheduler.advance()
    }
    #expect(recorder.log == ["1", "2"])
    #expect(scheduler.calls == [.soon, .soon])
  }

  @Test func immediateSchedulerPassesEveryValue() {
    for latest in [true, false] {
      let recorder = [1, 2, 3].publisher
        .throttle(for: .seconds(1), scheduler: ImmediateScheduler.shared, latest: latest).recorded()
      #expect(recorder.log == ["1", "2", "3", "finished"])
      let numbered = [1, 2, 3].publisher
        .throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: latest).recorded()
      #expect(numbered.log == ["1", "2", "3", "finished"])
    }
  }

  @Test func realQueueDeliversNotBefore() {
    let queue = DispatchQueue(label: "throttle", attributes: .concurrent)
    let (first, done) = (Latch(), Latch())
    let recorder = RecordingSubscriber<Int, Never>()
    let start = DispatchTime.now()
    recorder.onValue = {
      if $0 == 1 { first.open() }
      if $0 == 3 { #expect(DispatchTime.now() >= start + .milliseconds(20)) }
    }
    recorder.onCompletion = { _ in done.open() }
    let subject = PassthroughSubject<Int, Never>()
    subject.throttle(for: .milliseconds(20), scheduler: queue, latest: true).subscribe(recorder)
    subject.send(1)
    #expect(first.wait())
    for value in 2...3 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(done.wait())
    #expect(recorder.values.first == 1)
    #expect(recorder.values.last == 3)
  }

  /// 100,000 values, a hundred at each millisecond, all of which are its number.
  @Test(arguments: [true, false]) func timingHoldsUnderLoad(latest: Bool) {
    let subject = PassthroughSubject<Int, Never>()
    var arrivals: [[Int]] = []
    let cancellable = subject.throttle(for: .milliseconds(10), scheduler: scheduler, latest: latest).sink {
      arrivals.append([$0, scheduler.now.nanoseconds / 1_000_000])
    }
    let box = UncheckedBox(subject)
    inRounds(1000, producers: 8, scheduler) { round, producer in
      for _ in 0..<(producer < 4 ? 12 : 13) { box.value.send(round) }
    }
    scheduler.run()
    let ends = Array(stride(from: 10, through: 1000, by: 10))
    // All values of the beginning come before the first job.
    #expect(arrivals == [[0, 0]] + ends.map { latest ? [$0 - 1, $0] : [max(1, $0 - 10), $0] })
    cancellable.cancel()
  }

  @Test(arguments: [true, false]) func keepsTheRules(latest: Bool) {
    expectTimedRules("Throttle", passesEachValue: false) { upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.throttle(for: 1, scheduler: scheduler, latest: latest)
    }
  }
}
