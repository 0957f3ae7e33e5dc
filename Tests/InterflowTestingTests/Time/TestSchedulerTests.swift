import InterflowTesting
import Testing

@Suite struct TestSchedulerTests {
  let scheduler = TestScheduler()
  let log = Log()

  @Test func nothingRunsBeforeTimePasses() {
    scheduler.schedule { log.add("now") }
    #expect(log.entries == [])
    scheduler.advance()
    #expect(log.entries == ["now"])
  }

  @Test func workRunsAtItsTime() {
    for seconds in [3, 1, 2] {
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(seconds))) { log.add("\(scheduler.now)") }
    }
    scheduler.advance(by: 2.5)
    #expect(log.entries == ["1 s", "2 s"])
    #expect(scheduler.now == 2.5)
    scheduler.advance(to: 3)
    #expect(log.entries == ["1 s", "2 s", "3 s"])
  }

  @Test func workOfTheSameTimeRunsInTheOrderOfScheduling() {
    for index in 0..<100 { scheduler.schedule(after: index.isMultiple(of: 2) ? 1 : 2) { log.add("\(index)") } }
    scheduler.advance(by: 2)
    let even = stride(from: 0, to: 100, by: 2).map(String.init)
    let odd = stride(from: 1, to: 100, by: 2).map(String.init)
    #expect(log.entries == even + odd)
  }

  @Test func workWhoseTimeHasPassedRunsAtThePresent() {
    scheduler.advance(by: 5)
    scheduler.schedule { log.add("first") }
    scheduler.schedule(after: 2) { log.add("second at \(scheduler.now)") }
    scheduler.advance()
    #expect(log.entries == ["first", "second at 5 s"])
  }

  @Test func workScheduledFromWorkRunsInTheSameAdvance() {
    scheduler.schedule(after: 1) {
      scheduler.schedule(after: 2) { log.add("later at \(scheduler.now)") }
      scheduler.schedule { log.add("at once at \(scheduler.now)") }
    }
    scheduler.schedule(after: 1) { log.add("scheduled before") }
    scheduler.advance(by: 2)
    #expect(log.entries == ["scheduled before", "at once at 1 s", "later at 2 s"])
  }

  @Test func workMayLetTimePass() {
    scheduler.schedule(after: 1) {
      scheduler.advance(by: 3)
      log.add("inner at \(scheduler.now)")
    }
    scheduler.schedule(after: 2) { log.add("passed at \(scheduler.now)") }
    scheduler.advance(by: 2)
    #expect(log.entries == ["passed at 2 s", "inner at 4 s"])
    #expect(scheduler.now == 4)
  }

  @Test func repetitionsRunAtTheirInterval() {
    let repetition = scheduler.schedule(after: 1, interval: 0.5) { log.add("\(scheduler.now)") }
    scheduler.advance(by: 2)
    #expect(log.entries == ["1 s", "1.5 s", "2 s"])
    repetition.cancel()
    repetition.cancel()
    scheduler.advance(by: 10)
    #expect(log.entries.count == 3)
    #expect(throws: Never.self) { try scheduler.verifyFinished() }
  }

  @Test func repetitionsMayCancelThemselves() {
    var repetition: (any Cancellable)?
    repetition = scheduler.schedule(after: 0, interval: .milliseconds(10)) {
      log.add("\(scheduler.now)")
      if log.entries.count == 3 { repetition?.cancel() }
    }
    scheduler.run()
    scheduler.advance(by: 1)
    #expect(log.entries == ["0 s", "0.01 s", "0.02 s"])
  }

  @Test func droppingARepetitionEndsIt() {
    do {
      let repetition = scheduler.schedule(after: 1, interval: 1) { log.add("ran") }
      withExtendedLifetime(repetition) { scheduler.advance(by: 1) }
    }
    scheduler.advance(by: 5)
    #expect(log.entries == ["ran"])
  }

  @Test func repetitionsTakeTheirPlaceInTheOrderOfScheduling() {
    let repetition = scheduler.schedule(after: 1, interval: 1) { log.add("repetition \(scheduler.now)") }
    scheduler.schedule(after: 1) { scheduler.schedule(after: 2) { log.add("once \(scheduler.now)") } }
    scheduler.advance(by: 2)
    #expect(log.entries == ["repetition 1 s", "repetition 2 s", "once 2 s"])
    repetition.cancel()
  }

  @Test func runEndsWhenOnlyRepetitionsAreLeft() {
    let repetition = scheduler.schedule(after: 1, interval: 1) { log.add("\(scheduler.now)") }
    scheduler.schedule(after: 3) { log.add("last") }
    scheduler.run()
    #expect(log.entries == ["1 s", "2 s", "last"])
    #expect(scheduler.now == 3)
    repetition.cancel()
  }

  @Test func runWaitsForTheFirstTimeOfARepetition() throws {
    let repetition = scheduler.schedule(after: 4, interval: 1) { log.add("\(scheduler.now)") }
    scheduler.run()
    #expect(log.entries == ["4 s"])
    scheduler.run()
    #expect(scheduler.now == 4)
    repetition.cancel()
    try scheduler.verifyFinished()
  }

  @Test func runDeliversWhatIsDebouncedAndTimesOut() throws {
    let input = PassthroughSubject<Int, Never>()
    let cancellable = input.debounce(for: 2, scheduler: scheduler).timeout(5, scheduler: scheduler)
      .sink(receiveCompletion: { log.add("\($0) at \(scheduler.now)") }, receiveValue: { log.add("\($0)") })
    input.send(1)
    scheduler.run()
    #expect(log.entries == ["1", "finished at 7 s"])
    try scheduler.verifyFinished()
    cancellable.cancel()
  }

  @Test func theErrorNamesWhatIsStillScheduled() throws {
    scheduler.advance(by: 1)
    let repetition = scheduler.schedule(
      after: 4, interval: .milliseconds(250), tolerance: 0, options: "heartbeat"
    ) {}
    scheduler.schedule(options: nil) {}
    scheduler.schedule(after: 2.5, tolerance: 0, options: "retry") {}
    let error = try #require(throws: UnfinishedWork.self) { try scheduler.verifyFinished() }
    #expect(
      error.pending == [
        PendingWork(time: 1, kind: .once(name: nil)), PendingWork(time: 2.5, kind: .once(name: "retry")),
        PendingWork(time: 4, kind: .repetition(every: 0.25, name: "heartbeat")),
      ])
    #expect(
      "\(error)" == """
        at 1 s, 3 things are still scheduled:
          at 1 s: work without a name
          at 2.5 s: “retry”
          at 4 s: “heartbeat”, again every 0.25 s
        """)
    repetition.cancel()
    scheduler.run()
    try scheduler.verifyFinished()
  }

  @Test func anOperatorsOptionsNameItsWork() {
    let input = PassthroughSubject<Int, Never>()
    let cancellable = input.debounce(for: 2, scheduler: scheduler, options: "search").sink { log.add("\($0)") }
    input.send(1)
    #expect(scheduler.timeline.pending.map(\.description) == ["at 2 s: “search”, again every 2 s"])
    scheduler.advance(by: 2)
    #expect(log.entries == ["1"])
    cancellable.cancel()
  }

  @Test func cancelledWorkIsReleased() {
    final class Token {}
    weak var token: Token?
    let repetition: any Cancellable
    do {
      let strong = Token()
      token = strong
      repetition = scheduler.schedule(after: 1, interval: 1) { withExtendedLifetime(strong) {} }
    }
    #expect(token != nil)
    repetition.cancel()
    #expect(token == nil)
  }

  @Test func workThatRanIsReleased() {
    final class Token {}
    weak var token: Token?
    do {
      let strong = Token()
      token = strong
      scheduler.schedule(after: 1) { withExtendedLifetime(strong) {} }
    }
    #expect(token != nil)
    scheduler.advance(by: 1)
    #expect(token == nil)
  }

  @Test func otherThreadsMaySchedule() {
    for _ in 0..<50 {
      let scheduler = TestScheduler()
      let counts = (0..<4).map { _ in Log() }
      inParallel(5) { index in
        if index == 4 {
          for _ in 0..<50 { scheduler.advance(by: 1) }
        } else {
          for number in 0..<100 {
            scheduler.schedule(after: VirtualTime(nanoseconds: number * 400_000_000)) { counts[index].add("\(number)") }
          }
        }
      }
      scheduler.run()
      for log in counts { #expect(Set(log.entries).count == 100) }
    }
  }

  @Test func oneThreadAtATimeRunsWork() {
    let scheduler = scheduler
    let probe = Probe()
    for _ in 0..<1_000 { scheduler.schedule(after: 1) { probe.visit() } }
    inParallel(4) { _ in for _ in 0..<10 { scheduler.advance(by: 0.1) } }
    scheduler.advance(by: 1)
    #expect(probe.visits == 1_000)
    #expect(probe.overlaps == 0)
  }
}
