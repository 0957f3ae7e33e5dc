extension AsyncSequence {
  /// Returns each element together with its number, from zero on.
  ///
  /// ```swift
  /// for await (index, word) in ["a", "b"].async.enumerated() {
  ///   print(index, word)  // 0 a, 1 b
  /// }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  @inlinable
  public func enumerated() -> AsyncEnumeratedSequence<Self> {
    AsyncEnumeratedSequence(self)
  }
}

/// An asynchronous sequence of its base's elements with their numbers.
@frozen
public struct AsyncEnumeratedSequence<Base: AsyncSequence>: AsyncSequence {
  /// A number and an element.
  public typealias Element = (offset: Int, element: Base.Element)
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

  /// Returns the numbers and elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline var offset = 0

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The next number and element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> (
      offset: Int, element: Base.Element
    )? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      defer { offset += 1 }
      return (offset, element)
    }
  }
}

extension AsyncEnumeratedSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncEnumeratedSequence.Iterator: Sendable {}
