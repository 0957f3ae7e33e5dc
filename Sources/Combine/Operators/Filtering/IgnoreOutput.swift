extension Publishers {
  /// A publisher that passes on the completion of another, and none of its values.
  @frozen
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Never
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream

    /// Makes a publisher that ignores the values of another.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Never, S.Failure == Failure {
      upstream.subscribe(IgnoreOutputStage<Upstream.Output, S>(subscriber))
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
extension Publishers.IgnoreOutput: Sendable where Upstream: Sendable {}

@usableFromInline
final class IgnoreOutputStage<Input, Downstream: Subscriber>: ReduceStage<Downstream.Failure, Downstream>, Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable
  init(_ downstream: Downstream) {
    super.init(downstream, "IgnoreOutput")
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { .none }

  @usableFromInline override var shown: [Mirror.Child] { [("downstream", downstream), link.shownState] }
}

extension Publisher {
  /// Passes on the completion, and none of the values.
  ///
  /// - Demand: Without limit upstream, whether or not the subscriber asks.
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
