extension Publishers {
  /// A publisher that traps when its upstream fails.
  @frozen
  public struct AssertNoFailure<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// Failures trap, so none is delivered.
    public typealias Failure = Never

    /// The publisher that must not fail.
    public let upstream: Upstream
    /// The beginning of the message.
    public let prefix: String
    /// The file that the message names.
    public let file: StaticString
    /// The line that the message names.
    public let line: UInt

    /// Makes a publisher that traps when another fails.
    @inlinable
    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.subscribe(
        Inner(downstream: subscriber, prefix: prefix, file: file, line: line))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough
    where Downstream.Input == Upstream.Output, Downstream.Failure == Never {
      @usableFromInline let downstream: Downstream
      @usableFromInline let prefix: String
      @usableFromInline let file: StaticString
      @usableFromInline let line: UInt

      @inlinable
      init(downstream: Downstream, prefix: String, file: StaticString, line: UInt) {
        self.downstream = downstream
        self.prefix = prefix
        self.file = file
        self.line = line
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        downstream.receive(input)
      }

      @inlinable
      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        switch completion {
        case .finished:
          downstream.receive(completion: .finished)
        case .failure(let error):
          let separator = prefix.isEmpty ? "" : ": "
          fatalError("\(prefix)\(separator)\(error)", file: file, line: line)
        }
      }

      @usableFromInline var operatorName: String { "AssertNoFailure" }
    }
  }
}

extension Publishers.AssertNoFailure: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Traps when this publisher fails, and forwards all other signals.
  ///
  /// Use it for failures that only a programming error can cause.
  ///
  /// - Demand: Is forwarded.
  /// - Cancellation: Is forwarded.
  /// - Parameters:
  ///   - prefix: The beginning of the message.
  ///   - file: The file that the message names.
  ///   - line: The line that the message names.
  @inlinable
  public func assertNoFailure(
    _ prefix: String = "", file: StaticString = #file, line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
  }
}
