extension AsyncSequence {
  // A sequence is not an element where the type of the elements is still open, as in `[1, 2].async`.
  /// Returns elements before those of the base.
  ///
  /// ```swift
  /// let numbers = await Array([3, 4].async.prepend(1, 2))  // [1, 2, 3, 4]
  /// ```
  ///
  /// Failure is the base's. Its first element is requested after them. Cancelling the task ends the iteration
  /// with `nil` while they are returned; after that, when the base ends.
  ///
  /// - Parameter elements: The elements.
  @_disfavoredOverload
  @inlinable
  public func prepend(_ elements: Element...) -> AsyncPrependSequence<Self, [Element]> {
    AsyncPrependSequence(self, elements: elements)
  }

  /// Returns a sequence's elements before those of the base.
  ///
  /// ```swift
  /// let numbers = await Array([3, 4].async.prepend(1...2))  // [1, 2, 3, 4]
  /// ```
  ///
  /// Failure is the base's. Its first element is requested after them. Cancelling the task ends the iteration
  /// with `nil` while they are returned; after that, when the base ends.
  ///
  /// - Parameter elements: The elements.
  @inlinable
  public func prepend<Elements: Sequence>(
    _ elements: Elements
  ) -> AsyncPrependSequence<Self, Elements> where Elements.Element == Element {
    AsyncPrependSequence(self, elements: elements)
  }

  /// Returns another sequence's elements before those of this one.
  ///
  /// ```swift
  /// let numbers = await Array([2, 3].async.prepend([1].async))  // [1, 2, 3]
  /// ```
  ///
  /// The failure type is that of both. An error of one of them ends the result. No element is requested from this
  /// sequence before the other one has ended.
  ///
  /// - Parameter other: The other sequence.
  @inlinable
  public func prepend<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<Other, Self> where Other.Element == Element, Other.Failure == Failure {
    chain(other, self)
  }

  /// Returns another sequence's elements before those of this one.
  ///
  /// The other sequence cannot fail, so the failure type is this one's.
  ///
  /// - Parameter other: The other sequence.
  @_disfavoredOverload
  @inlinable
  public func prepend<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<AsyncWidenedFailureSequence<Other, Failure>, Self>
  where Other.Element == Element, Other.Failure == Never {
    chain(other, self)
  }

  /// Returns another sequence's elements before those of this one.
  ///
  /// This sequence cannot fail, so the failure type is the other one's.
  ///
  /// - Parameter other: The other sequence.
  @_disfavoredOverload
  @inlinable
  public func prepend<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<Other, Self> where Other.Element == Element, Failure == Never {
    chain(other, self)
  }

  /// Returns another sequence's elements before those of this one.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter other: The other sequence.
  @_disfavoredOverload
  @inlinable
  public func prepend<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<AsyncWidenedFailureSequence<Other, any Error>, Self> where Other.Element == Element {
    chain(other, self)
  }
}

/// An asynchronous sequence of its base's elements, and those of a sequence before them.
@frozen
public struct AsyncPrependSequence<Base: AsyncSequence, Elements: Sequence>: AsyncSequence
where Elements.Element == Base.Element {
  /// The base's elements, and the others.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let elements: Elements

  @inlinable
  init(_ base: Base, elements: Elements) {
    self.base = base
    self.elements = elements
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), elements: elements.makeIterator())
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline var elements: Elements.Iterator?

    @inlinable
    init(_ base: Base.AsyncIterator, elements: Elements.Iterator) {
      self.base = FusedIterator(base)
      self.elements = elements
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      if elements != nil {
        if Task.isCancelled {
          base.finish()
        } else if let element = elements?.next() {
          return element
        }
        elements = nil
      }
      return try await base.next(isolation: actor)
    }
  }
}

extension AsyncPrependSequence: Sendable where Base: Sendable, Elements: Sendable {}

@available(*, unavailable)
extension AsyncPrependSequence.Iterator: Sendable {}
