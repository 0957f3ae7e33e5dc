import Combine

extension Publishers {
  /// A publisher of publishers of an upstream's values in a span of time each.
  ///
  /// See ``Combine/Publisher/window(time:scheduler:options:)``.
  public struct WindowByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// Some of the upstream's values.
    public typealias Output = AnyPublisher<Upstream.Output, Upstream.Failure>
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let time: Context.SchedulerTimeType.Stride
    private let scheduler: Context
    private let options: Context.SchedulerOptions?

    /// Divides the values of a publisher by their time.
    public init(
      upstream: Upstream, time: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.time = time
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let input = WindowInput<Upstream.Output, S, WindowInTime<Upstream.Output, Failure>>(
        subscriber, "Window", WindowInTime()
      ) {
        $0.state.window?.send($1)
      } beforeEnd: {
        // The completion may come from inside the end of the window before.
        $0.deliverWindow()
      }
      input.withTurn { input.replaceWindow() }
      // Before the subscription, since upstream may deliver for as long as it is subscribed to.
      let timer = scheduler.schedule(
        after: scheduler.now.advanced(by: time), interval: time, tolerance: scheduler.minimumTolerance,
        options: options
      ) { [weak input] in
        guard let input else { return }
        input.withTurn { if !input.hasEnded { input.replaceWindow() } }
      }
      input.cancelAtEnd(timer)
      input.join(upstream)
    }
  }
}

/// The window that values are sent to.
private struct WindowInTime<Value, Failure: Error> {
  var window: ReplaySubject<Value, Failure>?
  var isDelivered = false
}

extension WindowInput where State == WindowInTime<Value, Failure>, Downstream.Input == AnyPublisher<Value, Failure> {
  /// Finishes the window, and delivers the next. Values that are sent from inside the completion belong to that. If time
  /// passes there too, the next one is delivered before it is finished in turn.
  fileprivate func replaceWindow() {
    deliverWindow()
    let last = state.window
    state = WindowInTime(window: open())
    if let last { close(last) }
    deliverWindow()
  }

  fileprivate func deliverWindow() {
    guard let window = state.window, !state.isDelivered else { return }
    state.isDelivered = true
    deliver(window) { $0 }
  }
}

extension Publisher {
  /// Delivers publishers of the values of a span of time each, one after the other.
  ///
  /// ```swift
  /// let rates = requests.window(time: .seconds(1), scheduler: DispatchQueue.main).flatMap { $0.count() }
  /// ```
  ///
  /// The first window begins with the subscription. A window without values is delivered too.
  ///
  /// - Demand: Unlimited demand is requested from this publisher. Windows that have not been requested are buffered, and
  ///   the values of a window until it has a subscriber that requests them. A window that has been released without a
  ///   subscriber stores nothing. A failure does not wait for a request: it drops the windows that have not been
  ///   requested.
  /// - Cancellation: This publisher is cancelled when the subscriber and those of all windows have ended. A subscriber
  ///   that cancels while it receives a window, as `first()` does, counts until that call returns, so
  ///   `first().flatMap { $0 }` delivers all values of the window. A window that nobody subscribes to before then, as
  ///   with `receive(on:)` after `first()` or with `firstValue()`, has finished if nobody else uses this publisher.
  /// - Parameters:
  ///   - time: How long a window is.
  ///   - scheduler: Measures the time. Windows are delivered and finished on it, but for the first, which is delivered
  ///     by the subscription, those that were buffered, which the request delivers, and the last, which finishes with
  ///     this publisher.
  ///   - options: Options passed to the scheduler.
  public func window<S: Scheduler>(
    time: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.WindowByTime<Self, S> {
    Publishers.WindowByTime(upstream: self, time: time, scheduler: scheduler, options: options)
  }
}
