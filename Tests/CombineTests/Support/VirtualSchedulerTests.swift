import Combine
import InterflowTestSupport
import Testing

@Suite struct VirtualSchedulerTests {
  private let scheduler = VirtualScheduler()

  @Test func jobsRunAtTheirTimesAndEqualTimesInTheirOrder() {
    var log: [String] = []
    func job(_ name: String, after seconds: Int) {
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(seconds))) {
        log.append("\(name)@\(scheduler.now.nanoseconds / 1_000_000_000)")
      }
    }
    job("c", after: 3)
    job("a", after: 1)
    job("b", after: 3)
    job("past", after: -1)
    scheduler.schedule {
      log.append("now")
      job("nested", after: 1)
    }
    #expect(scheduler.scheduled == 5)
    scheduler.advance()
    #expect(log == ["past@0", "now"])
    scheduler.advance(by: .milliseconds(999))
    #expect(log.count == 2)
    scheduler.advance(by: 2)
    #expect(log == ["past@0", "now", "a@1", "nested@1"])
    scheduler.run()
    #expect(log.suffix(2) == ["c@3", "b@3"])
    #expect(scheduler.scheduled == 0)
    #expect(scheduler.now.nanoseconds == 3_000_000_000)
  }

  @Test func repetitionRunsAtEachIntervalUntilItIsCancelled() {
    var times: [Double] = []
    let start = scheduler.now
    var repetition: (any Cancellable)?
    repetition = scheduler.schedule(after: start.advanced(by: 1), interval: 2) {
      times.append(start.distance(to: scheduler.now).seconds)
      if times.count == 3 { repetition?.cancel() }
    }
    scheduler.run()
    #expect(times == [1])
    scheduler.run()
    #expect(times == [1])
    scheduler.advance(by: 100)
    #expect(times == [1, 3, 5])
    #expect(scheduler.scheduled == 0)
    #expect(scheduler.calls == [.again(after: 1, every: 2), .cancel(after: 1)])
  }

  @Test func otherOrdersAndLateJobs() {
    var log: [Int] = []
    let backwards = VirtualScheduler(order: .lastScheduled, lateness: 1)
    for number in 1...3 { backwards.schedule { log.append(number) } }
    backwards.advance()
    #expect(log.isEmpty)
    backwards.advance(by: 1)
    #expect(log == [3, 2, 1])
    let shuffled = VirtualScheduler(order: .random(seed: 1))
    log = []
    for number in 1...20 { shuffled.schedule { log.append(number) } }
    shuffled.run()
    #expect(log != Array(1...20))
    #expect(log.sorted() == Array(1...20))
  }

  @Test func severalThreadsSchedule() {
    let count = Shared(0)
    inParallel(8) { _ in
      for delay in 0..<500 {
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(delay % 7))) { count.update { $0 += 1 } }
      }
    }
    scheduler.run()
    #expect(count.value == 4000)
  }
}
