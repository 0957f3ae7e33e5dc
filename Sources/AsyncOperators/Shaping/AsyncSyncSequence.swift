extension Sequence {
  /// The elements as an asynchronous sequence, which never waits.
  ///
  /// ```swift
  /// for await number in (1...3).async {
  ///   print(number)  // 1, 2, 3
  /// }
  /// ```
  ///
  /// It cannot fail. Cancelling the task ends the iteration with `nil`.
  @inlinable
  public var async: AsyncSyncSequence<Self> {
    AsyncSyncSequence(self)
  }
}

/// An asynchronous sequence of the elements of a sequence.
@frozen
public struct AsyncSyncSequence<Base: Sequence>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// The sequence cannot fail.
  public typealias Failure = Never

  @usableFromInline let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeIterator())
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: Base.Iterator?

    @inlinable
    init(_ base: Base.Iterator) {
      self.base = base
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Base.Element? {
      if !Task.isCancelled, let element = base?.next() { return element }
      base = nil
      return nil
    }
  }
}

extension AsyncSyncSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncSyncSequence.Iterator: Sendable {}
