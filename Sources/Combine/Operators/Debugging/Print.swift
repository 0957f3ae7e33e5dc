import InterflowPrimitives

extension Publishers {
  /// A publisher that writes a line for each signal that passes.
  public struct Print<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// What each line begins with.
    public let prefix: String
    /// The publisher whose signals are written.
    public let upstream: Upstream
    /// Where the lines go; `nil` for standard output.
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

/// Writes every signal down, and looks afterwards whether it is passed on: what is against the rules, or comes after
/// the end, is what one prints to find out about.
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
    // A value before the subscription passes, as Apple's lets it.
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
    if link.finish(evenIfWaiting: true) { downstream.receive(completion: completion) }
  }
}

/// A link that writes down requests and cancellations. It has something to write after the end, too, so it keeps the
/// stream.
private final class PrintLink: UpstreamLink {
  private let lines: LineWriter

  init(_ lines: LineWriter) {
    self.lines = lines
    super.init("Print", .servesEarlyRequests)
  }

  override func request(_ demand: Subscribers.Demand) {
    lines.write("request \(demand.printed)")
    super.request(demand)
  }

  override func cancel() {
    lines.write("receive cancel")
    // One before the subscription is written, and counts for nothing else.
    if hasBegun { super.cancel() }
  }
}

extension Subscribers.Demand {
  fileprivate var printed: String { max.map { "max: (\($0))" } ?? "unlimited" }
}

/// Writes lines to a stream one at a time, in the order in which they came, from whichever thread; without a lock held
/// while the stream, which may be anybody's, writes.
private final class LineWriter {
  private let prefix: String
  private let turn = Turn()

  // Guarded by `turn`.
  private var stream: AnyStream?

  // Guarded by `lock`.
  private let lock = Lock()
  private var unwritten = RingBuffer<String>()

  /// A stream of any type as one of a type that `print` takes, which writes the text and the end of the line one by
  /// one.
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
  /// Writes a line for each signal that passes: for a look at what a pipeline does.
  ///
  /// ```swift
  /// let cancellable = [1].publisher.print("numbers").sink { _ in }
  /// // numbers: receive subscription: ([1])
  /// // numbers: request unlimited
  /// // numbers: receive value: (1)
  /// // numbers: receive finished
  /// ```
  ///
  /// A signal that breaks the rules has its line, too. What comes before the subscription is passed on; what comes
  /// after the completion or the cancellation is not. The stream is kept as long as the subscription.
  ///
  /// - Parameters:
  ///   - prefix: What each line begins with.
  ///   - stream: Where the lines go; standard output without one.
  public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil)
    -> Publishers.Print<Self>
  {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}
