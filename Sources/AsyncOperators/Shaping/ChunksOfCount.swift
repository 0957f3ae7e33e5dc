extension AsyncSequence {
  /// Collects the elements in collections of a number of elements each.
  ///
  /// ```swift
  /// for await page in (1...5).async.chunks(ofCount: 2, into: ContiguousArray.self) {
  ///   print(page)  // [1, 2], [3, 4], [5]
  /// }
  /// ```
  ///
  /// What is left when the base ends, also because of a cancellation, is a shorter chunk. If the base fails, the error
  /// is thrown at once, and the elements of the chunk that is not full are dropped.
  ///
  /// - Parameters:
  ///   - count: The number of elements, which must be at least one.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<Collected: RangeReplaceableCollection>(
    ofCount count: Int, into: Collected.Type
  ) -> AsyncChunksOfCountSequence<Self, Collected> where Collected.Element == Element {
    AsyncChunksOfCountSequence(self, count: count)
  }

  /// Collects the elements in arrays of a number of elements each.
  ///
  /// ```swift
  /// for await page in (1...5).async.chunks(ofCount: 2) {
  ///   print(page)  // [1, 2], [3, 4], [5]
  /// }
  /// ```
  ///
  /// What is left when the base ends, also because of a cancellation, is a shorter array. If the base fails, the error
  /// is thrown at once, and the elements of the array that is not full are dropped.
  ///
  /// - Parameter count: The number of elements, which must be at least one.
  @inlinable
  public func chunks(ofCount count: Int) -> AsyncChunksOfCountSequence<Self, [Element]> {
    chunks(ofCount: count, into: [Element].self)
  }
}

/// An asynchronous sequence of collections of its base's elements, with a number of elements each.
@frozen
public struct AsyncChunksOfCountSequence<Base: AsyncSequence, Collected: RangeReplaceableCollection>: AsyncSequence
where Collected.Element == Base.Element {
  /// A number of the base's elements.
  public typealias Element = Collected
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let count: Int

  @inlinable
  init(_ base: Base, count: Int) {
    precondition(count > 0, "a chunk must have at least one element, but its count was \(count)")
    self.base = base
    self.count = count
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), count: count)
  }

  /// Returns the chunks.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let count: Int

    @inlinable
    init(_ base: Base.AsyncIterator, count: Int) {
      self.base = FusedIterator(base)
      self.count = count
    }

    /// The next chunk, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Collected? {
      guard let first = try await base.next(isolation: actor) else { return nil }
      var chunk = Collected(CollectionOfOne(first))
      var missing = count - 1
      while missing > 0, let element = try await base.next(isolation: actor) {
        chunk.append(element)
        missing -= 1
      }
      return chunk
    }
  }
}

extension AsyncChunksOfCountSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncChunksOfCountSequence.Iterator: Sendable {}
