#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
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
      let (done, log) = (Latch(), Shared<[Int]>([]))
      for number in 0..<1000 { queue.schedule { log.update { $0.append(number) } } }
      queue.schedule(options: nil) { done.open() }
      #expect(done.wait())
      #expect(log.value == Array(0..<1000))
    }

    @Test func laterIsNotBefore() {
      let (done, ran) = (Latch(), Shared<Time?>(nil))
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
      #expect(early.value == 0)
      #expect(queue.operationCount == 2)
      repetition.cancel()
      queue.cancelAllOperations()
      queue.waitUntilAllOperationsAreFinished()
      #expect(early.value == 0)
    }

    @Test func whatIsToRunLaterIsWaitedForAsTheQueuesOwn() {
      let ran = Shared(false)
      queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { ran.value = true }
      queue.waitUntilAllOperationsAreFinished()
      #expect(ran.value)
      #expect(queue.operationCount == 0)
    }

    @Test func whatIsToRunLaterDoesNotKeepTheOnlyPlace() {
      let done = Latch()
      queue.schedule(after: Time(.distantFuture)) {}
      queue.schedule { done.open() }
      #expect(done.wait())
      queue.cancelAllOperations()
      queue.waitUntilAllOperationsAreFinished()
    }

    @Test func cancellingAllOperationsReachesWhatIsToRunLater() {
      let (counter, runs) = (LifetimeCounter(), Shared(0))
      func schedule() -> any Cancellable {
        let token = counter.make()
        let action = {
          token.touch()
          runs.update { $0 += 1 }
        }
        queue.schedule(after: Time(.distantFuture), action)
        return queue.schedule(after: Time(.distantFuture), interval: 1, action)
      }
      let repetition = schedule()
      queue.cancelAllOperations()
      queue.waitUntilAllOperationsAreFinished()
      #expect(runs.value == 0)
      repetition.cancel()
      #expect(counter.count == 0)
    }

    @Test func repetitionAlwaysHasItsNextRunInTheQueue() {
      let (third, counts) = (Latch(), Shared<[Int]>([]))
      let repetition = queue.schedule(after: queue.now.advanced(by: .milliseconds(5)), interval: .milliseconds(1)) {
        [queue] in
        counts.update { $0.append(queue.operationCount) }
        if counts.value.count == 3 { third.open() }
      }
      #expect(third.wait())
      // The one that runs and the next one.
      #expect(counts.value.prefix(3) == [2, 2, 2])
      repetition.cancel()
      queue.waitUntilAllOperationsAreFinished()
      #expect(queue.operationCount == 0)
    }

    @Test func cancellingARepetitionTakesItsNextRunOutOfTheQueue() {
      let repetition = queue.schedule(after: Time(.distantFuture), interval: 1) {}
      #expect(queue.operationCount == 1)
      repetition.cancel()
      queue.waitUntilAllOperationsAreFinished()
      #expect(queue.operationCount == 0)
    }

    @Test func runsThatAQueueIsTooLateForDoNotPileUp() {
      queue.isSuspended = true
      let runs = Shared(0)
      let repetition = queue.schedule(after: queue.now, interval: .milliseconds(1)) { runs.update { $0 += 1 } }
      for _ in 0..<3 {
        waitForTimers(on: .global())
        #expect(queue.operationCount == 1)
      }
      repetition.cancel()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      #expect(runs.value == 0)
    }

    @Test func aQueueThatNobodyKeepsStillRunsWhatIsToRunLater() {
      let done = Latch()
      do {
        let queue = OperationQueue()
        queue.schedule(after: queue.now.advanced(by: .milliseconds(5))) { done.open() }
      }
      #expect(done.wait())
    }

    @Test func repetitionRunsUntilItIsCancelled() {
      let (third, runs) = (Latch(), Shared(0))
      let repetition = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
        if runs.update({
          $0 += 1; return $0
        }) == 3 {
          third.open()
        }
      }
      #expect(third.wait())
      let cancelled = Latch()
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
      let first = Latch()
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
#endif
