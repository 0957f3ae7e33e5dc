import Combine
import InterflowTestSupport
import Testing

@Suite struct SchedulerTests {
  /// Records what the methods that a scheduler has to have are called with.
  private final class Spy: Scheduler {
    typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
    typealias SchedulerOptions = String
    var calls: [String] = []

    var now: SchedulerTimeType { SchedulerTimeType(nanoseconds: 5) }
    var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(7) }

    func schedule(options: String?, _ action: @escaping () -> Void) {
      calls.append("now \(options ?? "-")")
      action()
    }

    func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: String?,
      _ action: @escaping () -> Void
    ) {
      calls.append("\(date.nanoseconds) \(tolerance.nanoseconds) \(options ?? "-")")
      action()
    }

    func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
      options: String?, _ action: @escaping () -> Void
    ) -> any Cancellable {
      calls.append("\(date.nanoseconds) \(interval.nanoseconds) \(tolerance.nanoseconds) \(options ?? "-")")
      action()
      return Subscriptions.empty
    }
  }

  @Test func defaultsAreTheMinimumToleranceAndNoOptions() {
    let spy = Spy()
    var runs = 0
    spy.schedule { runs += 1 }
    spy.schedule(after: spy.now) { runs += 1 }
    spy.schedule(after: spy.now, tolerance: .nanoseconds(9)) { runs += 1 }
    _ = spy.schedule(after: spy.now, interval: .nanoseconds(3)) { runs += 1 }
    _ = spy.schedule(after: spy.now, interval: .nanoseconds(3), tolerance: .nanoseconds(9)) { runs += 1 }
    #expect(spy.calls == ["now -", "5 7 -", "5 9 -", "5 3 7 -", "5 3 9 -"])
    #expect(runs == 5)
  }

  @Test func schedulerCanBeOfAnyType() {
    func run(_ scheduler: some Scheduler<VirtualScheduler.SchedulerTimeType>) -> Int {
      var runs = 0
      scheduler.schedule { runs += 1 }
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { runs += 1 }
      return runs
    }
    #expect(run(Spy()) == 2)
    #expect(run(VirtualScheduler()) == 0)
  }
}

/// What the strides of every scheduler that keeps time do alike.
func expectStrideArithmetic<Stride: SchedulerTimeIntervalConvertible & Comparable & SignedNumeric & Hashable>(
  _: Stride.Type, sourceLocation: SourceLocation = #_sourceLocation
) where Stride: ExpressibleByFloatLiteral, Stride.IntegerLiteralType: ExpressibleByIntegerLiteral {
  func expect(_ condition: Bool, _ comment: Comment) { #expect(condition, comment, sourceLocation: sourceLocation) }
  expect(Stride.seconds(2) == 2, "a whole literal is seconds")
  expect(Stride.seconds(2.5) == 2.5, "a broken literal is seconds")
  expect(Stride.seconds(1) == .milliseconds(1_000), "milliseconds")
  expect(Stride.seconds(1) == .microseconds(1_000_000), "microseconds")
  expect(Stride.seconds(1) == .nanoseconds(1_000_000_000), "nanoseconds")
  expect(Stride.seconds(3) + .seconds(1) == 4, "sum")
  expect(Stride.seconds(3) - .seconds(4) == -.seconds(1), "difference")
  var stride = Stride.seconds(3)
  stride += 2
  stride -= 1
  expect(stride == 4, "in place")
  stride.negate()
  expect(stride == .seconds(-4), "negation")
  expect(stride < .zero && Stride.zero < Stride.nanoseconds(1), "order")
  expect(Set([Stride.seconds(1), .milliseconds(1_000)]).count == 1, "hash")
}
