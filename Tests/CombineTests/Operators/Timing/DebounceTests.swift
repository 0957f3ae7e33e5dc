import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct DebounceTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  private func debounced(
    _ source: Source, demand: Subscribers.Demand = .unlimited
  ) -> RecordingSubscriber<Int, TestError> {
    source.recorded(demand: demand) { $0.debounce(for: 2, scheduler: scheduler, options: "label") }
  }

  // MARK: Values

  @Test func valueIsDeliveredAfterTheQuiet() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source)
    #expect(recorder.subscriptionNames == ["Debounce"])
    #expect(source.requests == [.unlimited])
    source.send(1)
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.log.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.log == ["1"])
    #expect(scheduler.options.allSatisfy { $0 == "label" })
  }

  @Test func eachValueStartsTheQuietAgain() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source)
    for value in 1...5 {
      source.send(value)
      scheduler.advance(by: 1)
    }
    #expect(recorder.log.isEmpty)
    scheduler.advance(by: 1)
    #expect(recorder.log == ["5"])
    source.send(6)
    scheduler.advance(by: 2)
    #expect(recorder.log == ["5", "6"])
    scheduler.run()
    #expect(recorder.log == ["5", "6"])
  }

  @Test func eachValueSetsATimerInPlaceOfTheOneBefore() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source)
    source.send(1)
    #expect(scheduler.calls == [.again(after: 2, every: 2)])
    scheduler.advance(by: 1)
    source.send(2)
    #expect(scheduler.calls == [.again(after: 2, every: 2), .again(after: 3, every: 2), .cancel(after: 2)])
    #expect(scheduler.scheduled == 1)
    scheduler.advance(by: 2)
    #expect(scheduler.calls.dropFirst(3) == [.cancel(after: 3)])
    #expect(scheduler.scheduled == 0)
    source.send(completion: .finished)
    #expect(scheduler.calls.dropFirst(4) == [.soon])
    scheduler.advance()
    #expect(recorder.log == ["2", "finished"])
    #expect(scheduler.tolerances.allSatisfy { $0 == scheduler.minimumTolerance })
    #expect(scheduler.options == ["label", "label", nil])
  }

  @Test func valueThatComesWhenTheTimeIsUpDoesNotTakeTheOthersPlace() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source)
    source.send(1)
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { source.send(2) }
    scheduler.advance(by: 2)
    #expect(recorder.log == ["1"])
    scheduler.advance(by: 2)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func valueThatComesJustBeforeTheTimeIsUpTakesTheOthersPlace() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source)
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { source.send(2) }
    source.send(1)
    scheduler.advance(by: 2)
    #expect(recorder.log.isEmpty)
    scheduler.advance(by: 2)
    #expect(recorder.log == ["2"])
  }

  @Test func nothingStaysScheduledAfterTheEnd() {
    let ends: [(Source, RecordingSubscriber<Int, TestError>) -> Void] = [
      { $1.cancel() }, { source, _ in source.send(completion: .finished) },
    ]
    for end in ends {
      let source = Source(keepsSubscribers: true)
      let recorder = debounced(source)
      source.send(1)
      #expect(scheduler.scheduled == 1)
      end(source, recorder)
      scheduler.advance()
      #expect(scheduler.scheduled == 0)
      scheduler.advance(by: 10)
      #expect(recorder.values.isEmpty)
    }
  }

  @Test func lateJobDeliversTheLatestValueOnce() {
    let late = VirtualScheduler(lateness: 3)
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.debounce(for: 2, scheduler: late) }
    source.send(1)
    late.advance(by: 4)
    source.send(2)
    late.advance(by: 1)
    #expect(recorder.log.isEmpty)
    late.run()
    #expect(recorder.log == ["2"])
  }

  @Test func valueSentFromInsideAValueIsDebouncedToo() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source)
    recorder.onValue = { [unowned source] in if $0 < 3 { source.send($0 + 1) } }
    source.send(1)
    scheduler.advance(by: 2)
    #expect(recorder.log == ["1"])
    scheduler.advance(by: 2)
    #expect(recorder.log == ["1", "2"])
    scheduler.run()
    #expect(recorder.log == ["1", "2", "3"])
  }

  // MARK: The end

  @Test func completionDropsTheValueThatWaitsForQuiet() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError("failed"))] {
      let source = Source(keepsSubscribers: true)
      let recorder = debounced(source)
      source.send(1)
      scheduler.advance(by: 1)
      source.send(completion: completion)
      #expect(recorder.log.isEmpty)
      scheduler.advance()
      #expect(recorder.log == [completion == .finished ? "finished" : "failed"])
      scheduler.run()
      #expect(recorder.log.count == 1)
    }
  }

  @Test func finishWaitsBehindAValueThatNobodyHasRequested() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 2)
    // The quiet period of this one does not end.
    source.send(2)
    source.send(completion: .finished)
    scheduler.run()
    #expect(recorder.log.isEmpty)
    #expect(scheduler.scheduled == 0)
    recorder.request(.max(1))
    #expect(recorder.log.isEmpty)
    scheduler.run()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func failureDropsAValueThatNobodyHasAskedFor() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 2)
    source.send(completion: .failure(TestError()))
    scheduler.run()
    #expect(recorder.log == ["test error"])
  }

  // MARK: Demand

  @Test func newestValueIsKeptUntilItIsRequested() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source, demand: .max(1))
    for value in 1...4 {
      source.send(value)
      scheduler.advance(by: 2)
    }
    #expect(recorder.log == ["1"])
    #expect(scheduler.scheduled == 0)
    recorder.request(.max(2))
    #expect(recorder.log == ["1"])
    #expect(scheduler.options.last == "label")
    scheduler.advance()
    #expect(recorder.log == ["1", "4"])
    source.send(5)
    scheduler.advance(by: 1)
    recorder.request(.max(1))
    scheduler.advance(by: 1)
    for value in 6...8 {
      source.send(value)
      scheduler.advance(by: 2)
    }
    #expect(recorder.log == ["1", "4", "5", "6"])
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.log == ["1", "4", "5", "6", "8"])
    #expect(source.requests == [.unlimited])
  }

  @Test func keptValueIsDeliveredDuringTheQuietPeriodOfTheNext() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 2)
    source.send(2)
    recorder.request(.max(2))
    scheduler.advance()
    #expect(recorder.log == ["1"])
    scheduler.advance(by: 2)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func valueThatBecomesDueTakesThePlaceOfOneThatHasJustBeenRequested() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 2)
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { recorder.request(.max(2)) }
    source.send(2)
    scheduler.advance(by: 2)
    #expect(recorder.log == ["2"])
  }

  @Test func joinedValuesAreNotLost() {
    let (debounced, plain) = (CurrentValueSubject<Int, Never>(1), CurrentValueSubject<Int, Never>(10))
    let recorder = debounced.debounce(for: 2, scheduler: scheduler).combineLatest(plain).map { $0 + $1 }
      .recorded(demand: .none)
    scheduler.advance(by: 2)
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.values == [11])
  }

  @Test func negativeTimeIsZero() {
    for time in [-2, 0] as [VirtualScheduler.SchedulerTimeType.Stride] {
      let (source, scheduler) = (Source(keepsSubscribers: true), VirtualScheduler())
      let recorder = source.recorded { $0.debounce(for: time, scheduler: scheduler) }
      scheduler.advance(by: 5)
      source.send(1)
      #expect(scheduler.calls == [.after(5)])
      scheduler.advance()
      #expect(recorder.log == ["1"])
    }
  }

  @Test func newestValueComesHoweverRequestsAndValuesMeet() {
    for _ in 0..<100 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      let done = Latch()
      recorder.onValue = { if $0 == 49 { done.open() } }
      subject.debounce(for: .zero, scheduler: DispatchQueue.global()).subscribe(recorder)
      inParallel(2) { thread in
        for value in 0..<50 {
          if thread == 0 { subject.send(value) } else { recorder.request(.max(1)) }
        }
      }
      #expect(done.wait())
      #expect(recorder.values == recorder.values.sorted())
      recorder.cancel()
    }
  }

  @Test func keptValueIsReleasedByACancellation() {
    let counter = LifetimeCounter()
    let source = TestPublisher<Tracked, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Tracked, TestError>(initialDemand: .none)
    source.debounce(for: 1, scheduler: scheduler).subscribe(recorder)
    source.send(Tracked(1, counter))
    scheduler.advance(by: 1)
    source.send(completion: .finished)
    #expect(counter.count == 1)
    recorder.cancel()
    #expect(counter.count == 0)
  }

  @Test func demandCountsWhenTheTimeHasCome() {
    let source = Source(keepsSubscribers: true)
    let recorder = debounced(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 1)
    recorder.request(.max(1))
    scheduler.advance(by: 1)
    #expect(recorder.log == ["1"])
  }

  @Test func demandFromAValueCounts() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(1), demandForEach: { $0 == 1 ? .max(1) : .none })
    source.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
    for value in 1...3 {
      source.send(value)
      scheduler.advance(by: 2)
    }
    #expect(recorder.log == ["1", "2"])
  }

  // MARK: Other schedulers

  @Test func immediateSchedulerPassesEveryValue() {
    let recorder = [1, 2, 3].publisher.debounce(for: 1, scheduler: ImmediateScheduler.shared).recorded()
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func realQueueDeliversTheLatestNotBefore() {
    let done = Latch()
    let subject = PassthroughSubject<Int, Never>()
    let queue = DispatchQueue(label: "debounce", attributes: .concurrent)
    let start = DispatchTime.now()
    let cancellable = subject.debounce(for: .milliseconds(30), scheduler: queue).sink {
      // An earlier one may have been delivered if this thread was kept from sending for so long.
      #expect(DispatchTime.now() >= start + .milliseconds(30))
      if $0 == 100 { done.open() }
    }
    for value in 1...100 { subject.send(value) }
    #expect(done.wait())
    cancellable.cancel()
  }

  @Test func timerThatFiresWhereItIsSetIsCancelledToo() {
    let source = Source(keepsSubscribers: true)
    let now = VirtualScheduler(order: .firstScheduled)
    let recorder = source.recorded { $0.debounce(for: 2, scheduler: Eager(base: now)) }
    for value in 1...3 { source.send(value) }
    #expect(recorder.log == ["1", "2", "3"])
    #expect(now.scheduled == 0)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  /// Runs everything where it is scheduled, and goes on with repetitions until they are cancelled.
  private struct Eager: Scheduler {
    typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
    typealias SchedulerOptions = String
    let base: VirtualScheduler

    var now: SchedulerTimeType { base.now }
    var minimumTolerance: SchedulerTimeType.Stride { base.minimumTolerance }

    func schedule(options: String?, _ action: @escaping () -> Void) { action() }

    func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: String?,
      _ action: @escaping () -> Void
    ) { action() }

    func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
      options: String?, _ action: @escaping () -> Void
    ) -> any Cancellable {
      action()
      return base.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
    }
  }

  /// Bursts of six milliseconds, the last of one value, and then four of quiet; 100,000 values in all, and one for each
  /// burst to tell which was the last.
  @Test func timingHoldsUnderLoad() {
    let subject = PassthroughSubject<Int, Never>()
    var arrivals: [[Int]] = []
    let cancellable = subject.debounce(for: .milliseconds(3), scheduler: scheduler).sink {
      arrivals.append([$0, scheduler.now.nanoseconds / 1_000_000])
    }
    let box = UncheckedBox(subject)
    inRounds(1000, producers: 8, scheduler) { round, producer in
      switch round % 10 {
      case 0..<5: for _ in 0..<25 { box.value.send(round) }
      case 5 where producer == 0: box.value.send(round)
      default: break
      }
    }
    scheduler.run()
    #expect(arrivals == stride(from: 5, to: 1000, by: 10).map { [$0, $0 + 3] })
    cancellable.cancel()
  }

  @Test func keepsTheRules() {
    expectTimedRules("Debounce", passesEachValue: false) { upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.debounce(for: 1, scheduler: scheduler)
    }
  }
}
