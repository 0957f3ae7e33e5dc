import Dispatch
import Foundation
import InterflowTestSupport
import Testing

@testable import Combine

@Suite struct DispatchQueueSchedulerTests {
  typealias Time = DispatchQueue.SchedulerTimeType
  typealias Stride = Time.Stride

  private let queue = DispatchQueue(label: "scheduler")

  private func time(_ nanoseconds: UInt64) -> Time { Time(DispatchTime(uptimeNanoseconds: nanoseconds)) }

  // MARK: Time

  @Test func arithmeticIsExact() {
    // More than the 53 bits of a Double's fraction.
    let start = time(1 << 60 + 1)
    #expect(start.advanced(by: .nanoseconds(1)).dispatchTime.uptimeNanoseconds == 1 << 60 + 2)
    #expect(start.distance(to: time(1 << 60 + 4)).magnitude == 3)
    #expect(time(1 << 60 + 4).distance(to: start).magnitude == -3)
    var drifting = start
    for _ in 0..<1000 { drifting = drifting.advanced(by: .nanoseconds(7)) }
    #expect(start.distance(to: drifting) == .nanoseconds(7000))
    #expect(start < drifting)
    #expect(start.advanced(by: -.nanoseconds(1)) == time(1 << 60))
  }

  @Test func timesBeyondTheEndsAreClamped() {
    let now = queue.now
    #expect(now.advanced(by: .seconds(.max)).dispatchTime == .distantFuture)
    #expect(now.advanced(by: Stride(.never)).dispatchTime == .distantFuture)
    #expect(now.advanced(by: .seconds(.infinity)).dispatchTime == .distantFuture)
    #expect(Time(.distantFuture).advanced(by: 1).dispatchTime == .distantFuture)
    #expect(Time(.distantFuture).advanced(by: -1).dispatchTime == .distantFuture)
    #expect(time(5).advanced(by: .nanoseconds(-10)).dispatchTime.uptimeNanoseconds == 1)
    #expect(time(5).advanced(by: .nanoseconds(.min)).dispatchTime.uptimeNanoseconds == 1)
    #expect(now.distance(to: Time(.distantFuture)).magnitude == .max)
    #expect(Time(.distantFuture).distance(to: time(1)).magnitude == -.max)
  }

  @Test func stridesAreClampedToo() {
    #expect(Stride.seconds(Int.max).magnitude == .max)
    #expect(Stride.seconds(Int.min).magnitude == .min)
    #expect(Stride.milliseconds(.max).magnitude == .max)
    #expect(Stride.microseconds(.min).magnitude == .min)
    #expect(Stride.seconds(1e300).magnitude == .max)
    #expect(Stride.seconds(-.infinity).magnitude == .min)
    #expect(Stride(.never).magnitude == .max)
  }

  @Test func stridesHoldWholeNanoseconds() {
    expectStrideArithmetic(Stride.self)
    #expect(Stride.seconds(0.1).magnitude == 100_000_000)
    #expect(Stride.seconds(0.000_000_001).magnitude == 1)
    #expect((1.5 as Stride).magnitude == 1_500_000_000)
    #expect(Stride(.milliseconds(3)).timeInterval == .nanoseconds(3_000_000))
    #expect((Stride.nanoseconds(6) * .nanoseconds(7)).magnitude == 42)
    var product = Stride.nanoseconds(6)
    product *= .nanoseconds(7)
    #expect(product.magnitude == 42)
    #expect(Stride(exactly: 2 as UInt64) == 2)
    #expect(Stride(exactly: -5 as Int8)?.magnitude == -5_000_000_000)
    #expect(Stride(exactly: Int64.min) == nil)
    #expect(Stride(exactly: UInt64.max) == nil)
  }

  @Test func codingLosesNothing() throws {
    let times = [time(1 << 60 + 1), Time(.distantFuture), queue.now]
    let data = try JSONEncoder().encode(times)
    #expect(try JSONDecoder().decode([Time].self, from: data) == times)
    #expect(String(decoding: try JSONEncoder().encode([time(7)]), as: UTF8.self) == "[7]")
    let strides: [Stride] = [.nanoseconds(1 << 60 + 1), -3]
    #expect(try JSONDecoder().decode([Stride].self, from: JSONEncoder().encode(strides)) == strides)
  }

  @Test func equalTimesHashAlike() {
    #expect(Set([time(7), time(7), time(8)]).count == 2)
  }

  // MARK: Scheduling

  @Test func serialQueueRunsJobsInOrder() {
    let (done, log) = (Latch(), Shared<[Int]>([]))
    for number in 0..<1000 { queue.schedule { log.update { $0.append(number) } } }
    queue.schedule { done.open() }
    #expect(done.wait())
    #expect(log.value == Array(0..<1000))
  }

