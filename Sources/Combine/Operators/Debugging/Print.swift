import InterflowPrimitives

extension Publishers {
  /// A publisher that writes a line for each signal.
  public struct Print<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The beginning of each line.
    public let prefix: String
    /// The publisher whose signals are written.
    public let upstream: Upstream
    /// The stream that the lines are written to; `nil` for standard output.
    public let stream: (any TextOutputStream)?

    /// Makes a publisher that writes the signals of another.
    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(PrintStage(subscriber, LineWriter(prefix: prefix, stream: stream)))
    }
  }
}

/// Writes every signal before it checks whether the signal is forwarded. So signals that break the rules, or that
/// arrive after the end, are written as well.
private final class PrintStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let lines: LineWriter

  init(_ downstream: Downstream, _ lines: LineWriter) {
    self.lines = lines
    super.init(downstream, PrintLink(lines))
  }

  override func receive(subscription: any Subscription) {
    lines.write("receive subscription: (\(subscription))")
    super.receive(subscription: subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    lines.write("receive value: (\(input))")
    // A value before the subscription is forwarded, as with Apple's.
    guard !link.hasEnded else { return .none }
    let more = downstream.receive(input)
    if more != .none { lines.write("request \(more.printed) (synchronous)") }
    return more
  }

  override func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: lines.write("receive finished")
    case .failure(let error): lines.write("receive error: (\(error))")
    }
    if link.finish(from: .notEnded) { downstream.receive(completion: completion) }
  }
}

/// A link that writes requests and cancellations. It retains the stream after the end, because it writes then too.
private final class PrintLink: UpstreamLink {
  private let lines: LineWriter

  init(_ lines: LineWriter) {
    self.lines = lines
    super.init("Print", [.servesEarlyRequests, .servesEarlyCancellation])
  }

  override func request(_ demand: Subscribers.Demand) {
    lines.write("request \(demand.printed)")
    super.request(demand)
  }

  override func cancel() {
    lines.write("receive cancel")
    // A cancellation before the subscription is written, but has no other effect.
    if hasBegun { super.cancel() }
  }
}

extension Subscribers.Demand {
  fileprivate var printed: String { max.map { "max: (\($0))" } ?? "unlimited" }
}

/// Writes lines to a stream, one at a time, in their order, from any thread. No lock is held while the stream, whose
/// code is the user's, writes.
private final class LineWriter {
  private let prefix: String
  private let turn = Turn()

  // Guarded by `turn`.
  private var stream: AnyStream?

  // Guarded by `lock`.
  private let lock = Lock()
  private var unwritten = RingBuffer<String>()

  /// Wraps the stream in a concrete type, which `print(_:to:)` needs.
  private struct AnyStream: TextOutputStream {
    var stream: any TextOutputStream

    mutating func write(_ string: String) { stream.write(string) }
  }

  init(prefix: String, stream: (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : "\(prefix): "
    self.stream = stream.map(AnyStream.init)
  }

  func write(_ line: String) {
    lock.lock()
    unwritten.append(prefix + line)
    lock.unlock()
    turn.perform {
      while let next = takeNext() {
        if stream == nil { print(next) } else { print(next, to: &stream!) }
      }
    }
  }

  private func takeNext() -> String? {
    lock.lock()
    defer { lock.unlock() }
    return unwritten.popFirst()
  }
}

extension Publisher {
  /// Writes a line for each signal, to show what a pipeline does.
  ///
  /// ```swift
  /// let cancellable = [1].publisher.print("numbers").sink { _ in }
  /// // numbers: receive subscription: ([1])
  /// // numbers: request unlimited
  /// // numbers: receive value: (1)
  /// // numbers: receive finished
  /// ```
  ///
  /// Signals that break the rules are written as well. Signals before the subscription are forwarded; signals after the
  /// completion or the cancellation are not. The subscription retains the stream.
  ///
  /// - Demand: Is forwarded.
  /// - Cancellation: Is forwarded. Before the subscription it is only written.
  /// - Parameters:
  ///   - prefix: The beginning of each line.
  ///   - stream: The stream that the lines are written to; by default standard output.
  public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil)
    -> Publishers.Print<Self>
  {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}
