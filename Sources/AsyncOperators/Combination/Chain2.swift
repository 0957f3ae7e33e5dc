// The failure type of the result is chosen here, since Swift cannot compute it of two: an input that cannot fail does
// not count, and different types give `any Error`. The type itself has that of its first base, which is wrapped where it
// has another one. All but the first function are disfavored: where several fit, the failure types are the same.

/// Returns the elements of two sequences, one after the other.
///
/// ```swift
/// for await number in chain([1, 2].async, [3].async) {
///   print(number)  // 1, 2, 3
/// }
/// ```
///
/// The failure type is theirs.
///
/// An error of one of them ends the result. A cancelled task gets what the sequences return to it, which is `nil` for
/// most. No element is requested from a sequence before the ones in front of it have ended.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
@inlinable
public func chain<First: AsyncSequence, Second: AsyncSequence>(
  _ first: First, _ second: Second
) -> AsyncChain2Sequence<First, Second>
where First.Element == Second.Element, First.Failure == Second.Failure {
  AsyncChain2Sequence(first, second)
}

/// Returns the elements of two sequences, one after the other.
///
/// The failure type is that of the one that can fail.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
@_disfavoredOverload
@inlinable
public func chain<First: AsyncSequence, Second: AsyncSequence>(
  _ first: First, _ second: Second
) -> AsyncChain2Sequence<First, Second>
where First.Element == Second.Element, Second.Failure == Never {
  AsyncChain2Sequence(first, second)
}

/// Returns the elements of two sequences, one after the other.
///
/// The failure type is that of the one that can fail.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
@_disfavoredOverload
@inlinable
public func chain<First: AsyncSequence, Second: AsyncSequence>(
  _ first: First, _ second: Second
) -> AsyncChain2Sequence<AsyncWidenedFailureSequence<First, Second.Failure>, Second>
where First.Element == Second.Element, First.Failure == Never {
  AsyncChain2Sequence(.init(first), second)
}

/// Returns the elements of two sequences, one after the other.
///
/// Their failure types differ, so the result fails with `any Error`.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
@_disfavoredOverload
@inlinable
public func chain<First: AsyncSequence, Second: AsyncSequence>(
  _ first: First, _ second: Second
) -> AsyncChain2Sequence<AsyncWidenedFailureSequence<First, any Error>, Second>
where First.Element == Second.Element {
  AsyncChain2Sequence(.init(first), second)
}

/// Returns the elements of two sequences, one after the other, where the type of the result is stated.
///
/// The failure type is that of the first one.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
@_disfavoredOverload
@inlinable
public func chain<First, Second, Stated: _StatedSequence>(
  _ first: First, _ second: Second
) -> Stated
where Stated._Inputs == (First, Second), Stated._Operator == _StatedOperator.Chain {
  Stated(_inputs: (first, second))
}

/// An asynchronous sequence of the elements of two sequences, one after the other.
///
/// Its failure type is the first one's. The functions that make it choose types for which this fits the others as well.
@frozen
public struct AsyncChain2Sequence<Base1: AsyncSequence, Base2: AsyncSequence>: AsyncSequence
where Base1.Element == Base2.Element {
  /// The bases' elements.
  public typealias Element = Base1.Element
  /// The bases' failure.
  public typealias Failure = Base1.Failure

  @usableFromInline let base1: Base1
  @usableFromInline let base2: Base2

  @inlinable
  init(_ base1: Base1, _ base2: Base2) {
    self.base1 = base1
    self.base2 = base2
  }

  /// Makes an iterator, and with it that of the first base. That of the next base is made when its turn comes.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base1.makeAsyncIterator(), base2)
  }

  /// Returns the elements of the bases.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base1: FusedIterator<Base1.AsyncIterator>
    @usableFromInline var base2 = FusedIterator<Base2.AsyncIterator>(nil)
    /// Until its turn.
    @usableFromInline var next2: Base2?

    @inlinable
    init(_ base1: Base1.AsyncIterator, _ next2: Base2) {
      self.base1 = FusedIterator(base1)
      self.next2 = next2
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base1.Failure) -> Base1.Element? {
      do {
        if !base1.isFinished, let element = try await base1.next(isolation: actor) { return element }
        if let next = next2.take() { base2 = FusedIterator(next.makeAsyncIterator()) }
        return try await base2.next(isolation: actor)
      } catch {
        next2 = nil
        base2.finish()
        throw converted(error, to: Base1.Failure.self)
      }
    }
  }
}

extension AsyncChain2Sequence: Sendable where Base1: Sendable, Base2: Sendable {}

extension AsyncChain2Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Chain

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1)
  }
}

@available(*, unavailable)
extension AsyncChain2Sequence.Iterator: Sendable {}
