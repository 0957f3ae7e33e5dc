import InterflowPrimitives

extension Publishers {
  /// A publisher that delivers a value if another finishes without one.
  @frozen
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The value that is delivered if there is none.
    public let output: Upstream.Output

    /// Makes a publisher that delivers a value if another finishes without one.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(ReplaceEmptyStage(subscriber, output: output))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}
extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

/// A ``Stage`` that subscribes to a publisher of the replacement when upstream has finished without a value.
@usableFromInline
final class ReplaceEmptyStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let replaceableLink = ReplaceableLink("ReplaceEmpty")
  /// The value that is delivered if there is none; `nil` once upstream has delivered one.
  @usableFromInline @exclusivity(unchecked) var output: Input?
  @usableFromInline @exclusivity(unchecked) var isDone = false

  @inlinable
  init(_ downstream: Downstream, output: Input) {
    self.output = output
    super.init(downstream, replaceableLink)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, !isDone else { return .none }
    if output != nil { releaseReplacement() }
    return downstream.receive(input)
  }

  /// Its release may run code that sends to this operator, so there must be none any more by then.
  @usableFromInline
  @inline(never)
  func releaseReplacement() {
    let unused = output
    output = nil
    releaseOutsideLock(unused)
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard !isDone else { return }
    guard case .finished = completion, let output else { return super.receive(completion: completion) }
    // Nothing has been delivered, so the replaceableLink's whole demand is outstanding.
    isDone = replaceableLink.unlink()
    if isDone { Result<Input, Failure>.Publisher(output).subscribe(SuccessorSubscriber(downstream, replaceableLink)) }
  }
}

extension Publisher {
  /// Delivers a value if this publisher finishes without one; a failure passes through.
  ///
  /// - Demand: Passes through; the replacement is buffered until it is requested.
  ///
  /// ```swift
  /// let cancellable = Empty<Int, Never>()
  ///   .replaceEmpty(with: 0)
  ///   .sink { print($0) }  // 0
  /// ```
  @inlinable
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}
