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
  ///   - options: Options passed to the run loop.
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
  /// All subscribers share one timer. It runs while there is a connection and somebody has subscribed; its ticks are
  /// counted from the connection. Connecting again returns the connection that exists, so that
  /// `publisher.connect().cancel()` stops the timer from anywhere; after that a new connection starts it anew. Releasing
  /// a connection does not end it.
  ///
  /// - Demand: A subscriber misses the ticks that it has not requested in time. A request for nothing is allowed.
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
    /// Options passed to the run loop.
    public let options: RunLoop.SchedulerOptions?

    private let ticks: Ticks

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
      ticks = Ticks(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode)
    }

    /// Attaches a subscriber, which gets ticks while there is a connection.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
      ticks.subscribe(subscriber)
    }

    /// Starts the timer, unless it has been started.
    ///
    /// - Returns: What stops it, for all subscribers.
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

  /// Makes a change, and starts or stops the timer if it calls for that.
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
    // Until it is stopped the timer keeps this alive, so that subscribers need nothing else.
    let interval = RunLoop.positive(interval)
    let ticks = Swift.max(1, (-start.timeIntervalSinceNow / interval).rounded(.up))
    starting.set(
      runLoop.repeating(
        from: start.addingTimeInterval(ticks * interval), every: interval, tolerance: tolerance ?? 0, in: mode
      ) {
        self.subject.send(Date())
      })
  }

  /// What `connect()` returns. Several may stand for one connection.
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

  private final class Link: UpstreamLink {
    private let ticks: Ticks

    init(_ ticks: Ticks) {
      self.ticks = ticks
      super.init("Timer", .ignoresEmptyRequests)
    }

    override func cancel() {
      if sever() { ticks.update { ticks.subscribers -= 1 } }
    }
  }
}

/// A timer that may be stopped before it has been made.
private final class RunningTimer {
  // Guarded by `lock`: both.
  private let lock = Lock()
  private var timer: (any Cancellable)?
  private var isOver = false

  func set(_ timer: any Cancellable) {
    lock.lock()
    let isOver = self.isOver
    if !isOver { self.timer = timer }
    lock.unlock()
    if isOver { timer.cancel() }
  }

  func cancel() {
    lock.lock()
    let timer = self.timer.take()
    isOver = true
    lock.unlock()
    timer?.cancel()
  }
}
