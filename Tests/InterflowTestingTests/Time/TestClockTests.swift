import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowTesting

@Suite struct TestClockTests {
  let timeline = TestTimeline()
  let log = Log()
  var clock: TestClock { timeline.clock }

  @Test func sleepersWakeAtTheirTime() async throws {
    let (clock, log) = (clock, log)
    let task = Task(executorPreference: timeline) {
      try await clock.sleep(for: .seconds(2))
      log.add("\(clock.now)")
      try await clock.sleep(until: 5)
      log.add("\(clock.now)")
      return clock.now
    }
    await clock.advance(by: .seconds(1))
    #expect(log.entries == [])
    await clock.advance(by: .seconds(1))
    #expect(log.entries == ["2 s"])
    await clock.advance(to: 5)
    #expect(log.entries == ["2 s", "5 s"])
    #expect(try await task.value == 5)
    try clock.verifyFinished()
  }

  @Test func everyStepOfATaskHasRunWhenTimeHasPassed() throws {
    // Without any await in the test: what has not run by then would never run.
    let (clock, log) = (clock, log)
    let counter = Counter()
    Task(executorPreference: timeline) {
      try await clock.sleep(for: .seconds(1))
      for _ in 0..<100 {
        await counter.increment()
        await Task.yield()
      }
      log.add("\(await counter.value)")
    }
    timeline.advance(by: 1)
    #expect(log.entries == ["100"])
  }

  @Test func childTasksAreSeen() throws {
    let (clock, log) = (clock, log)
    Task(executorPreference: timeline) {
      await withTaskGroup(of: Void.self) { group in
        for index in [3, 1, 2] {
          group.addTask {
            try? await clock.sleep(for: .seconds(index))
            log.add("\(index) at \(clock.now)")
          }
        }
      }
      async let last: Void = { try? await clock.sleep(for: .seconds(1)) }()
      await last
      log.add("done at \(clock.now)")
    }
    timeline.run()
    #expect(log.entries == ["1 at 1 s", "2 at 2 s", "3 at 3 s", "done at 4 s"])
    try timeline.verifyFinished()
  }

  @Test func aThousandTasksRunInTheSameOrderEveryTime() {
    func order() -> [String] {
      let (timeline, log) = (TestTimeline(), Log())
      for index in 0..<1_000 {
        Task(executorPreference: timeline) {
          for step in 0..<3 {
            try await timeline.clock.sleep(for: .milliseconds((index * 7 + step) % 13))
            log.add("\(index).\(step) at \(timeline.now)")
          }
        }
      }
      timeline.run()
      return log.entries
    }
    let first = order()
    #expect(first.count == 3_000)
    #expect(order() == first)
  }

  @Test func cancellingASleeperThrows() async throws {
    let (clock, log) = (clock, log)
    let task = Task(executorPreference: timeline) {
      do {
        try await clock.sleep(for: .seconds(10))
      } catch {
        log.add("\(type(of: error)) at \(clock.now)")
      }
    }
    await clock.advance(by: .seconds(1))
    #expect(timeline.pending == [PendingWork(time: 10, kind: .sleep)])
    task.cancel()
    #expect(timeline.pending == [PendingWork(time: 1, kind: .task)])
    await clock.advance()
    #expect(log.entries == ["CancellationError at 1 s"])
    try clock.verifyFinished()
  }

  @Test func aCancelledTaskDoesNotGoToSleep() throws {
    let (clock, log) = (clock, log)
    let task = Task(executorPreference: timeline) {
      do {
        try await clock.sleep(for: .zero)
      } catch {
        log.add("\(type(of: error))")
      }
    }
    task.cancel()
    timeline.advance()
    #expect(log.entries == ["CancellationError"])
  }

  @Test func aDeadlineThatHasPassedDoesNotSleep() throws {
    let clock = clock
    timeline.advance(by: 3)
    try timeline.run { try await clock.sleep(until: 2) }
    #expect(timeline.now == 3)
  }

  @Test func theErrorNamesSleepersAndTasks() throws {
    let clock = clock
    Task(executorPreference: timeline) { try await clock.sleep(for: .seconds(10)) }
    #expect(throws: UnfinishedWork.self) { try clock.verifyFinished() }
    #expect(timeline.pending.map(\.description) == ["at 0 s: a task that is ready to go on"])
    timeline.advance()
    #expect(timeline.pending.map(\.description) == ["at 10 s: a task that sleeps"])
    timeline.run()
  }

  @Test func tasksElsewhereAreWokenAndCanBeWaitedFor() async throws {
    let clock = clock
    let task = Task.detached {
      try await clock.sleep(for: .seconds(1))
      try await clock.sleep(for: .seconds(1))
      return clock.now
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    #expect(try await task.value == 2)
  }

  @Test func waitingForSeveralSleepers() async throws {
    let clock = clock
    let tasks = (1...20).map { index in
      Task.detached { try await clock.sleep(for: .seconds(index)) }
    }
    await clock.waitForSleepers(20)
    #expect(timeline.pending.count == 20)
    await clock.advance(by: .seconds(20))
    for task in tasks { try await task.value }
  }

  @Test func cancellationAndTimeMayMeet() async {
    for _ in 0..<500 {
      let timeline = TestTimeline()
      let task = Task.detached { try await timeline.clock.sleep(for: .seconds(1)) }
      await timeline.clock.waitForSleepers()
      let other = Task.detached { task.cancel() }
      await timeline.clock.advance(by: .seconds(1))
      await other.value
      switch await task.result {  // Either is right, once.
      case .success: break
      case .failure(let error): #expect(error is CancellationError)
      }
      #expect(timeline.pending.isEmpty)
    }
  }

  @Test func aSleepMayMeetTheTimeThatItWaitsFor() async throws {
    for round in 0..<2_000 {
      let timeline = TestTimeline()
      let (hasBegun, mayMeet, hasEnded) = (Shared(false), Shared(false), Shared(false))
      let task = Task.detached {
        hasBegun.value = true
        while !mayMeet.value { sched_yield() }
        try await timeline.clock.sleep(until: 1)
        hasEnded.value = true
      }
      await withCheckedContinuation { continuation in
        Thread {
          while !hasBegun.value { sched_yield() }
          mayMeet.value = true
          for _ in 0..<(round % 50) { _ = hasEnded.value }
          timeline.advance(to: 1)
          continuation.resume()
        }.start()
      }
      while !hasEnded.value, timeline.pending.isEmpty { await Task.yield() }
      try #require(timeline.pending == [], "in round \(round)")
      try await task.value
    }
  }

  @Test func advancingBeginsAtTheTimeThatAnotherThreadHasReached() async {
    await #expect(processExitsWith: .success) {
      alarm(600)
      let clock = TestClock()
      await withCheckedContinuation { continuation in
        clock.timeline.scheduler.schedule(after: 5) {
          continuation.resume()
          while clock.timeline.waitingThreads == 0 { sched_yield() }
        }
        Thread { clock.timeline.advance(by: 10) }.start()
      }
      await clock.advance(by: .seconds(1))
      #expect(clock.now == 11)
    }
  }

  @Test func clockAndSchedulerShareOneOrder() throws {
    let (clock, log) = (clock, log)
    timeline.scheduler.schedule(after: 2) { log.add("scheduler") }
    Task(executorPreference: timeline) {
      try await clock.sleep(for: .seconds(1))
      log.add("clock")
      try await clock.sleep(for: .seconds(1))
      log.add("clock again")
    }
    timeline.scheduler.advance(by: 2)
    #expect(log.entries == ["clock", "scheduler", "clock again"])
    #expect(clock.now == timeline.scheduler.now)
  }
}
