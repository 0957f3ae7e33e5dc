extension Publishers {
  /// A publisher that passes on the completion of another, and none of its values.
  @frozen
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Never
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are ignored.
    public let upstream: Upstream

    /// Makes a publisher that ignores the values of another.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Never, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough {
      @usableFromInline typealias Failure = Downstream.Failure

      @usableFromInline let downstream: Downstream

      @inlinable
      init(downstream: Downstream) {
        self.downstream = downstream
      }

      @inlinable
      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
        subscription.request(.unlimited)
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Upstream.Output) -> Subscribers.Demand { .none }

      @usableFromInline var operatorName: String { "IgnoreOutput" }
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
extension Publishers.IgnoreOutput: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Passes on the completion, and none of the values.
  ///
  /// The subscriber gets this publisher's own subscription, so requests and cancellation pass through.
  ///
  /// - Demand: Unlimited demand is requested from upstream right after the subscriber has received the subscription.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .ignoreOutput()
  ///   .sink { print($0) } receiveValue: { _ in }  // finished
  /// ```
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}
