extension AsyncSequence where Element: AsyncSequence {
  /// Returns the elements of the sequences that the base returns, one sequence after the other.
  ///
  /// ```swift
  /// let numbers = await Array([[1, 2].async, [3].async].async.joined())  // [1, 2, 3]
  /// ```
  ///
  /// The failure type is that of all. An error of the base or of an element ends the result. A cancelled task gets the
  /// end when they return it. No sequence is requested from the base before the last one has ended.
  @inlinable
  public func joined() -> AsyncJoinedSequence<Self> where Failure == Element.Failure {
    AsyncJoinedSequence(self)
  }

  /// Returns the elements of the sequences that the base returns, one sequence after the other.
  ///
  /// The elements cannot fail, so the failure type is the base's.
  @_disfavoredOverload
  @inlinable
  public func joined() -> AsyncJoinedSequence<Self> where Element.Failure == Never {
    AsyncJoinedSequence(self)
  }

  /// Returns the elements of the sequences that the base returns, one sequence after the other.
  ///
  /// The base cannot fail, so the failure type is that of its elements.
  @_disfavoredOverload
  @inlinable
  public func joined() -> AsyncJoinedSequence<AsyncWidenedFailureSequence<Self, Element.Failure>>
  where Failure == Never {
    AsyncJoinedSequence(.init(self))
  }

  /// Returns the elements of the sequences that the base returns, one sequence after the other.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  @_disfavoredOverload
  @inlinable
  public func joined() -> AsyncJoinedSequence<AsyncWidenedFailureSequence<Self, any Error>> {
    AsyncJoinedSequence(.init(self))
  }

  /// Returns the elements of the sequences that the base returns, one after the other, where the type of the result is
  /// stated.
  ///
  /// The failure type is the base's.
  @_disfavoredOverload
  @inlinable
  public func joined<Stated: _StatedSequence>() -> Stated
  where Stated._Inputs == Self, Stated._Operator == _StatedOperator.Joined {
    Stated(_inputs: self)
  }
}

/// An asynchronous sequence of the elements of the sequences that its base returns, one after the other.
///
/// Its failure type is the base's. The functions that make it choose types for which this fits the elements as well.
@frozen
public struct AsyncJoinedSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: AsyncSequence {
  /// The elements of the base's elements.
  public typealias Element = Base.Element.Element
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

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline var inner = FusedIterator<Base.Element.AsyncIterator>(nil)

    @inlinable
    init(_ base: Base.AsyncIterator) {
      self.base = FusedIterator(base)
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element
      .Element?
    {
      do {
        while true {
          // A base that ignores the cancellation would go on with sequences that end because of it.
          if Task.isCancelled {
            base.finish()
            inner.finish()
            return nil
          }
          if !inner.isFinished, let element = try await inner.next(isolation: actor) { return element }
          guard let next = try await base.next(isolation: actor) else { return nil }
          inner = FusedIterator(next.makeAsyncIterator())
        }
      } catch {
        base.finish()
        throw converted(error, to: Base.Failure.self)
      }
    }
  }
}

extension AsyncJoinedSequence: Sendable where Base: Sendable, Base.Element: Sendable, Base.Element.Element: Sendable {}

extension AsyncJoinedSequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = Base
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Joined

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs)
  }
}

@available(*, unavailable)
extension AsyncJoinedSequence.Iterator: Sendable {}
