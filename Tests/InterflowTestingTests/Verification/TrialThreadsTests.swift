import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowTesting

@Suite struct TrialThreadsTests {
  private let workers = WorkerThreads(1)
  private let waitLimit = WaitLimit(.seconds(180))

  @Test func thereAreNeverMoreThreadsThanTheLimit() {
    let threads = TrialThreads(workers, waitLimit)
    let latch = DispatchSemaphore(value: 0)
    let first = threads.start(TrialThreads.limit - 1) { _ in latch.wait() }
    #expect(first != nil, "with the worker, there are as many as may be")
    #expect(threads.start(1) { _ in } == nil)
    for _ in 1..<TrialThreads.limit { latch.signal() }
    #expect(first.map { threads.wait(for: $0, threads.beginWait()) } == true)
    let next = threads.start(1) { _ in }
    #expect(next.map { threads.wait(for: $0, threads.beginWait()) } == true)
    workers.dismiss()
  }

  @Test func callsOnOtherThreadsAreNestedTwice() {
    let threads = TrialThreads(workers, waitLimit)
    let nested = Log()
    @Sendable func call() {
      nested.add("\(threads.isNested)")
      if threads.isNested { return }
      if let group = threads.start(1, { _ in call() }) { _ = threads.wait(for: group, threads.beginWait()) }
    }
    call()
    #expect(nested.entries == ["false", "false", "true"])
    workers.dismiss()
  }

  @Test func aRunThatIsStoppedDoesNotGoOn() {
    let threads = TrialThreads(workers, waitLimit)
    let log = Log()
    let hasReturned = workers.run(threads) { _ in
      let group = threads.start(1) { _ in threads.stop() }
      if let group { _ = threads.wait(for: group, threads.beginWait()) }
      log.add("went on")
    }
    #expect(!hasReturned)
    #expect(!threads.giveUp(), "it was stopped before")
    #expect(log.entries == [])
  }

  @Test func aThreadThatTheRunHasNotStartedIsNeverKept() {
    let givenUp = TrialThreads(workers, waitLimit)
    #expect(givenUp.signalBegins())
    #expect(givenUp.giveUp())
    var counting = 0
    while givenUp.signalBegins() { counting += 1 }
    #expect(counting == 10_000)
    #expect(givenUp.mayGoOn(), "its calls may still return")

    let stopped = TrialThreads(workers, waitLimit)
    stopped.stop()
    #expect(!stopped.mayGoOn())
    #expect(!stopped.signalBegins())
    workers.dismiss()
  }

  @Test func lateSignalsWithoutEndKeepTheRunsOwnThreads() {
    let threads = TrialThreads(workers, waitLimit)
    let own = Shared<[TrialThreads.Group?]>([])
    let hasReturned = workers.run(threads) { [workers] _ in
      _ = threads.giveUp()
      own.update { $0.append(threads.start(1) { _ in while threads.signalBegins() {} }) }
      workers.wake()
      while threads.signalBegins() {}
    }
    #expect(!hasReturned)
    let group = own.value.first ?? nil
    waitLimit.missed()
    #expect(group.map { threads.wait(for: $0, threads.beginWait()) } == false)
  }

  @Test func afterAMissedSignalTheNextIsWaitedForShortly() {
    #expect(waitLimit.duration == .seconds(180))
    waitLimit.missed()
    #expect(waitLimit.duration == .seconds(2))
    let short = WaitLimit(.milliseconds(50))
    short.missed()
    #expect(short.duration == .milliseconds(50))
    workers.dismiss()
  }

  @Test func whatTakesItsTimeIsWaitedForLongerAfterAMissedSignal() {
    waitLimit.answered(after: .seconds(3))
    waitLimit.answered(after: .seconds(1))
    waitLimit.missed()
    #expect(waitLimit.duration == .seconds(12))
    waitLimit.answered(after: .seconds(100))
    #expect(waitLimit.duration == .seconds(180))
    workers.dismiss()
  }
}
