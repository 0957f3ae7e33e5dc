extension AsyncSequence {
  // A sequence is not an element where the type of the elements is still open, as in `[1, 2].async`.
  /// Returns elements after those of the base.
  ///
  /// ```swift
  /// let numbers = await Array([1, 2].async.append(3, 4))  // [1, 2, 3, 4]
  /// ```
  ///
  /// Failure is the base's. If the base fails, or if the task has been cancelled, they are not returned.
  ///
  /// - Parameter elements: The elements.
  @_disfavoredOverload
  @inlinable
  public func append(_ elements: Element...) -> AsyncAppendSequence<Self, [Element]> {
    AsyncAppendSequence(self, elements: elements)
  }

  /// Returns a sequence's elements after those of the base.
  ///
  /// ```swift
  /// let numbers = await Array([1, 2].async.append(3...4))  // [1, 2, 3, 4]
  /// ```
  ///
  /// Failure is the base's. If the base fails, or if the task has been cancelled, they are not returned.
  ///
  /// - Parameter elements: The elements.
  @inlinable
  public func append<Elements: Sequence>(
    _ elements: Elements
  ) -> AsyncAppendSequence<Self, Elements> where Elements.Element == Element {
    AsyncAppendSequence(self, elements: elements)
  }

  /// Returns another sequence's elements after those of this one.
  ///
  /// ```swift
  /// let numbers = await Array([1, 2].async.append([3].async))  // [1, 2, 3]
  /// ```
  ///
  /// The failure type is that of both. An error of one of them ends the result. No element is requested from the other
  /// sequence before this one has ended.
  ///
  /// - Parameter other: The other sequence.
  @inlinable
  public func append<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<Self, Other> where Other.Element == Element, Other.Failure == Failure {
    chain(self, other)
  }

  /// Returns another sequence's elements after those of this one.
  ///
  /// The other sequence cannot fail, so the failure type is this one's.
  ///
  /// - Parameter other: The other sequence.
  @_disfavoredOverload
  @inlinable
  public func append<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<Self, Other> where Other.Element == Element, Other.Failure == Never {
    chain(self, other)
  }

  /// Returns another sequence's elements after those of this one.
  ///
  /// This sequence cannot fail, so the failure type is the other one's.
  ///
  /// - Parameter other: The other sequence.
  @_disfavoredOverload
  @inlinable
  public func append<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<AsyncWidenedFailureSequence<Self, Other.Failure>, Other>
  where Other.Element == Element, Failure == Never {
    chain(self, other)
  }

  /// Returns another sequence's elements after those of this one.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter other: The other sequence.
  @_disfavoredOverload
  @inlinable
  public func append<Other: AsyncSequence>(
    _ other: Other
  ) -> AsyncChain2Sequence<AsyncWidenedFailureSequence<Self, any Error>, Other> where Other.Element == Element {
    chain(self, other)
  }
}

/// An asynchronous sequence of its base's elements, and those of a sequence after them.
@frozen
public struct AsyncAppendSequence<Base: AsyncSequence, Elements: Sequence>: AsyncSequence
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
      if !base.isFinished {
        do throws(Base.Failure) {
          if let element = try await base.next(isolation: actor) { return element }
        } catch {
          elements = nil
          throw error
        }
      }
      if !Task.isCancelled, let element = elements?.next() { return element }
      elements = nil
      return nil
    }
  }
}

extension AsyncAppendSequence: Sendable where Base: Sendable, Elements: Sendable {}

@available(*, unavailable)
extension AsyncAppendSequence.Iterator: Sendable {}
