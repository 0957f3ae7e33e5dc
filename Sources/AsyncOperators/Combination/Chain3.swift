/// Returns the elements of three sequences, one after the other.
///
/// ```swift
/// for await number in chain([1, 2].async, [3].async, [4].async) {
///   print(number)  // 1, 2, 3, 4
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
///   - third: The third sequence.
@inlinable
public func chain<First: AsyncSequence, Second: AsyncSequence, Third: AsyncSequence>(
  _ first: First, _ second: Second, _ third: Third
) -> AsyncChain3Sequence<First, Second, Third>
where
  First.Element == Second.Element, First.Element == Third.Element, First.Failure == Second.Failure,
  First.Failure == Third.Failure
{
  AsyncChain3Sequence(first, second, third)
}

/// Returns the elements of three sequences, one after the other.
///
/// Their failure types differ, so the result fails with `any Error`, also if some cannot fail: `setFailureType(to:)` gives
/// these the type of the others.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
///   - third: The third sequence.
@_disfavoredOverload
@inlinable
public func chain<First: AsyncSequence, Second: AsyncSequence, Third: AsyncSequence>(
  _ first: First, _ second: Second, _ third: Third
) -> AsyncChain3Sequence<AsyncWidenedFailureSequence<First, any Error>, Second, Third>
where First.Element == Second.Element, First.Element == Third.Element {
  AsyncChain3Sequence(.init(first), second, third)
}

/// Returns the elements of three sequences, one after the other, where the type of the result is stated.
///
/// The failure type is that of the first one.
///
/// - Parameters:
///   - first: The first sequence.
///   - second: The second sequence.
///   - third: The third sequence.
@_disfavoredOverload
@inlinable
public func chain<First, Second, Third, Stated: _StatedSequence>(
  _ first: First, _ second: Second, _ third: Third
) -> Stated
where Stated._Inputs == (First, Second, Third), Stated._Operator == _StatedOperator.Chain {
  Stated(_inputs: (first, second, third))
}

/// An asynchronous sequence of the elements of three sequences, one after the other.
///
/// Its failure type is the first one's. The functions that make it choose types for which this fits the others as well.
@frozen
public struct AsyncChain3Sequence<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>: AsyncSequence
where Base1.Element == Base2.Element, Base1.Element == Base3.Element {
  /// The bases' elements.
  public typealias Element = Base1.Element
  /// The bases' failure.
  public typealias Failure = Base1.Failure

  @usableFromInline let base1: Base1
  @usableFromInline let base2: Base2
  @usableFromInline let base3: Base3

  @inlinable
  init(_ base1: Base1, _ base2: Base2, _ base3: Base3) {
    self.base1 = base1
    self.base2 = base2
    self.base3 = base3
  }

  /// Makes an iterator, and with it that of the first base. That of the next base is made when its turn comes.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base1.makeAsyncIterator(), base2, base3)
  }

  /// Returns the elements of the bases.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base1: FusedIterator<Base1.AsyncIterator>
    @usableFromInline var base2 = FusedIterator<Base2.AsyncIterator>(nil)
    @usableFromInline var base3 = FusedIterator<Base3.AsyncIterator>(nil)
    // Until their turn.
    @usableFromInline var next2: Base2?
    @usableFromInline var next3: Base3?

    @inlinable
    init(_ base1: Base1.AsyncIterator, _ next2: Base2, _ next3: Base3) {
      self.base1 = FusedIterator(base1)
      self.next2 = next2
      self.next3 = next3
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base1.Failure) -> Base1.Element? {
      do {
        if !base1.isFinished, let element = try await base1.next(isolation: actor) { return element }
        if let next = next2.take() { base2 = FusedIterator(next.makeAsyncIterator()) }
        if !base2.isFinished, let element = try await base2.next(isolation: actor) { return element }
        if let next = next3.take() { base3 = FusedIterator(next.makeAsyncIterator()) }
        return try await base3.next(isolation: actor)
      } catch {
        next2 = nil
        next3 = nil
        base2.finish()
        base3.finish()
        throw converted(error, to: Base1.Failure.self)
      }
    }
  }
}

extension AsyncChain3Sequence: Sendable where Base1: Sendable, Base2: Sendable, Base3: Sendable {}

extension AsyncChain3Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2, Base3)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Chain

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1, inputs.2)
  }
}

@available(*, unavailable)
extension AsyncChain3Sequence.Iterator: Sendable {}
