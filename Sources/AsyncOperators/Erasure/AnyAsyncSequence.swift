/// An asynchronous sequence of any type, with its elements' type and its failure's.
///
/// ```swift
/// func numbers(_ isSorted: Bool) -> AnyAsyncSequence<Int, Never> {
///   isSorted ? [1, 2].async.eraseToAnyAsyncSequence() : Set([1, 2]).async.eraseToAnyAsyncSequence()
/// }
/// ```
///
/// Elements, completion, failure and cancellation are those of the sequence that it is made of; each `next()` costs a
/// call through a table. It is `Sendable`, and can be made of such a sequence only: for another one, write
/// `any AsyncSequence<Element, Failure>`. A function that always returns the same type need not erase it: see
/// `eraseToSomeAsyncSequence()`.
public struct AnyAsyncSequence<Element, Failure: Error>: AsyncSequence, Sendable {
  @usableFromInline let makeIterator: @Sendable () -> AnyAsyncIterator<Element, Failure>

  /// Makes a sequence of another one.
  @inlinable
  public init<Base: AsyncSequence<Element, Failure> & Sendable>(_ base: Base) {
    makeIterator = { AsyncIteratorBox(base.makeAsyncIterator()) }
  }

  /// Makes an iterator of the sequence that this one is made of.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(makeIterator())
  }

  /// Returns the elements.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline let base: AnyAsyncIterator<Element, Failure>

    @inlinable
    init(_ base: AnyAsyncIterator<Element, Failure>) {
      self.base = base
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      try await base.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension AnyAsyncSequence.Iterator: Sendable {}

/// An iterator of any type.
@usableFromInline
class AnyAsyncIterator<Element, Failure: Error> {
  @inlinable
  init() {}

  @usableFromInline
  func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    preconditionFailure("an iterator without a base")
  }
}

@usableFromInline
final class AsyncIteratorBox<Base: AsyncIteratorProtocol>: AnyAsyncIterator<Base.Element, Base.Failure> {
  @usableFromInline var base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
    super.init()
  }

  @inlinable
  override func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
    try await base.next(isolation: actor)
  }
}

extension AsyncSequence where Self: Sendable {
  /// Returns this sequence as one whose type says nothing of how it is made.
  ///
  /// ```swift
  /// let numbers: AnyAsyncSequence<Int, Never> = [1, 2].async.eraseToAnyAsyncSequence()
  /// ```
  @inlinable
  public func eraseToAnyAsyncSequence() -> AnyAsyncSequence<Element, Failure> {
    AnyAsyncSequence(self)
  }

  /// Returns this sequence as an opaque type, which says nothing of how it is made and costs nothing.
  ///
  /// ```swift
  /// let numbers: some AsyncSequence<Int, Never> & Sendable = [1, 2].async.eraseToSomeAsyncSequence()
  /// ```
  @inlinable
  public func eraseToSomeAsyncSequence() -> some AsyncSequence<Element, Failure> & Sendable {
    self
  }
}
