import Combine
import Foundation
import Testing

@Suite struct OperationQueueSchedulerTests {
  typealias Time = OperationQueue.SchedulerTimeType
  typealias Stride = Time.Stride

  private let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }()

  // MARK: Time

  @Test func timeIsADate() throws {
    let time = Time(Date(timeIntervalSinceReferenceDate: 1000))
    #expect(time.advanced(by: 2.5).date == Date(timeIntervalSinceReferenceDate: 1002.5))
    #expect(time.distance(to: time.advanced(by: 3)) == 3)
    #expect(time.advanced(by: 3).distance(to: time) == -3)
    #expect(time < time.advanced(by: .nanoseconds(1000)))
    #expect(Set([time, time.advanced(by: 0)]).count == 1)
    #expect(try JSONDecoder().decode([Time].self, from: JSONEncoder().encode([time])) == [time])
  }

  @Test func stridesAreSeconds() throws {
    expectStrideArithmetic(Stride.self)
    #expect(Stride(1.5).timeInterval == 1.5)
    #expect((Stride(6) * 7).magnitude == 42)
    var product = Stride(6)
    product *= 7
    #expect(product == 42)
    #expect(Stride(exactly: 5 as UInt8) == 5)
    #expect(Stride(exactly: UInt64.max) == nil)
    #expect(try JSONDecoder().decode(Stride.self, from: JSONEncoder().encode(1.25 as Stride)) == 1.25)
  }

  // MARK: Scheduling

  @Test func jobsRunInOrder() {
    let (done, log) = (Gate(), Shared<[Int]>([]))
    for number in 0..<1000 { queue.schedule { log.update { $0.append(number) } } }
    queue.schedule(options: nil) { done.open() }
    #expect(done.wait())
    #expect(log.value == Array(0..<1000))
  }

  @Test func laterIsNotBefore() {
    let (done, ran) = (Gate(), Shared<Time?>(nil))
    let due = queue.now.advanced(by: .milliseconds(10))
    queue.schedule(after: due) {
      ran.value = queue.now
      done.open()
    }
    #expect(done.wait())
    // A date is of the wall clock, a timer is not; they are not exact to the microsecond.
    #expect(due.advanced(by: -.milliseconds(1)) <= ran.value!)
    queue.schedule(after: queue.now.advanced(by: -10), tolerance: 1) { done.open() }
    #expect(done.wait())
  }

  @Test func distantFutureIsNotAtOnce() {
    let early = Shared(0)
    queue.schedule(after: Time(.distantFuture)) { early.update { $0 += 1 } }
    let repetition = queue.schedule(after: Time(.distantFuture), interval: 1) { early.update { $0 += 1 } }
    waitForTimers(on: .global())
    queue.waitUntilAllOperationsAreFinished()
    #expect(early.value == 0)
    repetition.cancel()
  }

  @Test func repetitionRunsUntilItIsCancelled() {
    let (third, runs) = (Gate(), Shared(0))
    let repetition = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
      if runs.update({
        $0 += 1; return $0
      }) == 3 {
        third.open()
      }
    }
    #expect(third.wait())
    let cancelled = Gate()
    let atTheEnd = Shared(0)
    let box = UncheckedBox(repetition)
    queue.addOperation {
      box.value.cancel()
      atTheEnd.value = runs.value
      cancelled.open()
    }
    #expect(cancelled.wait())
    waitForTimers(on: .global())
    queue.waitUntilAllOperationsAreFinished()
    #expect(runs.value == atTheEnd.value)
  }

  @Test func runThatTheQueueHasNotBegunIsCancelledToo() {
    queue.isSuspended = true
    let runs = Shared(0)
    let repetition = queue.schedule(after: queue.now, interval: .milliseconds(1)) { runs.update { $0 += 1 } }
    while queue.operationCount == 0 { waitForTimers(on: .global()) }
    repetition.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(runs.value == 0)
  }

  @Test func repetitionEndsWithItsCancellable() {
    let counter = LifetimeCounter()
    let first = Gate()
    func repeated() -> any Cancellable {
      let token = counter.make()
      return queue.schedule(after: queue.now, interval: .milliseconds(1), tolerance: 1, options: nil) {
        token.touch()
        first.open()
      }
    }
    do {
      let repetition = repeated()
      #expect(first.wait())
      withExtendedLifetime(repetition) {}
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(counter.count == 0)
  }
}
