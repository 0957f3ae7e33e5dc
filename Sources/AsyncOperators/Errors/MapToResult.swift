extension AsyncSequence {
  /// Returns a failure as the last element, in a `Result`.
  ///
  /// ```swift
  /// for await result in source.mapToResult() {
  ///   switch result {
  ///   case .success(let line): print(line)
  ///   case .failure(let error): print("failed: \(error)")
  ///   }
  /// }
  /// ```
  ///
  /// The result cannot fail. Completion and cancellation are the base's; an error in a task that has been cancelled is
  /// the end.
  @inlinable
  public func mapToResult() -> AsyncMapToResultSequence<Self> {
    AsyncMapToResultSequence(self)
  }
}

/// An asynchronous sequence of its base's elements and its failure.
@frozen
public struct AsyncMapToResultSequence<Base: AsyncSequence>: AsyncSequence {
  /// An element or the failure.
  public typealias Element = Result<Base.Element, Base.Failure>
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

  /// Returns the results.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The next element, or the failure, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      do throws(Base.Failure) {
        return try await base.next(isolation: actor).map { .success($0) }
      } catch {
        return Task.isCancelled ? nil : .failure(error)
      }
    }
  }
}

extension AsyncMapToResultSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncMapToResultSequence.Iterator: Sendable {}
