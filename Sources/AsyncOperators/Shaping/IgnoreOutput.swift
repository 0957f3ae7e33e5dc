extension AsyncSequence {
  /// Leaves out all elements, and ends or fails when the base does.
  ///
  /// ```swift
  /// for await _ in (1...3).async.ignoreOutput() {}  // returns when the base has ended
  /// ```
  ///
  /// The first call of `next()` takes all elements of the base. A cancelled task gets the end when the base returns it.
  @inlinable
  public func ignoreOutput() -> AsyncIgnoreOutputSequence<Self> {
    AsyncIgnoreOutputSequence(self)
  }
}

/// An asynchronous sequence without elements, which ends or fails when its base does.
@frozen
public struct AsyncIgnoreOutputSequence<Base: AsyncSequence>: AsyncSequence {
  /// There are no elements.
  public typealias Element = Never
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

  /// Waits for the end of the base.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// Waits for the end of the base, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Never? {
      while try await base.next(isolation: actor) != nil {}
      return nil
    }
  }
}

extension AsyncIgnoreOutputSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncIgnoreOutputSequence.Iterator: Sendable {}
