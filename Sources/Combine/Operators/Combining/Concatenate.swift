extension Publishers {
  /// A publisher that delivers the values of one publisher and then those of another.
  @frozen
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {
    /// The kind of values that the publisher delivers.
    public typealias Output = Suffix.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Suffix.Failure

    /// The publisher that comes first.
    public let prefix: Prefix
    /// The publisher that is subscribed to when the first has finished.
    public let suffix: Suffix

    /// Makes a publisher of the values of two, one after the other.
    @inlinable
    public init(prefix: Prefix, suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let suffix = self.suffix
      prefix.receive(
        subscriber: SuccessorStage<Failure, Suffix, S>(
          subscriber, ReplaceableLink("Concatenate"), acceptsEarlySuccessor: false
        ) {
          if case .finished = $0 { suffix } else { nil }
        })
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}

extension Publisher {
  /// Delivers values after this publisher's own, when this publisher has finished.
  ///
  /// A failure of this publisher ends the stream without those values.
  ///
  /// - Demand: Is forwarded; demand that this publisher has not met is then used for the values that follow.
  /// - Cancellation: Cancels the current publisher. The second is not subscribed to after a cancellation.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher.append(3, 4).sink { print($0) }  // 1, 2, 3, 4
  /// ```
  @inlinable
  public func append(_ elements: Output...)
    -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>>
  {
    append(elements)
  }

  /// Delivers the elements of a sequence after this publisher's values.
  @inlinable
  public func append<S: Swift.Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Delivers the values of another publisher after this one's. The other is subscribed to when this one has finished.
  @inlinable
  public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
  where Failure == P.Failure, Output == P.Output {
    Publishers.Concatenate(prefix: self, suffix: publisher)
  }

  /// Delivers values before this publisher's own.
  ///
  /// This publisher is subscribed to when the values have been delivered.
  ///
  /// - Demand: Demand that the first values have not met is requested from this publisher.
  /// - Cancellation: Drops the remaining values or cancels this publisher. This publisher is not subscribed to after a
  ///   cancellation.
  ///
  /// ```swift
  /// let cancellable = [3, 4].publisher.prepend(1, 2).sink { print($0) }  // 1, 2, 3, 4
  /// ```
  @inlinable
  public func prepend(_ elements: Output...)
    -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
  {
    prepend(elements)
  }

  /// Delivers the elements of a sequence before this publisher's values.
  @inlinable
  public func prepend<S: Swift.Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where Output == S.Element {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Delivers the values of another publisher before this one's. This one is subscribed to when the other has finished;
  /// a failure of the other ends the stream.
  @inlinable
  public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
  where Failure == P.Failure, Output == P.Output {
    Publishers.Concatenate(prefix: publisher, suffix: self)
  }
}
