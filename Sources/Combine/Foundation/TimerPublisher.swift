#if INTERFLOW_FOUNDATION
  public import Foundation
  import InterflowPrimitives

  extension Timer {
    /// Makes a publisher that delivers the current date at an interval, once it is connected.
    ///
    /// A timer on the main run loop is scheduled on the main queue, so that it also fires under an asynchronous `main`,
    /// which does not run the main run loop.
    ///
    /// ```swift
    /// let cancellable = Timer.publish(every: 1, on: .main, in: .common)
    ///   .autoconnect()
    ///   .sink { print($0) }
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The time between ticks, in seconds.
    ///   - tolerance: How late a tick may be, in seconds; without one, as little as possible.
    ///   - runLoop: The run loop on which the timer runs.
    ///   - mode: The run loop's mode in which it runs.
    ///   - options: Options passed to the run loop.
    public static func publish(
      every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop,
      in mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
      TimerPublisher(
        interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }

    /// A publisher that delivers the current date at an interval, once it is connected. It never completes.
    ///
    /// All subscribers share one timer, which runs while there are a connection and a subscriber. Ticks are due at
    /// multiples of the interval after the connection. Connecting again returns the existing connection, so
    /// `publisher.connect().cancel()` stops the timer; after that, `connect()` starts it again. Releasing a connection
    /// does not cancel it.
    ///
    /// - Demand: Ticks for which a subscriber has no demand are dropped. A request for no values does nothing.
    /// - Thread: Delivers on the run loop; for the main run loop, on the main queue.
    /// - Cancellation: The timer stops when the last subscriber cancels, and runs again with the next one.
    public final class TimerPublisher: ConnectablePublisher {
      /// The date of the tick.
      public typealias Output = Date
      /// A timer cannot fail.
      public typealias Failure = Never

      /// The time between ticks, in seconds.
      public let interval: TimeInterval
      /// How late a tick may be, in seconds.
      public let tolerance: TimeInterval?
      /// The run loop on which the timer runs.
      public let runLoop: RunLoop
      /// The run loop's mode in which it runs.
      public let mode: RunLoop.Mode
      /// Options passed to the run loop.
      public let options: RunLoop.SchedulerOptions?

      private let ticks: Ticks

      /// Makes a publisher that delivers the current date at an interval, once it is connected.
      public init(
        interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
      ) {
        self.interval = interval
        self.tolerance = tolerance
        self.runLoop = runLoop
        self.mode = mode
        self.options = options
        ticks = Ticks(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode)
      }

      /// Attaches a subscriber, which receives ticks while there is a connection.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
        ticks.subscribe(subscriber)
      }

      /// Starts the timer, unless there is a connection.
      ///
      /// - Returns: A cancellable that ends the connection and stops the timer, for all subscribers.
      public func connect() -> any Cancellable {
        ticks.connect()
      }
    }
  }

  /// The timer that a publisher's subscribers share.
  private final class Ticks: @unchecked Sendable {  // `lock` guards every mutable state; see "Guarded by" below.
    private struct Connection {
      let number: Int
      let start: Date
    }

    private let interval: TimeInterval
    private let tolerance: TimeInterval?
    private let runLoop: RunLoop
    private let mode: RunLoop.Mode
    private let subject = PassthroughSubject<Date, Never>()

    // Guarded by `lock`: everything below it.
    private let lock = Lock()
    private var connection: Connection?
    private var connections = 0
    private var subscribers = 0
    private var running: RunningTimer?

    init(interval: TimeInterval, tolerance: TimeInterval?, runLoop: RunLoop, mode: RunLoop.Mode) {
      self.interval = interval
      self.tolerance = tolerance
      self.runLoop = runLoop
      self.mode = mode
    }

    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Date, S.Failure == Never {
      subject.subscribe(RelayStage(subscriber, Link(self)))
      update { subscribers += 1 }
    }

    func connect() -> Handle {
      var number = 0
      update {
        if connection == nil {
          connections += 1
          connection = Connection(number: connections, start: Date())
        }
        number = connections
      }
      return Handle(self, number)
    }

    private func disconnect(_ number: Int) {
      update { if connection?.number == number { connection = nil } }
    }

    /// Changes the state, and then starts or stops the timer as the new state requires.
    private func update(_ change: () -> Void) {
      lock.lock()
      change()
      let start = subscribers > 0 ? connection?.start : nil
      var (starting, stopping): (RunningTimer?, RunningTimer?)
      if start == nil {
        stopping = running.take()
      } else if running == nil {
        starting = RunningTimer()
        running = starting
      }
      lock.unlock()
      stopping?.cancel()
      guard let starting, let start else { return }
      // The timer retains this until it is stopped.
      let interval = RunLoop.positive(interval)
      let ticks = Swift.max(1, (-start.timeIntervalSinceNow / interval).rounded(.up))
      starting.set(
        runLoop.repeating(
          from: start.addingTimeInterval(ticks * interval), every: interval, tolerance: tolerance ?? 0, in: mode
        ) {
          self.subject.send(Date())
        })
    }

    /// The cancellable that `connect()` returns. There may be several for one connection.
    final class Handle: Cancellable {
      private let ticks: Ticks
      private let number: Int

      init(_ ticks: Ticks, _ number: Int) {
        self.ticks = ticks
        self.number = number
      }

      func cancel() {
        ticks.disconnect(number)
      }
    }

    /// The subscription to a timer: a ``UpstreamLink`` to the shared subject, which also counts the subscribers.
    private final class Link: UpstreamLink {
      private let ticks: Ticks

      init(_ ticks: Ticks) {
        self.ticks = ticks
        super.init("Timer", .ignoresEmptyRequests)
      }

      override func cancel() {
        if sever() == .linked { ticks.update { ticks.subscribers -= 1 } }
      }
    }
  }

  /// A timer that may be cancelled before it is set.
  private final class RunningTimer {
    // Guarded by `lock`: everything below it.
    private let lock = Lock()
    private var timer: (any Cancellable)?
    private var isCancelled = false

    func set(_ timer: any Cancellable) {
      lock.lock()
      let isCancelled = self.isCancelled
      if !isCancelled { self.timer = timer }
      lock.unlock()
      if isCancelled { timer.cancel() }
    }

    func cancel() {
      lock.lock()
      let timer = self.timer.take()
      isCancelled = true
      lock.unlock()
      timer?.cancel()
    }
  }
#endif
