extension Publishers {
  /// A publisher of the values of another whose positions are in a range.
  @frozen
  public struct Output<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The positions of the values that are passed on, counted from zero.
    public let range: CountableRange<Int>

    /// Makes a publisher of a range of the values of another.
    @inlinable
    public init(upstream: Upstream, range: CountableRange<Int>) {
      precondition(range.lowerBound >= 0, "a position cannot be negative, but was \(range.lowerBound)")
      self.upstream = upstream
      self.range = range
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(OutputStage(subscriber, range: range))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}
extension Publishers.Output: Sendable where Upstream: Sendable {}

/// A ``Stage`` that counts the values before the range and in it.
@usableFromInline
final class OutputStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline @exclusivity(unchecked) var skipped: Int
  @usableFromInline @exclusivity(unchecked) var remaining: Int
  @usableFromInline let isEmpty: Bool

  @inlinable
  init(_ downstream: Downstream, range: Range<Int>) {
    skipped = range.lowerBound
    remaining = range.count
    isEmpty = range.isEmpty
    super.init(downstream, UpstreamLink("Output"))
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    guard isEmpty else { return super.receive(subscription: subscription) }
    guard link.link(subscription) else { return }
    link.sever()
    downstream.receive(subscription: Subscriptions.empty)
    downstream.receive(completion: .finished)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !link.hasEnded else { return .none }
    if skipped > 0 {
      skipped -= 1
      return .max(1)
    }
    guard remaining > 0 else { return .none }
    remaining -= 1
    let isLast = remaining == 0
    let more = downstream.receive(input)
    // Before the subscription there is nothing to cancel, and upstream delivers the completion.
    if isLast, link.isLinked { finish() }
    return more
  }
}

extension Publisher {
  /// Passes on at most `maxLength` values, and finishes with the last of them.
  ///
  /// That value cancels upstream. `prefix(0)` finishes at once, without any request.
  ///
  /// - Demand: Passes through.
  ///
  /// ```swift
  /// let cancellable = (1...5).publisher
  ///   .prefix(2)
  ///   .sink { print($0) }  // 1, 2
  /// ```
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    precondition(maxLength >= 0, "a prefix cannot have a negative length, but was to have \(maxLength)")
    return output(in: ..<maxLength)
  }

  /// Passes on the value at a position, cancels upstream and finishes.
  ///
  /// - Demand: Passes through; a value before the position requests another in its place.
  ///
  /// ```swift
  /// let cancellable = ["a", "b", "c"].publisher
  ///   .output(at: 1)
  ///   .sink { print($0) }  // b
  /// ```
  ///
  /// - Parameter index: The position, counted from zero.
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Self> {
    output(in: index...index)
  }

  /// Passes on the values whose positions are in a range, and finishes with the last of them.
  ///
  /// The last value of the range cancels upstream. An empty range finishes at once, without any request.
  ///
  /// - Demand: Passes through; a value before the range requests another in its place.
  ///
  /// ```swift
  /// let cancellable = ["a", "b", "c", "d"].publisher
  ///   .output(in: 1...2)
  ///   .sink { print($0) }  // b, c
  /// ```
  ///
  /// - Parameter range: The positions, counted from zero.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
    Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
  }
}
