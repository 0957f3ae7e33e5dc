import Dispatch
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct DeadlinesTests {
  @Test func runAfterTheirTimeAndInTheOrderOfTimes() async {
    let deadlines = Deadlines()
    let (order, done) = (Shared<[Int]>([]), Signal())
    let begin = ContinuousClock.now
    // Longer than it takes to add both.
    for (index, wait) in [Duration.seconds(3), .seconds(1)].enumerated() {
      deadlines.add(after: wait) {
        order.update { $0.append(index) }
        done.fire()
      }
    }
    await done.wait(2)
    #expect(order.value == [1, 0])
    #expect(begin.duration(to: .now) >= .seconds(3))
  }

  @Test func whatIsRemovedDoesNotRunAndIsReleased() async {
    let deadlines = Deadlines()
    let (counter, ran, done) = (LifetimeCounter(), Signal(), Signal())
    let number = {
      let token = counter.make()
      return deadlines.add(after: .seconds(3_600)) { withExtendedLifetime(token) { ran.fire() } }
    }()
    #expect(counter.count == 1)
    deadlines.remove(number)
    #expect(counter.count == 0)
    deadlines.add(after: .zero) { done.fire() }
    await done.wait()
    #expect(ran.count == 0)
  }

  @Test func aTimeThatNeverComesIsAccepted() async {
    let deadlines = Deadlines()
    let done = Signal()
    deadlines.add(after: .seconds(Int64.max)) { Issue.record("the time has come") }
    deadlines.add(after: .seconds(-5)) { done.fire() }
    await done.wait()
  }

  @Test func theThreadSleepsUntilATimeThatNeverComes() async {
    let (deadlines, others) = (Deadlines(), Deadlines())
    let done = Signal()
    deadlines.add(after: .seconds(Int64.max)) { Issue.record("the time has come") }
    // However late this is, a thread that sleeps has looked no more than when it began, and when it was woken.
    others.add(after: .milliseconds(500)) { done.fire() }
    await done.wait()
    #expect(deadlines.lookCount <= 2)
  }

  @Test(arguments: [UInt64.max, UInt64(Int64.max), UInt64(Int64.max) - 1, 1 << 62])
  func noWaitEndsInThePast(time: UInt64) {
    let now = DispatchTime.now()
    let end = Deadlines.end(ofWaitFor: time, at: now)
    #expect(end > now && end.uptimeNanoseconds - now.uptimeNanoseconds <= 3_600_000_000_000)
  }

  @Test func manyThreadsAddAndRemove() async {
    let deadlines = Deadlines()
    let done = Signal()
    inParallel(4) { index in
      for number in 0..<500 {
        let added = deadlines.add(after: .milliseconds(number % 7)) { done.fire() }
        if number % 3 == index % 3 { deadlines.remove(added) }
        deadlines.add(after: .microseconds(number)) { done.fire() }
      }
    }
    await done.wait(2_000)
  }
}
