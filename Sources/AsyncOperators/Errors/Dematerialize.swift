extension AsyncSequence where Failure == Never {
  /// Returns the elements and the end that events describe: the inverse of `materialize()`.
  ///
  /// ```swift
  /// let lines = source.materialize().dematerialize()
  /// ```
  ///
  /// The first event that is no element ends the result, and the base is released. A base that ends without such an
  /// event ends the result, too. Cancellation is the base's.
  @inlinable
  public func dematerialize<EventElement, EventFailure: Error>() -> AsyncDematerializeSequence<
    Self, EventElement, EventFailure
  > where Element == AsyncEvent<EventElement, EventFailure> {
    AsyncDematerializeSequence(self)
  }
}

/// An asynchronous sequence of the elements that its base's events describe.
@frozen
public struct AsyncDematerializeSequence<Base: AsyncSequence, Element, Failure: Error>: AsyncSequence
where Base.Element == AsyncEvent<Element, Failure>, Base.Failure == Never {
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

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      switch await base.next(isolation: actor) {
      case .element(let element): return element
      case .failure(let error):
        base.finish()
        throw error
      case .finished, nil:
        base.finish()
        return nil
      }
    }
  }
}

extension AsyncDematerializeSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncDematerializeSequence.Iterator: Sendable {}
