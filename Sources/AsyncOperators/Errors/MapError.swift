extension AsyncSequence {
  /// Replaces the error of a failure.
  ///
  /// ```swift
  /// let lines = source.mapError { ReadError(reason: $0) }
  /// ```
  ///
  /// Elements, completion and cancellation are the base's.
  ///
  /// - Parameter transform: Makes the new error. It is called at most once for each iterator.
  @inlinable
  public func mapError<MappedError: Error>(
    _ transform: @escaping @Sendable (Failure) -> MappedError
  ) -> AsyncMapErrorSequence<Self, MappedError> {
    AsyncMapErrorSequence(self, transform: .immediate(transform))
  }

  /// Replaces the error of a failure.
  ///
  /// ```swift
  /// let lines = source.mapError { await describe($0) }
  /// ```
  ///
  /// Elements, completion and cancellation are the base's.
  ///
  /// - Parameter transform: Makes the new error, on the consumer's isolation. It is called at most once for each
  ///   iterator.
  @inlinable
  public func mapError<MappedError: Error>(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Failure) async -> MappedError
  ) -> AsyncMapErrorSequence<Self, MappedError> {
    AsyncMapErrorSequence(self, transform: .suspending(transform))
  }
}

/// An asynchronous sequence that fails with another error than its base.
@frozen
public struct AsyncMapErrorSequence<Base: AsyncSequence, MappedError: Error>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// What the closure makes.
  public typealias Failure = MappedError

  @usableFromInline let base: Base
  @usableFromInline let transform: Transform<Base.Failure, MappedError>

  @inlinable
  init(_ base: Base, transform: Transform<Base.Failure, MappedError>) {
    self.base = base
    self.transform = transform
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), transform: transform)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let transform: Transform<Base.Failure, MappedError>

    @inlinable
    init(_ base: Base.AsyncIterator, transform: Transform<Base.Failure, MappedError>) {
      self.base = FusedIterator(base)
      self.transform = transform
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(MappedError) -> Base.Element? {
      do throws(Base.Failure) {
        return try await base.next(isolation: actor)
      } catch {
        throw await transform(error, isolation: actor)
      }
    }
  }
}

extension AsyncMapErrorSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncMapErrorSequence.Iterator: Sendable {}
