public import Foundation
import InterflowPrimitives

extension Timer {
  /// Makes a publisher of the current date, again and again, once it is connected.
  ///
  /// On the main run loop ticks come through the main queue, so that they also come under an asynchronous `main`, which
  /// runs no run loop.
  ///
  /// ```swift
  /// let cancellable = Timer.publish(every: 1, on: .main, in: .common)
  ///   .autoconnect()
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between ticks, in seconds.
  ///   - tolerance: How much later than due a tick may come, in seconds; as little as possible without one.
  ///   - runLoop: Where the timer runs.
  ///   - mode: The run loop's mode in which it runs.
  ///   - options: What the run loop is told of how to run.
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop,
    in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil
  ) -> TimerPublisher {
    TimerPublisher(
      interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
  }

  /// A publisher of the current date at an interval, once it is connected.
  ///
  /// Each connection runs a timer of its own, which cancelling the connection stops. All subscribers share it.
  ///
  /// - Demand: A subscriber misses the ticks that it has not asked for in time.
  public final class TimerPublisher: ConnectablePublisher {
    /// The date of the tick.
    public typealias Output = Date
    /// A timer cannot fail.
    public typealias Failure = Never

    /// The time between ticks, in seconds.
    public let interval: TimeInterval
    /// How much later than due a tick may come, in seconds.
    public let tolerance: TimeInterval?
    /// Where the timer runs.
    public let runLoop: RunLoop
    /// The run loop's mode in which it runs.
    public let mode: RunLoop.Mode
    /// What the run loop is told of how to run.
    public let options: RunLoop.SchedulerOptions?

    private let ticks = PassthroughSubject<Date, Never>()

    /// Makes a publisher of ticks.
    public init(
      interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance
      self.runLoop = runLoop
      self.mode = mode
      self.options = options
    }

    /// Attaches a subscriber, which gets ticks while there is a connection.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
      ticks.subscribe(RelayStage(subscriber, UpstreamLink("Timer")))
    }

    /// Starts a timer.
    ///
    /// - Returns: What stops it; deallocating it does so too.
    public func connect() -> any Cancellable {
      let ticks = self.ticks
      return runLoop.repeating(
        from: Date(timeIntervalSinceNow: interval), every: interval, tolerance: tolerance ?? 0,
        in: mode
      ) {
        ticks.send(Date())
      }
    }
  }
}