  @Test func optionsAreKept() {
    let group = DispatchGroup()
    let proceed = Latch()
    let runs = Shared(0)
    let options = DispatchQueue.SchedulerOptions(qos: .utility, flags: .barrier, group: group)
    queue.schedule(options: options) {
      proceed.wait()
      runs.update { $0 += 1 }
    }
    queue.schedule(after: queue.now.advanced(by: .milliseconds(1)), tolerance: 0, options: options) {
      runs.update { $0 += 1 }
    }
    #expect(group.wait(timeout: .now()) == .timedOut)
    proceed.open()
    #expect(group.wait(timeout: .now() + 300) == .success)
    #expect(runs.value == 2)
    let defaults = DispatchQueue.SchedulerOptions()
    #expect(defaults.qos == .unspecified)
    #expect(defaults.flags == [])
    #expect(defaults.group == nil)
  }

  @Test func laterIsNotBefore() {
    let done = Latch()
    let due = queue.now.advanced(by: .milliseconds(10))
    let ran = Shared<Time?>(nil)
    queue.schedule(after: due) {
      ran.value = queue.now
      done.open()
    }
    #expect(done.wait())
    #expect(due <= ran.value!)
    queue.schedule(after: due, tolerance: .seconds(1)) { done.open() }
    #expect(done.wait())
  }

  @Test func neverIsNotAtOnce() {
    let (early, done) = (Shared(0), Latch())
    for stride in [Stride(.never), .seconds(.max), .seconds(1e300)] {
      queue.schedule(after: queue.now.advanced(by: stride)) { early.update { $0 += 1 } }
    }
    queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { done.open() }
    #expect(done.wait())
    #expect(early.value == 0)
  }

  @Test func repetitionRunsUntilItIsCancelled() {
    let (third, runs) = (Latch(), Shared(0))
    let start = queue.now
    let repetition = queue.schedule(after: start.advanced(by: .milliseconds(1)), interval: .milliseconds(1)) {
      #expect(start < queue.now)
      if runs.update({
        $0 += 1; return $0
      }) == 3 {
        third.open()
      }
    }
    #expect(third.wait())
    // On the queue, so that no run is under way.
    let atTheEnd = queue.sync {
      repetition.cancel()
      return runs.value
    }
    waitForTimers(on: queue)
    #expect(runs.value == atTheEnd)
  }

  @Test(arguments: [0, -1, .min]) func intervalThatIsNotPositiveIsAShortOne(nanoseconds: Int) async {
    await #expect(processExitsWith: .success) { [nanoseconds] in
      let queue = DispatchQueue(label: "repetition")
      let runs = DispatchSemaphore(value: 0)
      let repetition = queue.schedule(after: queue.now, interval: .nanoseconds(nanoseconds)) { runs.signal() }
      for _ in 0..<3 { runs.wait() }
      repetition.cancel()
    }
    #expect(DispatchQueue.SchedulerTimeType.Stride.nanoseconds(nanoseconds).positive == .microseconds(100))
  }

  @Test func positiveIntervalIsKept() {
    for nanoseconds in [1, 99_999, .max] {
      #expect(DispatchQueue.SchedulerTimeType.Stride.nanoseconds(nanoseconds).positive.magnitude == nanoseconds)
    }
  }

  @Test func repetitionThatCancelsItselfRunsOnce() {
    let (first, runs) = (Latch(), Shared(0))
    let repetition = Shared<(any Cancellable)?>(nil)
    queue.sync {
      repetition.value = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
        runs.update { $0 += 1 }
        repetition.value?.cancel()
        first.open()
      }
    }
    #expect(first.wait())
    waitForTimers(on: queue)
    #expect(runs.value == 1)
  }

  @Test func repetitionEndsWithItsCancellable() {
    let counter = LifetimeCounter()
    let first = Latch()
    func repeated() -> any Cancellable {
      let token = counter.make()
      return queue.schedule(
        after: queue.now, interval: .milliseconds(1), tolerance: .milliseconds(1), options: .init(qos: .utility)
      ) {
        token.touch()
        first.open()
      }
    }
    do {
      let repetition = repeated()
      #expect(first.wait())
      withExtendedLifetime(repetition) {}
    }
    // The queue releases the closure in a job of its own.
    for _ in 0..<1000 where counter.count > 0 { waitForTimers(on: queue) }
    #expect(counter.count == 0)
  }
}

/// Waits until timers that were due have run: a later one has.
func waitForTimers(on queue: DispatchQueue) {
  let done = Latch()
  queue.asyncAfter(deadline: .now() + .milliseconds(10)) { done.open() }
  #expect(done.wait())
}
