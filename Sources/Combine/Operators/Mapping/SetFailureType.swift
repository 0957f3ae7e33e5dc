extension Publishers {
  /// A publisher that cannot fail, with another failure type.
  @frozen
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher
  where Upstream.Failure == Never {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output

    /// The publisher that cannot fail.
    public let upstream: Upstream

    /// Makes a publisher that gives another a failure type.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber))
    }

    /// Gives the same publisher another failure type.
    @inlinable
    public func setFailureType<E: Error>(to failure: E.Type)
      -> Publishers.SetFailureType<Upstream, E>
    {
      Publishers.SetFailureType<Upstream, E>(upstream: upstream)
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough where Downstream.Input == Output {
      @usableFromInline let downstream: Downstream

      @inlinable
      init(downstream: Downstream) {
        self.downstream = downstream
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Output) -> Subscribers.Demand {
        downstream.receive(input)
      }

      @inlinable
      func receive(completion: Subscribers.Completion<Never>) {
        downstream.receive(completion: .finished)
      }

      @usableFromInline var operatorName: String { "SetFailureType" }
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}
extension Publishers.SetFailureType: Sendable where Upstream: Sendable {}

extension Publisher where Failure == Never {
  /// Gives this publisher, which cannot fail, a failure type, to combine it with others that may fail.
  ///
  /// Values, demand, completion and cancellation pass through.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let publisher = [1, 2].publisher.setFailureType(to: Refused.self)
  /// ```
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}
