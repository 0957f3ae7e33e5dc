import Foundation
import InterflowTesting
import Testing

@Suite struct TestTimelineTests {
  let timeline = TestTimeline()
  let log = Log()

  @Test func anOperationGetsTheTimeItNeeds() throws {
    let clock = timeline.clock
    let answer = try timeline.run {
      async let first = {
        try await clock.sleep(for: .seconds(3)); return 1
      }()
      async let second = {
        try await clock.sleep(for: .seconds(5)); return 2
      }()
      return try await first + second
    }
    #expect(answer == 3)
    #expect(timeline.now == 5)
  }

  @Test func timePassesOnlyAsFarAsTheOperationNeeds() throws {
    timeline.scheduler.schedule(after: 10) { [log] in log.add("later") }
    let clock = timeline.clock
    try timeline.run { try await clock.sleep(for: .seconds(1)) }
    #expect(timeline.now == 1)
    #expect(log.entries == [])
    timeline.run()
    #expect(log.entries == ["later"])
  }

  @Test func anOperationMayLetTimePassItself() throws {
    let (timeline, log) = (timeline, log)
    try timeline.run {
      let task = Task(executorPreference: timeline) {
        for _ in 0..<3 {
          try await timeline.clock.sleep(for: .seconds(1))
          await Task.yield()
          log.add("tick at \(timeline.now)")
        }
      }
      await timeline.clock.advance(by: .seconds(2))
      log.add("advanced to \(timeline.now)")
      try await task.value
    }
    #expect(log.entries == ["tick at 1 s", "tick at 2 s", "advanced to 2 s", "tick at 3 s"])
  }

