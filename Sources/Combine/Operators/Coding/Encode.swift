extension Publishers {
  /// A publisher that encodes each value.
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher
  where Upstream.Output: Encodable {
    /// The kind of values that the publisher delivers.
    public typealias Output = Coder.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are encoded.
    public let upstream: Upstream
    private let encoder: Coder

    /// Makes a publisher that encodes the values of another.
    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      self.encoder = encoder
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        CodingStage<Upstream.Output, Upstream.Failure, S>(
          subscriber, "Encode", code: encoder.encode))
    }
  }
}

extension Publisher {
  /// Encodes each value; a thrown error cancels upstream and becomes the failure.
  ///
  /// Completion and cancellation pass through.
  ///
  /// - Demand: Passes through.
  /// - Parameter encoder: The encoder, such as a `JSONEncoder`.
  public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder>
  where Output: Encodable {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}
