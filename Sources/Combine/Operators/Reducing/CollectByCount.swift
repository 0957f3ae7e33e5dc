extension Publishers {
  /// A publisher of the values of another, in arrays of a given size.
  @frozen
  public struct CollectByCount<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = [Upstream.Output]
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// How many values an array holds; the last may hold fewer.
    public let count: Int

    /// Makes a publisher that collects the values of another.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      precondition(count > 0, "an array must hold at least one value, but was to hold \(count)")
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(CollectByCountStage<Upstream.Output, S>(subscriber, count: count))
    }
  }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}
extension Publishers.CollectByCount: Sendable where Upstream: Sendable {}

/// A ``Stage`` that collects values in an array, and delivers it when it is full.
@usableFromInline
final class CollectByCountStage<Input, Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>,
  OperatorSubscriber
where Downstream.Input == [Input] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let count: Int
  @usableFromInline @exclusivity(unchecked) var values: [Input] = []

  @inlinable
  init(_ downstream: Downstream, count: Int) {
    self.count = count
    super.init(downstream, MultiplyingLink("CollectByCount", by: count))
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    values.append(input)
    guard values.count == count else { return .none }
    let full = values
    values = []
    values.reserveCapacity(count)
    return downstream.receive(full) * count
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    let incomplete = values
    values = []
    if !incomplete.isEmpty, link.isLinked, case .finished = completion { _ = downstream.receive(incomplete) }
    if link.finish(from: .notEnded) { downstream.receive(completion: completion) }
  }
}

/// An ``UpstreamLink`` that multiplies demand by the size of an array.
@usableFromInline
final class MultiplyingLink: UpstreamLink {
  private let factor: Int

  @usableFromInline
  init(_ name: OperatorName, by factor: Int) {
    self.factor = factor
    super.init(name)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    super.request(demand * factor)
  }
}

extension Publisher {
  /// Collects values, and delivers them in arrays of a given size.
  ///
  /// When this publisher finishes, the remaining values are delivered in a shorter array. A failure or a cancellation
  /// drops them.
  ///
  /// - Demand: `count` values are requested from upstream for each array that is requested.
  ///
  /// ```swift
  /// let cancellable = (1...5).publisher
  ///   .collect(2)
  ///   .sink { print($0) }  // [1, 2], [3, 4], [5]
  /// ```
  ///
  /// - Parameter count: How many values an array holds; at least one.
  @inlinable
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}
