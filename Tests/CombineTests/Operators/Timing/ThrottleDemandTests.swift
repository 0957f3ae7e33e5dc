import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ThrottleDemandTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  private func throttled(
    _ source: Source, latest: Bool = true, demand: Subscribers.Demand = .unlimited
  ) -> RecordingSubscriber<Int, TestError> {
    source.recorded(demand: demand) { $0.throttle(for: 10, scheduler: scheduler, latest: latest) }
  }

  @Test(arguments: [true, false]) func newestValueIsKeptUntilItIsRequested(latest: Bool) {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, latest: latest, demand: .max(1))
    for value in 1...4 {
      source.send(value)
      scheduler.advance(by: 10)
    }
    #expect(recorder.log == ["1"])
    #expect(scheduler.scheduled == 0)
    recorder.request(.max(2))
    #expect(recorder.log == ["1"])
    scheduler.advance()
    #expect(recorder.log == ["1", "4"])
    scheduler.advance(by: 10)
    for value in 5...7 {
      source.send(value)
      scheduler.advance(by: 10)
    }
    #expect(recorder.log == ["1", "4", "5"])
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.log == ["1", "4", "5", "7"])
    #expect(source.requests == [.unlimited])
  }

  @Test func intervalStartsWhenAKeptValueIsDelivered() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 3)
    source.send(2)
    recorder.request(.max(2))
    scheduler.advance(by: 4)
    #expect(recorder.log == ["2"])
    source.send(3)
    scheduler.advance(by: 5)
    #expect(recorder.log == ["2"])
    scheduler.advance(by: 1)
    #expect(recorder.log == ["2", "3"])
  }

  @Test func demandThatComesBeforeTheTimeIsUpCounts() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, demand: .max(1))
    source.send(1)
    scheduler.advance(by: 1)
    source.send(2)
    recorder.request(.max(1))
    scheduler.advance(by: 8)
    #expect(recorder.log == ["1"])
    scheduler.advance(by: 1)
    #expect(recorder.log == ["1", "2"])
    #expect(scheduler.calls == [.soon, .after(10)])
  }

  @Test func requestInsideAValueBringsTheOneThatIsKept() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, demand: .none)
    recorder.onValue = { [unowned source, unowned recorder, scheduler] value in
      guard value == 1 else { return }
      source.send(2)
      scheduler.advance(by: 10)
      recorder.request(.max(1))
      #expect(recorder.values == [1])
    }
    source.send(1)
    scheduler.advance()
    recorder.request(.max(1))
    scheduler.advance()
    scheduler.advance()
    #expect(recorder.log == ["1", "2"])
  }

  @Test func joinedValuesAreNotLost() {
    let (throttled, plain) = (CurrentValueSubject<Int, Never>(1), CurrentValueSubject<Int, Never>(10))
    let recorder = throttled.throttle(for: 10, scheduler: scheduler, latest: true).combineLatest(plain).map { $0 + $1 }
      .recorded()
    scheduler.advance()
    #expect(recorder.values == [11])
    throttled.value = 2
    scheduler.advance(by: 10)
    #expect(recorder.values == [11, 12])
  }

  @Test func lastValueReachesALoopThatComesLate() async {
    let subject = CurrentValueSubject<Int, Never>(1)
    let iterator = subject.throttle(for: 10, scheduler: scheduler, latest: true).values.makeAsyncIterator()
    scheduler.advance()
    subject.value = 2
    subject.value = 3
    subject.send(completion: .finished)
    scheduler.run()
    var loop = UncheckedBox(iterator)
    // The scheduler runs what a request schedules when the loop waits for it.
    scheduler.onSchedule = { [scheduler] in Task.detached { scheduler.run() } }
    #expect(await loop.value.next() == 3)
    #expect(await loop.value.next() == nil)
    scheduler.onSchedule = nil
  }

  @Test func keptValueIsReleasedByACancellation() {
    let counter = LifetimeCounter()
    let source = TestPublisher<Tracked, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Tracked, TestError>(initialDemand: .none)
    source.throttle(for: 1, scheduler: scheduler, latest: true).subscribe(recorder)
    source.send(Tracked(1, counter))
    source.send(completion: .finished)
    scheduler.run()
    #expect(counter.count == 1)
    recorder.cancel()
    #expect(counter.count == 0)
    recorder.request(.max(1))
    #expect(scheduler.scheduled == 0)
  }

  @Test func demandFromAValueCounts() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(1), demandForEach: { $0 == 1 ? .max(1) : .none })
    source.throttle(for: 10, scheduler: scheduler, latest: true).subscribe(recorder)
    for value in 1...3 {
      source.send(value)
      scheduler.advance(by: 10)
    }
    #expect(recorder.log == ["1", "2"])
  }

  // MARK: Threads

  @Test func newestValueComesHoweverRequestsAndValuesMeet() {
    for _ in 0..<100 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      let done = Latch()
      recorder.onCompletion = { _ in done.open() }
      subject.throttle(for: .zero, scheduler: DispatchQueue.global(), latest: true).subscribe(recorder)
      inParallel(2) { thread in
        for value in 0..<50 {
          if thread == 0 { subject.send(value) } else { recorder.request(.max(1)) }
        }
        if thread == 0 { subject.send(completion: .finished) }
      }
      #expect(done.wait())
      #expect(recorder.values.last == 49)
      #expect(recorder.values == recorder.values.sorted())
    }
  }

  // MARK: The end

  @Test func failureDropsAValueThatNobodyHasAskedFor() {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, demand: .none)
    source.send(1)
    scheduler.advance(by: 20)
    source.send(completion: .failure(TestError()))
    scheduler.run()
    #expect(recorder.log == ["test error"])
  }

  @Test(arguments: [true, false]) func failureOvertakesAPendingValueThatNobodyHasRequested(latest: Bool) {
    let source = Source(keepsSubscribers: true)
    let recorder = throttled(source, latest: latest, demand: .max(1))
    source.send(1)
    scheduler.advance(by: 1)
    source.send(2)
    source.send(completion: .failure(TestError()))
    scheduler.advance(by: 1)
    #expect(recorder.log == ["1"])
    scheduler.run()
    #expect(recorder.log == ["1", "test error"])
    recorder.request(.max(1))
    #expect(scheduler.scheduled == 0)
  }

  @Test func finishWaitsBehindAValueThatNobodyHasRequested() {
    for delay in [0, 20] as [VirtualScheduler.SchedulerTimeType.Stride] {
      let (source, scheduler) = (Source(keepsSubscribers: true), VirtualScheduler())
      let recorder = source.recorded(demand: .none) { $0.throttle(for: 10, scheduler: scheduler, latest: true) }
      source.send(1)
      scheduler.advance(by: delay)
      source.send(completion: .finished)
      scheduler.run()
      #expect(recorder.log.isEmpty)
      recorder.request(.max(1))
      #expect(recorder.log.isEmpty)
      scheduler.advance()
      #expect(recorder.log == ["1", "finished"])
      #expect(scheduler.scheduled == 0)
    }
  }
}
