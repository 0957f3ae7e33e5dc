extension Publishers {
  /// A publisher that decodes each value.
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are decoded.
    public let upstream: Upstream
    private let decoder: Coder

    /// Makes a publisher that decodes the values of another.
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      let decoder = self.decoder
      upstream.subscribe(
        CodingStage<Upstream.Output, Upstream.Failure, S>(
          subscriber, "Decode"
        ) {
          try decoder.decode(Output.self, from: $0)
        })
    }
  }
}

extension Publisher {
  /// Decodes each value; a thrown error cancels upstream and becomes the failure.
  ///
  /// Completion and cancellation pass through.
  ///
  /// - Demand: Passes through.
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder, such as a `JSONDecoder`.
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}
