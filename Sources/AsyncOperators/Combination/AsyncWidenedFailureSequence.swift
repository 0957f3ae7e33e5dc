/// An asynchronous sequence whose failure type is that of the operator that has it as an input.
///
/// `merge`, `zip` and `combineLatest` of sequences with different failure types make these: of a sequence that cannot
/// fail, with the failure type of the others; where two can fail with different types, with `any Error`.
///
/// It delivers the elements of its base, and its failures unchanged.
public struct AsyncWidenedFailureSequence<Base: AsyncSequence, Failure: Error>: AsyncSequence {
  /// The elements are those of the base.
  public typealias Element = Base.Element

  @usableFromInline let base: Base

  /// - Parameter base: A sequence whose failures are of the type `Failure`, if it has any.
  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// Makes an iterator of the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator())
  }

  /// Delivers the elements of the base.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = base
    }

    /// The next element of the base.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Failure) -> Base.Element? {
      try await next(isolation: #isolation)
    }

    /// The next element of the base, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Base.Element? {
      do throws(Base.Failure) {
        return try await base.next(isolation: actor)
      } catch {
        // The functions that make this choose a type that the base's failures have.
        throw error as! Failure
      }
    }
  }
}

extension AsyncWidenedFailureSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncWidenedFailureSequence.Iterator: Sendable {}