  @Test func anOperationsErrorIsThrown() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try timeline.run { throw Failure() } }
  }

  @Test func anOperationThatWaitsForNothingIsNamed() throws {
    let log = log
    let error = try #require(throws: StalledOperation.self) {
      try timeline.run {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for await value in stream { log.add("\(value)") }
        withExtendedLifetime(continuation) {}
        log.add("cancelled: \(Task.isCancelled)")
      }
    }
    #expect("\(error)".hasPrefix("at 0 s, the operation has not returned, and nothing is scheduled"))
    #expect(log.entries == ["cancelled: true"], "the operation's task is cancelled, and ends")
  }

  @Test func anOperationForWhichOnlyRepetitionsAreLeftIsNamed() async {
    await #expect(processExitsWith: .success) {
      alarm(600)
      let timeline = TestTimeline(stepLimit: 100)
      let repetition = timeline.scheduler.schedule(after: 1, interval: 1, tolerance: 0, options: "heartbeat") {}
      let error = #expect(throws: StalledOperation.self) {
        try timeline.run { try await timeline.clock.sleep(for: .seconds(Int64.max)) }
      }
      #expect(error?.description.hasSuffix(" s: “heartbeat”, again every 1 s") == true)
      repetition.cancel()
    }
  }

  @Test func anOperationThatAsksAgainAndAgainIsNamed() async {
    await #expect(processExitsWith: .success) {
      alarm(600)
      let timeline = TestTimeline(stepLimit: 100)
      #expect(throws: StalledOperation.self) {
        try timeline.run { while true { await Task.yield() } }
      }
    }
  }

  @Test func muchWorkAtOneTimeIsNotEndless() throws {
    let timeline = TestTimeline(stepLimit: 5)
    let count = Count()
    func add() {
      for _ in 0..<20 { timeline.scheduler.schedule { count.value += 1 } }
    }
    for _ in 0..<20 { timeline.scheduler.schedule(after: 1) { count.value += 1 } }
    timeline.scheduler.schedule(after: 1) { add() }
    timeline.advance(by: 1)
    #expect(count.value == 40)
    add()
    timeline.run()
    #expect(count.value == 60)
    for _ in 0..<20 {
      for _ in 0..<2 { timeline.scheduler.schedule { count.value += 1 } }
      timeline.advance()
    }
    #expect(count.value == 100)
    timeline.scheduler.schedule {
      for _ in 0..<20 {
        for _ in 0..<2 { timeline.scheduler.schedule { count.value += 1 } }
        timeline.advance()
      }
    }
    timeline.advance()
    #expect(count.value == 140)
  }

  @Test func anOperationMayTakeManySteps() throws {
    let timeline = TestTimeline(stepLimit: 10)
    let repetition = timeline.scheduler.schedule(after: 1, interval: 1) {}
    try timeline.run { for _ in 0..<100 { try await timeline.clock.sleep(for: .seconds(1)) } }
    #expect(timeline.now == 100)
    repetition.cancel()
  }

  @Test func anOperationMayLetAllTimePass() throws {
    let timeline = timeline
    try timeline.run { await timeline.clock.advance(by: .seconds(Int64.max)) }
    #expect(timeline.now.advanced(by: .nanoseconds(1)) == VirtualTime(nanoseconds: .max))
  }

  private final class Count: @unchecked Sendable {  // Used on the thread that drives the timeline only.
    var value = 0
  }

  @Test func whatIsNeverDueDoesNotRun() throws {
    let (timeline, log) = (timeline, log)
    let task = Task(executorPreference: timeline) {
      try? await timeline.clock.sleep(for: .seconds(Int64.max))
      log.add("awake, cancelled: \(Task.isCancelled)")
    }
    let repetition = timeline.scheduler.schedule(after: 1, interval: .seconds(.max)) { log.add("once") }
    timeline.run()
    #expect(timeline.now == 1)
    #expect(log.entries == ["once"])
    #expect(timeline.pending.contains(PendingWork(time: VirtualTime(nanoseconds: .max), kind: .sleep)))
    task.cancel()
    repetition.cancel()
    timeline.run()
    #expect(log.entries == ["once", "awake, cancelled: true"])
  }

  @Test func theEndOfTimeIsNotReached() throws {
    let timeline = timeline
    timeline.advance(by: .seconds(.max))
    try timeline.run { await Task.yield() }
    #expect(timeline.now < VirtualTime(nanoseconds: .max))
  }

  @Test func actorsUsedOnTheTimelineRunThere() throws {
    actor Storage {
      var values: [Int] = []
      func add(_ value: Int, clock: TestClock) async throws {
        try await clock.sleep(for: .seconds(1))
        values.append(value)
      }
    }
    let (storage, clock) = (Storage(), timeline.clock)
    let values = try timeline.run {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for value in 1...3 { group.addTask { try await storage.add(value, clock: clock) } }
        try await group.waitForAll()
      }
      return await storage.values
    }
    #expect(values == [1, 2, 3])
    #expect(timeline.now == 1)
  }

  @Test func runningIsPossibleInsideWork() throws {
    let (timeline, log) = (timeline, log)
    timeline.scheduler.schedule(after: 1) {
      let time = try? timeline.run {
        try await timeline.clock.sleep(for: .seconds(1))
        return timeline.now
      }
      log.add("\(time ?? 0)")
    }
    timeline.run()
    #expect(log.entries == ["2 s"])
  }

  @Test func aTimelineDescribesItself() {
    timeline.scheduler.schedule(after: 1) {}
    timeline.advance(by: 0.5)
    #expect("\(timeline)" == "TestTimeline(now: 0.5 s, scheduled: 1)")
    #expect("\(timeline.scheduler)" == "TestScheduler(now: 0.5 s, scheduled: 1)")
    #expect("\(timeline.clock)" == "TestClock(now: 0.5 s, scheduled: 1)")
  }

  @Test func aTimelineIsReleasedWithItsTasks() throws {
    weak var released: TestTimeline?
    do {
      let timeline = TestTimeline()
      released = timeline
      try timeline.run { [clock = timeline.clock] in try await clock.sleep(for: .seconds(1)) }
    }
    #expect(released == nil)
  }
}
