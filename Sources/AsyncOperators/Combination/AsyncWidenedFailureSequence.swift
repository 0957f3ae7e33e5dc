/// An asynchronous sequence whose failure type is that of the operator that has it as an input.
///
/// It is part of the type of an operator with several inputs if these have different failure types: the type of an
/// input that cannot fail becomes the others', and where two can fail with different types, it becomes `any Error`.
///
/// It returns its base's elements, and throws its errors unchanged.
@frozen
public struct AsyncWidenedFailureSequence<Base: AsyncSequence, Failure: Error>: AsyncSequence {
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
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
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

extension AsyncWidenedFailureSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncWidenedFailureSequence.Iterator: Sendable {}
