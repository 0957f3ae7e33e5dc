extension AsyncSequence {
  /// Collects elements in collections, as long as each belongs to the same group as the one before it.
  ///
  /// ```swift
  /// for await rising in [1, 3, 2, 5].async.chunked(into: ContiguousArray.self, by: <) {
  ///   print(rising)  // [1, 3], [2, 5]
  /// }
  /// ```
  ///
  /// A chunk is returned when the element after it is known, or when the base ends, also because of a cancellation.
  /// That element waits for the next call of `next()`. If the base fails, the error is thrown at once, and the elements
  /// of the chunk are dropped.
  ///
  /// - Parameters:
  ///   - into: The type of the collections.
  ///   - belongInSameGroup: Says whether two neighbours belong to the same group.
  @inlinable
  public func chunked<Collected: RangeReplaceableCollection>(
    into: Collected.Type, by belongInSameGroup: @escaping @Sendable (Element, Element) -> Bool
  ) -> AsyncChunkedByGroupSequence<Self, Collected> where Collected.Element == Element {
    AsyncChunkedByGroupSequence(self, belongInSameGroup: belongInSameGroup)
  }

  /// Collects elements in arrays, as long as each belongs to the same group as the one before it.
  ///
  /// ```swift
  /// for await rising in [1, 3, 2, 5].async.chunked(by: <) {
  ///   print(rising)  // [1, 3], [2, 5]
  /// }
  /// ```
  ///
  /// An array is returned when the element after it is known, or when the base ends, also because of a cancellation.
  /// That element waits for the next call of `next()`. If the base fails, the error is thrown at once, and the elements
  /// of the array are dropped.
  ///
  /// - Parameter belongInSameGroup: Says whether two neighbours belong to the same group.
  @inlinable
  public func chunked(
    by belongInSameGroup: @escaping @Sendable (Element, Element) -> Bool
  ) -> AsyncChunkedByGroupSequence<Self, [Element]> {
    chunked(into: [Element].self, by: belongInSameGroup)
  }
}

/// An asynchronous sequence of collections of its base's elements, in which neighbours belong to the same group.
@frozen
public struct AsyncChunkedByGroupSequence<Base: AsyncSequence, Collected: RangeReplaceableCollection>: AsyncSequence
where Collected.Element == Base.Element {
  /// Neighbours of the base that belong to the same group.
  public typealias Element = Collected
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let belongInSameGroup: @Sendable (Base.Element, Base.Element) -> Bool

  @inlinable
  init(_ base: Base, belongInSameGroup: @escaping @Sendable (Base.Element, Base.Element) -> Bool) {
    self.base = base
    self.belongInSameGroup = belongInSameGroup
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), belongInSameGroup: belongInSameGroup)
  }

  /// Returns the chunks.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let belongInSameGroup: @Sendable (Base.Element, Base.Element) -> Bool
    /// The first element of the next chunk.
    @usableFromInline var pending: Base.Element?

    @inlinable
    init(_ base: Base.AsyncIterator, belongInSameGroup: @escaping @Sendable (Base.Element, Base.Element) -> Bool) {
      self.base = FusedIterator(base)
      self.belongInSameGroup = belongInSameGroup
    }

    /// The next chunk, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Collected? {
      if pending == nil { pending = try await base.next(isolation: actor) }
      guard var last = pending.take() else { return nil }
      var chunk = Collected(CollectionOfOne(last))
      while let element = try await base.next(isolation: actor) {
        guard belongInSameGroup(last, element) else {
          pending = element
          break
        }
        chunk.append(element)
        last = element
      }
      return chunk
    }
  }
}

extension AsyncChunkedByGroupSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncChunkedByGroupSequence.Iterator: Sendable {}
