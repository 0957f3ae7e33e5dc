import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct TimeoutTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  // MARK: Silence

  @Test func silenceFinishes() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler, options: "label") }
    #expect(recorder.subscriptionNames == ["Timeout"])
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations.count == 1)
    #expect(scheduler.options.allSatisfy { $0 == "label" })
  }

  @Test func silenceFailsWithTheErrorThatIsMadeThen() {
    let source = Source(keepsSubscribers: true)
    var made = 0
    let recorder = source.recorded {
      $0.timeout(2, scheduler: scheduler) {
        made += 1
        return TestError("too long")
      }
    }
    scheduler.advance(by: 1)
    #expect(made == 0)
    scheduler.advance(by: 1)
    #expect(recorder.log == ["too long"])
    #expect(made == 1)
    source.send(1)
    source.send(completion: .finished)
    scheduler.run()
    #expect(recorder.log == ["too long"])
  }

  @Test func valueMovesTheDeadline() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
    for value in 1...5 {
      scheduler.advance(by: 1)
      source.send(value)
    }
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.log == ["1", "2", "3", "4", "5"])
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.log.last == "finished")
  }

  @Test func subscriptionFirstRequestAndEachValueSetATimerInPlaceOfTheOneBefore() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onSubscription = { [scheduler] _ in #expect(scheduler.calls == [.again(after: 2, every: 2)]) }
    source.timeout(2, scheduler: scheduler).subscribe(recorder)
    scheduler.advance(by: 1)
    recorder.request(.none)
    #expect(scheduler.calls.dropFirst() == [.again(after: 3, every: 2), .cancel(after: 2)])
    #expect(source.requests == [.max(0)])
    recorder.request(.max(1))
    #expect(scheduler.calls.count == 3)
    scheduler.advance(by: 1)
    source.send(1)
    #expect(scheduler.calls.dropFirst(3) == [.again(after: 4, every: 2), .cancel(after: 3), .soon])
    scheduler.advance()
    #expect(scheduler.scheduled == 1)
    scheduler.advance(by: 2)
    #expect(recorder.log == ["1", "finished"])
    #expect(scheduler.calls.dropFirst(6) == [.cancel(after: 4)])
    #expect(scheduler.scheduled == 0)
    recorder.request(.max(1))
    #expect(scheduler.scheduled == 0)
  }

  @Test func negativeIntervalIsZero() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(-2, scheduler: scheduler) }
    #expect(scheduler.calls == [.after(0), .after(0)])
    scheduler.advance()
    #expect(recorder.log == ["finished"])
  }

  @Test func endComesInTheTimersOwnJobAfterUpstreamIsCancelled() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
    recorder.onCompletion = { _ in #expect(source.cancellations.count == 1) }
    var log: [String]?
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { log = recorder.log }
    scheduler.advance(by: 2)
    #expect(log == ["finished"])
  }

  @Test func valueThatComesWhenTheTimeIsUpIsTooLate() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { source.send(1) }
    scheduler.run()
    #expect(recorder.log == ["finished"])
    let other = Source(keepsSubscribers: true)
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { other.send(1) }
    let early = other.recorded { $0.timeout(2, scheduler: scheduler) }
    scheduler.advance(by: 2)
    #expect(early.log == ["1"])
  }

  @Test func nothingStaysScheduledAfterTheEnd() {
    let ends: [(Source, RecordingSubscriber<Int, TestError>) -> Void] = [
      { $1.cancel() }, { source, _ in source.send(completion: .finished) },
    ]
    for end in ends {
      let source = Source(keepsSubscribers: true)
      let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
      #expect(scheduler.scheduled == 1)
      end(source, recorder)
      scheduler.advance()
      #expect(scheduler.scheduled == 0)
    }
  }

  @Test func otherWorkKeepsItsPlaceBetweenValues() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
    var delivered: [Int] = []
    for value in 1...3 {
      scheduler.schedule { delivered.append(recorder.values.count) }
      source.send(value)
    }
    scheduler.advance()
    #expect(delivered == [0, 1, 2])
  }

  @Test func timeRunsWhileNobodyAsks() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.timeout(2, scheduler: scheduler) }
    scheduler.advance(by: 2)
    #expect(recorder.log == ["finished"])
  }

  @Test func valuesBeforeTheSilenceComeBeforeTheEnd() {
    let late = VirtualScheduler(order: .lastScheduled, lateness: 3)
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: late) }
    source.send(1)
    source.send(2)
    late.run()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func valueThatComesBeforeALateJobCounts() {
    let late = VirtualScheduler(lateness: 2)
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: late) }
    late.advance(by: 3)
    source.send(1)
    late.advance(by: 3)
    #expect(recorder.log == ["1"])
    late.run()
    #expect(recorder.log == ["1", "finished"])
  }

  // MARK: The end

  @Test func completionEndsTheWatch() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError("failed"))] {
      let source = Source(keepsSubscribers: true)
      let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) { TestError("too long") } }
      source.send(1)
      source.send(completion: completion)
      #expect(recorder.log.isEmpty)
      scheduler.run()
      #expect(recorder.log == ["1", completion == .finished ? "finished" : "failed"])
      #expect(source.cancellations.isEmpty)
    }
  }

  @Test func cancellationReachesUpstreamThoughItsCompletionIsOnTheWay() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
    source.send(completion: .finished)
    recorder.cancel()
    #expect(source.cancellations.count == 1)
    scheduler.run()
    #expect(recorder.log.isEmpty)
  }

  @Test func cancellationEndsTheWatchAndReleasesTheError() {
    let counter = LifetimeCounter()
    let source = Source(keepsSubscribers: true)
    func subscribed() -> RecordingSubscriber<Int, TestError> {
      let token = counter.make()
      return source.recorded {
        $0.timeout(2, scheduler: scheduler) {
          token.touch()
          return TestError()
        }
      }
    }
    let recorder = subscribed()
    #expect(counter.count == 1)
    source.send(1)
    recorder.cancel()
    #expect(counter.count == 0)
    scheduler.run()
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.count == 1)
  }

  @Test func errorMayCancel() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    source.timeout(2, scheduler: scheduler) { [unowned recorder] in
      recorder.cancel()
      return TestError()
    }.subscribe(recorder)
    scheduler.run()
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.count == 1)
  }

  // MARK: Demand

  @Test func demandPassesThrough() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.timeout(2, scheduler: scheduler).subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(4) == .none)
    scheduler.advance()
    #expect(source.requests == [.max(2), .max(4)])
  }

  @Test func everySignalIsPassedOnWhateverWasAskedFor() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.timeout(2, scheduler: scheduler) }
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  // MARK: Other schedulers

  @Test func immediateSchedulerHasNoTime() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.timeout(2, scheduler: ImmediateScheduler.shared) }
    #expect(recorder.subscriptionNames == ["Timeout"])
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations.count == 1)
    // The time is up before anything has been asked for.
    #expect([1, 2].publisher.timeout(2, scheduler: ImmediateScheduler.shared).recorded().log == ["finished"])
  }

  @Test func realQueueTimesOutNotBefore() {
    let done = Latch()
    let recorder = RecordingSubscriber<Int, TestError>()
    let start = DispatchTime.now()
    recorder.onCompletion = { _ in
      #expect(DispatchTime.now() >= start + .milliseconds(20))
      done.open()
    }
    let source = Source(keepsSubscribers: true)
    source.timeout(.milliseconds(20), scheduler: DispatchQueue.global()) { TestError("too long") }.subscribe(recorder)
    #expect(done.wait())
    #expect(recorder.log == ["too long"])
    #expect(source.cancellations.count == 1)
  }

  @Test func keepsTheRules() {
    expectTimedRules("Timeout", holdsSurplus: false, bearsEarlyJobs: false) { upstream, scheduler, token in
      upstream.timeout(5, scheduler: scheduler) {
        token.touch()
        return TestError("too long")
      }
    }
  }
}
