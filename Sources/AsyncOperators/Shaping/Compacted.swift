extension AsyncSequence {
  /// Returns the elements that are not `nil`.
  ///
  /// ```swift
  /// for await number in ["1", "x", "3"].async.map(Int.init).compacted() {
  ///   print(number)  // 1, 3
  /// }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  @inlinable
  public func compacted<Unwrapped>() -> AsyncCompactedSequence<Self, Unwrapped> where Element == Unwrapped? {
    AsyncCompactedSequence(self)
  }
}

/// An asynchronous sequence of its base's elements that are not `nil`.
@frozen
public struct AsyncCompactedSequence<Base: AsyncSequence, Element>: AsyncSequence where Base.Element == Element? {
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

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The next element that is not `nil`, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Element? {
      while let element = try await base.next(isolation: actor) {
        if let element { return element }
      }
      return nil
    }
  }
}

extension AsyncCompactedSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncCompactedSequence.Iterator: Sendable {}
