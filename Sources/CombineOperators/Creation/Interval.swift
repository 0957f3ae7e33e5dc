import Combine

extension Publishers {
  /// A publisher of the numbers from zero on, one each time that an interval has passed.
  ///
  /// ```swift
  /// let seconds = Publishers.Interval(every: .seconds(1), on: DispatchQueue.main)
  /// ```
  ///
  /// The time begins with the subscription, for each subscriber. The publisher never completes.
  ///
  /// - Demand: A number for which there is no demand when its time comes is dropped, and the count goes on.
  /// - Cancellation: Ends the timer.
  /// - Thread: Numbers are delivered on the scheduler.
  public struct Interval<S: Scheduler>: Publisher {
    /// The numbers.
    public typealias Output = Int
    /// It never fails.
    public typealias Failure = Never

    private let interval: S.SchedulerTimeType.Stride
    private let tolerance: S.SchedulerTimeType.Stride?
    private let scheduler: S
    private let options: S.SchedulerOptions?

    /// Makes a publisher of numbers.
    ///
    /// - Parameters:
    ///   - interval: The time between two numbers, and before the first.
    ///   - tolerance: How much later a number may be.
    ///   - scheduler: Measures the time and delivers the numbers.
    ///   - options: Options passed to the scheduler.
    public init(
      every interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, on scheduler: S,
      options: S.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Int, Downstream.Failure == Never {
      let delivery = Delivery(subscriber, "Interval", IntervalValues())
      delivery.sendSubscription()
      guard delivery.isAccepting else { return }
      let timer = scheduler.schedule(
        after: scheduler.now.advanced(by: interval), interval: interval,
        tolerance: tolerance ?? scheduler.minimumTolerance, options: options
      ) {
        delivery.withTurn {
          // Counted first, since the time of the next one may come during the delivery.
          let number = $0.values.next
          $0.values.next += 1
          if $0.takesValue { $0.send(number) }
        }
      }
      delivery.cancelAtEnd(timer)
    }
  }
}

private struct IntervalValues: DeliveryValues {
  var next = 0
}
