#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  @Suite struct RunLoopSchedulerTests {
    typealias Time = RunLoop.SchedulerTimeType
    typealias Stride = Time.Stride

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

    // MARK: The main run loop, which nobody runs here

    // Which thread serves the main queue is not said: after an asynchronous `main` it is a worker.
    private static let key: DispatchSpecificKey<Bool> = {
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      return key
    }()

    private let key = Self.key

    private var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) == true }

    @Test func mainRunLoopRunsJobsOnTheMainQueue() async {
      let log = Shared<[String]>([])
      let done = Signal()
      for number in 0..<100 {
        RunLoop.main.schedule {
          #expect(isOnMainQueue)
          log.update { $0.append("\(number)") }
        }
      }
      let due = RunLoop.main.now.advanced(by: .milliseconds(10))
      RunLoop.main.schedule(after: due) {
        #expect(isOnMainQueue)
        #expect(due.advanced(by: -.milliseconds(1)) <= RunLoop.main.now)
        log.update { $0.append("later") }
        done.fire()
      }
      await done.wait()
      #expect(log.value.filter { $0 != "later" } == (0..<100).map(String.init))
      RunLoop.main.schedule(after: due, tolerance: 1, options: nil) { done.fire() }
      await done.wait(2)
    }

    @Test func mainRunLoopRepeatsUntilCancelled() async {
      let runs = Signal()
      let repetition = RunLoop.main.schedule(after: RunLoop.main.now, interval: .milliseconds(1)) {
        #expect(isOnMainQueue)
        runs.fire()
      }
      await runs.wait(3)
      let box = UncheckedBox(repetition)
      let atTheEnd = await MainActor.run {
        box.value.cancel()
        return runs.count
      }
      await later(on: .main)
      #expect(runs.count == atTheEnd)
    }

    @Test func mainRunLoopReleasesADroppedRepetition() async {
      let counter = LifetimeCounter()
      let first = Signal()
      func repeated() -> any Cancellable {
        let token = counter.make()
        return RunLoop.main.schedule(after: RunLoop.main.now, interval: .milliseconds(1), tolerance: 0, options: nil) {
          token.touch()
          first.fire()
        }
      }
      do {
        let repetition = repeated()
        await first.wait()
        withExtendedLifetime(repetition) {}
      }
      // A run that had begun may still hold the closure.
      await later(on: .main)
      #expect(counter.count == 0)
    }

    @Test func distantFutureIsNotAtOnce() async {
      let early = Shared(0)
      RunLoop.main.schedule(after: Time(.distantFuture)) { early.update { $0 += 1 } }
      let repetition = RunLoop.main.schedule(after: Time(.distantFuture), interval: 1) { early.update { $0 += 1 } }
      await later(on: .main)
      #expect(early.value == 0)
      repetition.cancel()
    }

    private func later(on queue: DispatchQueue) async {
      await withCheckedContinuation { done in
        queue.asyncAfter(deadline: .now() + .milliseconds(10)) { done.resume() }
      }
    }

    // MARK: The run loop of another thread

    @Test func otherThreadsJobsWakeTheRunLoop() {
      let thread = LoopThread()
      // Each from outside and after the last, so that the loop is likely to sleep in between.
      for _ in 0..<20 {
        let done = Latch()
        thread.loop.schedule {
          #expect(Thread.current === thread.thread)
          done.open()
        }
        #expect(done.wait())
      }
      thread.stop()
    }

    @Test func jobsOfOtherThreadsRunInOrder() {
      let thread = LoopThread()
      let (log, done) = (Shared<[Int]>([]), Latch())
      for number in 0..<500 { thread.loop.schedule { log.update { $0.append(number) } } }
      thread.loop.schedule { done.open() }
      #expect(done.wait())
      #expect(log.value == Array(0..<500))
      thread.stop()
    }

    @Test func laterIsNotBefore() {
      let thread = LoopThread()
      let (done, ran) = (Latch(), Shared<Time?>(nil))
      let due = thread.loop.now.advanced(by: .milliseconds(10))
      thread.loop.schedule(after: due) {
        ran.value = RunLoop.current.now
        done.open()
      }
      #expect(done.wait())
      #expect(due.advanced(by: -.milliseconds(1)) <= ran.value!)
      thread.loop.schedule(after: due, tolerance: .milliseconds(1)) { done.open() }
      #expect(done.wait())
      thread.stop()
    }

    @Test func repetitionRunsUntilItIsCancelled() {
      let thread = LoopThread()
      let (third, runs) = (Latch(), Shared(0))
      let repetition = thread.loop.schedule(after: thread.loop.now, interval: .milliseconds(1)) {
        if runs.update({
          $0 += 1; return $0
        }) == 3 {
          third.open()
        }
      }
      #expect(third.wait())
      let atTheEnd = Shared(0)
      let cancelled = Latch()
      let box = UncheckedBox(repetition)
      thread.loop.schedule {
        box.value.cancel()
        atTheEnd.value = runs.value
        cancelled.open()
      }
      #expect(cancelled.wait())
      let done = Latch()
      thread.loop.schedule(after: thread.loop.now.advanced(by: .milliseconds(10))) { done.open() }
      #expect(done.wait())
      #expect(runs.value == atTheEnd.value)
      thread.stop()
    }

    @Test func repetitionEndsWithItsCancellable() {
      let thread = LoopThread()
      let counter = LifetimeCounter()
      let first = Latch()
      func repeated() -> any Cancellable {
        let token = counter.make()
        return thread.loop.schedule(after: thread.loop.now, interval: .milliseconds(1), tolerance: 0, options: nil) {
          token.touch()
          first.open()
        }
      }
      do {
        let repetition = repeated()
        #expect(first.wait())
        withExtendedLifetime(repetition) {}
      }
      let done = Latch()
      thread.loop.schedule { done.open() }
      #expect(done.wait())
      #expect(counter.count == 0)
      thread.stop()
    }

    @Test func streamIsDeliveredOnTheRunLoop() {
      let thread = LoopThread()
      let done = Latch()
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { _ in #expect(Thread.current === thread.thread) }
      recorder.onCompletion = { _ in done.open() }
      (0..<1000).publisher.receive(on: thread.loop).subscribe(recorder)
      #expect(done.wait())
      #expect(recorder.values == Array(0..<1000))
      thread.stop()
    }
  }

  /// A thread that runs its run loop until it is stopped.
  private final class LoopThread: @unchecked Sendable {  // Both are set before `init` returns, and not changed after.
    private(set) var loop: RunLoop!
    private(set) var thread: Thread!
    private let isStopped = Shared(false)

    init() {
      let started = Latch()
      let box = Shared<RunLoop?>(nil)
      thread = Thread { [isStopped] in
        let loop = RunLoop.current
        // Without anything to wait for, a run loop returns at once.
        loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
        box.value = loop
        started.open()
        while !isStopped.value, loop.run(mode: .default, before: .distantFuture) {}
      }
      thread.start()
      started.wait()
      loop = box.value
    }

    func stop() {
      loop.schedule { [isStopped] in isStopped.value = true }
    }
  }
#endif
