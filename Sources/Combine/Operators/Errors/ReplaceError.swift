extension Publishers {
  /// A publisher that delivers a value in place of an error.
  @frozen
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The failure is replaced by a value, so none is delivered.
    public typealias Failure = Never

    /// The publisher whose error is replaced.
    public let upstream: Upstream
    /// The value that is delivered instead of the error.
    public let output: Upstream.Output

    /// Makes a publisher that replaces the error of another.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      let output = self.output
      upstream.subscribe(
        SuccessorStage<Upstream.Failure, Just<Output>, S>(subscriber, ReplaceableLink("ReplaceError")) {
          if case .failure = $0 { Just(output) } else { nil }
        })
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {
}
extension Publishers.ReplaceError: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
  /// Delivers a value in place of an error, and then finishes.
  ///
  /// - Demand: Is forwarded. The value is delivered when there is demand, and the completion after it.
  /// - Cancellation: Cancels this publisher, or drops the value.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let cancellable = Fail<Int, Refused>(error: Refused())
  ///   .replaceError(with: 0)
  ///   .sink { print($0) }  // 0
  /// ```
  @inlinable
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}
