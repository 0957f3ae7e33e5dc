extension AsyncSequence {
  /// Returns elements and the end, with or without an error, as values.
  ///
  /// ```swift
  /// for await event in source.materialize() {
  ///   switch event {
  ///   case .element(let line): print(line)
  ///   case .failure(let error): print("failed: \(error)")
  ///   case .finished: print("finished")
  ///   }
  /// }
  /// ```
  ///
  /// The result cannot fail, and ends after the base's end, which is its last element. A cancelled task gets what the
  /// base returns to it, whose end is an element as well.
  @inlinable
  public func materialize() -> AsyncMaterializeSequence<Self> {
    AsyncMaterializeSequence(self)
  }
}

/// An asynchronous sequence of its base's elements and end, as values.
@frozen
public struct AsyncMaterializeSequence<Base: AsyncSequence>: AsyncSequence {
  /// An element, or the end.
  public typealias Element = AsyncEvent<Base.Element, Base.Failure>
  /// It cannot fail.
  public typealias Failure = Never

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

  /// Returns the events.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The next element, or the end, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if base.isFinished { return nil }
      do throws(Base.Failure) {
        return try await base.next(isolation: actor).map { .element($0) } ?? .finished
      } catch {
        return .failure(error)
      }
    }
  }
}

extension AsyncMaterializeSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncMaterializeSequence.Iterator: Sendable {}
