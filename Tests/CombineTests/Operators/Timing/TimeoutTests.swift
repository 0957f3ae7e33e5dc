import Combine
import Dispatch
import Testing

@Suite struct TimeoutTests {
  typealias Source = ManualPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  // MARK: Silence

  @Test func silenceFinishes() {
    let source = Source()
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler, options: "label") }
    #expect(recorder.subscriptions == ["Timeout"])
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations == 0)
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations == 1)
    #expect(scheduler.options.allSatisfy { $0 == "label" })
  }

  @Test func silenceFailsWithTheErrorThatIsMadeThen() {
    let source = Source()
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
    let source = Source()
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

  @Test func oneJobWatchesTheClock() {
    let source = Source()
    let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) }
    for value in 1...100 {
      source.send(value)
      scheduler.advance()
    }
    #expect(recorder.values.count == 100)
    #expect(scheduler.scheduled == 1)
  }

  @Test func timeRunsWhileNobodyAsks() {
    let source = Source()
    let recorder = source.recorded(demand: .none) { $0.timeout(2, scheduler: scheduler) }
    scheduler.advance(by: 2)
    #expect(recorder.log == ["finished"])
  }

  @Test func valuesBeforeTheSilenceComeBeforeTheEnd() {
    let late = VirtualScheduler(order: .lastScheduled, lateness: 3)
    let source = Source()
    let recorder = source.recorded { $0.timeout(2, scheduler: late) }
    source.send(1)
    source.send(2)
    late.run()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func valueThatComesBeforeALateJobCounts() {
    let late = VirtualScheduler(lateness: 2)
    let source = Source()
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
      let source = Source()
      let recorder = source.recorded { $0.timeout(2, scheduler: scheduler) { TestError("too long") } }
      source.send(1)
      source.send(completion: completion)
      #expect(recorder.log.isEmpty)
      scheduler.run()
      #expect(recorder.log == ["1", completion == .finished ? "finished" : "failed"])
      #expect(source.cancellations == 0)
    }
  }

  @Test func cancellationEndsTheWatchAndReleasesTheError() {
    let counter = LifetimeCounter()
    let source = Source()
    func subscribed() -> Recorder<Int, TestError> {
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
    #expect(source.cancellations == 1)
  }

  @Test func errorMayCancel() {
    let source = Source()
    let recorder = Recorder<Int, TestError>()
    source.timeout(2, scheduler: scheduler) { [unowned recorder] in
      recorder.cancel()
      return TestError()
    }.subscribe(recorder)
    scheduler.run()
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations == 1)
  }

  // MARK: Demand

  @Test func demandPassesThrough() {
    let source = Source()
    let recorder = Recorder<Int, TestError>(demand: .max(2), demandForEach: { .max($0) })
    source.timeout(2, scheduler: scheduler).subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(4) == .none)
    scheduler.advance()
    #expect(source.requests == [.max(2), .max(4)])
  }

  // MARK: Other schedulers

  @Test func immediateSchedulerHasNoTime() {
    let source = Source()
    let recorder = source.recorded { $0.timeout(2, scheduler: ImmediateScheduler.shared) }
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations == 1)
    #expect(
      [1, 2].publisher.timeout(2, scheduler: ImmediateScheduler.shared).recorded().log == ["1", "2", "finished"])
  }

  @Test func realQueueTimesOutNotBefore() {
    let done = Gate()
    let recorder = Recorder<Int, TestError>()
    let start = DispatchTime.now()
    recorder.onCompletion = { _ in
      #expect(DispatchTime.now() >= start + .milliseconds(20))
      done.open()
    }
    let source = Source()
    source.timeout(.milliseconds(20), scheduler: DispatchQueue.global()) { TestError("too long") }.subscribe(recorder)
    #expect(done.wait())
    #expect(recorder.log == ["too long"])
    #expect(source.cancellations == 1)
  }

  @Test func keepsTheRules() {
    expectTimedRules("Timeout", bearsEarlyJobs: false) { upstream, scheduler, token in
      upstream.timeout(5, scheduler: scheduler) {
        token.touch()
        return TestError("too long")
      }
    }
  }
}
