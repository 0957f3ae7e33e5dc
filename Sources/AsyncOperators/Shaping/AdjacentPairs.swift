extension AsyncSequence {
  /// Returns each element together with the one after it.
  ///
  /// ```swift
  /// for await (before, after) in [1, 4, 9].async.adjacentPairs() {
  ///   print(after - before)  // 3, 5
  /// }
  /// ```
  ///
  /// A base with fewer than two elements gives none. The result ends and fails when the base does; a cancelled task
  /// gets the end when the base returns it. The first call of `next()` takes two elements from the base, and each later
  /// one takes one.
  @inlinable
  public func adjacentPairs() -> AsyncAdjacentPairsSequence<Self> {
    AsyncAdjacentPairsSequence(self)
  }

  /// Returns each element together with the one after it: ``adjacentPairs()`` under its other name.
  ///
  /// ```swift
  /// let steps = [1, 4, 9].async.pairwise().map { $1 - $0 }  // 3, 5
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  @inlinable
  public func pairwise() -> AsyncAdjacentPairsSequence<Self> {
    AsyncAdjacentPairsSequence(self)
  }
}

/// An asynchronous sequence of its base's elements, each together with the one after it.
@frozen
public struct AsyncAdjacentPairsSequence<Base: AsyncSequence>: AsyncSequence {
  /// An element and the one after it.
  public typealias Element = (Base.Element, Base.Element)
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator())
  }

  /// Returns the pairs.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline var previous: Base.Element?

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The next pair, on the caller's isolation.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> (Base.Element, Base.Element)? {
      if previous == nil { previous = try await base.next(isolation: actor) }
      guard let first = previous.take(), let second = try await base.next(isolation: actor) else { return nil }
      previous = second
      return (first, second)
    }
  }
}

extension AsyncAdjacentPairsSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncAdjacentPairsSequence.Iterator: Sendable {}
