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
      let lines = LineWriter(prefix: prefix, stream: stream)
      upstream.subscribe(
        EventsStage(
          subscriber, "Print",
          EventClosures(
            onSubscription: { lines.write("receive subscription: (\($0))") },
            onOutput: { lines.write("receive value: (\($0))") },
            onCompletion: {
              switch $0 {
              case .finished: lines.write("receive finished")
              case .failure(let error): lines.write("receive error: (\(error))")
              }
            },
            onMore: { lines.write("request \($0.printed) (synchronous)") },
            onRequest: { lines.write("request \($0.printed)") },
            onCancel: { lines.write("receive cancel") })))
    }
  }
}

extension Subscribers.Demand {
  fileprivate var printed: String { max.map { "max: (\($0))" } ?? "unlimited" }
}

/// Writes lines to a stream one at a time, in the order in which they came, from whichever thread; without a lock held
/// while the stream, which may be anybody's, writes.
private final class LineWriter {
  private let prefix: String

  // Guarded by `lock`: `waiting`, `isWriting`. Whoever has set `isWriting` has `stream` to itself.
  private let lock = Lock()
  private var waiting = RingBuffer<String>()
  private var isWriting = false
  private var stream: (any TextOutputStream)?

  init(prefix: String, stream: (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : "\(prefix): "
    self.stream = stream
  }

  func write(_ line: String) {
    lock.lock()
    waiting.append("\(prefix)\(line)\n")
    guard !isWriting else {
      lock.unlock()
      return
    }
    isWriting = true
    while let next = waiting.popFirst() {
      lock.unlock()
      if stream == nil { print(next, terminator: "") } else { stream?.write(next) }
      lock.lock()
    }
    isWriting = false
    lock.unlock()
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
  /// - Parameters:
  ///   - prefix: What each line begins with.
  ///   - stream: Where the lines go; standard output without one.
  public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil)
    -> Publishers.Print<Self>
  {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}
