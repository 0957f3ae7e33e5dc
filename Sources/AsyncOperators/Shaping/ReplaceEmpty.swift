extension AsyncSequence {
  /// Returns an element if the base ends without one.
  ///
  /// ```swift
  /// let words = await Array([String]().async.replaceEmpty(with: "none"))  // ["none"]
  /// ```
  ///
  /// Failure is the base's: no element replaces an error. If the task has been cancelled when the base ends, no element
  /// is returned.
  ///
  /// - Parameter output: The element.
  @inlinable
  public func replaceEmpty(with output: Element) -> AsyncReplaceEmptySequence<Self> {
    AsyncReplaceEmptySequence(self, output: output)
  }
}

/// An asynchronous sequence of its base's elements, or of one other element if there are none.
@frozen
public struct AsyncReplaceEmptySequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements, or the other one.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let output: Base.Element

  @inlinable
  init(_ base: Base, output: Base.Element) {
    self.base = base
    self.output = output
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), output: output)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    /// The element that is returned if there is no other.
    @usableFromInline var output: Base.Element?

    @inlinable
    init(_ base: Base.AsyncIterator, output: Base.Element) {
      self.base = FusedIterator(base)
      self.output = output
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      // It is no longer there when the base fails, and so not after the error either.
      let output = output.take()
      if let element = try await base.next(isolation: actor) { return element }
      return Task.isCancelled ? nil : output
    }
  }
}

extension AsyncReplaceEmptySequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncReplaceEmptySequence.Iterator: Sendable {}
