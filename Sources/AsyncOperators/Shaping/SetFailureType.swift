extension AsyncSequence where Failure == Never {
  /// Gives a sequence that cannot fail a failure type, so that it has the same as another one.
  ///
  /// ```swift
  /// let numbers: any AsyncSequence<Int, URLError> = [1, 2].async.setFailureType(to: URLError.self)
  /// ```
  ///
  /// Elements, completion and cancellation are the base's.
  ///
  /// - Parameter failureType: The failure type.
  @inlinable
  public func setFailureType<NewFailure: Error>(
    to failureType: NewFailure.Type
  ) -> AsyncSetFailureTypeSequence<Self, NewFailure> {
    AsyncSetFailureTypeSequence(self)
  }
}

/// An asynchronous sequence whose failure type is a wider one than its base's.
///
/// It is part of the type of an operator whose inputs have different failure types: `Never` becomes the other input's,
/// and anything else becomes `any Error`.
@frozen
public struct AsyncSetFailureTypeSequence<Base: AsyncSequence, Failure: Error>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element

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

  /// Returns the base's elements.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The base's next element.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Failure) -> Base.Element? {
      try await next(isolation: #isolation)
    }

    /// The base's next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Base.Element? {
      do throws(Base.Failure) {
        return try await base.next(isolation: actor)
      } catch {
        throw converted(error, to: Failure.self)
      }
    }
  }
}

extension AsyncSetFailureTypeSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncSetFailureTypeSequence.Iterator: Sendable {}
