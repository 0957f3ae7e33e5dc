import Combine

extension Publishers {
  /// A publisher of publishers of a number of an upstream's values each.
  ///
  /// See ``Combine/Publisher/window(count:)``.
  public struct WindowByCount<Upstream: Publisher>: Publisher {
    /// Some of the upstream's values.
    public typealias Output = AnyPublisher<Upstream.Output, Upstream.Failure>
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are divided.
    public let upstream: Upstream
    /// How many values a window has.
    public let count: Int

    /// Divides the values of a publisher by their number.
    public init(upstream: Upstream, count: Int) {
      precondition(count > 0, "the number of values must be positive, but was \(count)")
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let count = self.count
      WindowInput<Upstream.Output, S, CountedWindow<Upstream.Output, Failure>?>(subscriber, "Window", nil) {
        input, value in
        let isNew = input.state == nil
        guard let current = input.state ?? input.open().map(CountedWindow.init) else { return }
        current.accepted += 1
        input.state = current.accepted == count ? nil : current
        if isNew { input.deliver(current.window) { $0 } }
        current.window.send(value)
        current.sent += 1
        if current.sent == count { input.close(current.window) }
      }
      .join(upstream)
    }
  }
}

/// A window, and how many values it has. A value that is sent while another is delivered is counted before that has been
/// sent, so there are two numbers.
private final class CountedWindow<Value, Failure: Error> {
  let window: ReplaySubject<Value, Failure>

  // Guarded by the delivery's turn: both.
  var accepted = 0
  var sent = 0

  init(_ window: ReplaySubject<Value, Failure>) {
    self.window = window
  }
}

extension Publisher {
  /// Delivers publishers of a number of values each.
  ///
  /// ```swift
  /// let sums = (1...4).publisher.window(count: 2).flatMap { $0.reduce(0, +) }  // 3, 7
  /// ```
  ///
  /// A window is delivered before its first value and finishes with its last, or completes with this publisher.
  ///
  /// - Demand: Unlimited demand is requested from this publisher. Windows that have not been requested are buffered, and
  ///   the values of a window until it has a subscriber that requests them. A window that has been released without a
  ///   subscriber stores nothing. A failure does not wait for a request: it drops the windows that have not been
  ///   requested.
  /// - Cancellation: This publisher is cancelled when the subscriber and those of all windows have ended. A subscriber
  ///   that cancels while it receives a window, as `first()` does, counts until that call returns, so
  ///   `first().flatMap { $0 }` delivers all values of the window. A window that nobody subscribes to before then, as
  ///   with `receive(on:)` after `first()` or with `firstValue()`, has finished if nobody else uses this publisher.
  /// - Parameter count: How many values a window has.
  public func window(count: Int) -> Publishers.WindowByCount<Self> {
    Publishers.WindowByCount(upstream: self, count: count)
  }
}
