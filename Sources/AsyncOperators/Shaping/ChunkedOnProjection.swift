extension AsyncSequence {
  /// Collects neighbours with the same subject in collections, each together with its subject.
  ///
  /// ```swift
  /// for await (initial, names) in ["Ann", "Al", "Bo"].async.chunked(into: ContiguousArray.self, on: \.first) {
  ///   print(initial ?? " ", names)  // A ["Ann", "Al"], B ["Bo"]
  /// }
  /// ```
  ///
  /// A chunk is returned when the element after it is known, or when the base ends, also because of a cancellation.
  /// That element waits for the next call of `next()`. If the base fails, the error is thrown at once, and the elements
  /// of the chunk are dropped.
  ///
  /// - Parameters:
  ///   - into: The type of the collections.
  ///   - projection: The subject of an element. It is called once for each.
  @inlinable
  public func chunked<Subject: Equatable, Collected: RangeReplaceableCollection>(
    into: Collected.Type, on projection: @escaping @Sendable (Element) -> Subject
  ) -> AsyncChunkedOnProjectionSequence<Self, Subject, Collected> where Collected.Element == Element {
    AsyncChunkedOnProjectionSequence(self, projection: projection)
  }

  /// Collects neighbours with the same subject in arrays, each together with its subject.
  ///
  /// ```swift
  /// for await (initial, names) in ["Ann", "Al", "Bo"].async.chunked(on: \.first) {
  ///   print(initial ?? " ", names)  // A ["Ann", "Al"], B ["Bo"]
  /// }
  /// ```
  ///
  /// An array is returned when the element after it is known, or when the base ends, also because of a cancellation.
  /// That element waits for the next call of `next()`. If the base fails, the error is thrown at once, and the elements
  /// of the array are dropped.
  ///
  /// - Parameter projection: The subject of an element. It is called once for each.
  @inlinable
  public func chunked<Subject: Equatable>(
    on projection: @escaping @Sendable (Element) -> Subject
  ) -> AsyncChunkedOnProjectionSequence<Self, Subject, [Element]> {
    chunked(into: [Element].self, on: projection)
  }
}

/// An asynchronous sequence of collections of neighbours with the same subject.
@frozen
public struct AsyncChunkedOnProjectionSequence<
  Base: AsyncSequence, Subject: Equatable, Collected: RangeReplaceableCollection
>: AsyncSequence where Collected.Element == Base.Element {
  /// A subject, and the neighbours that have it.
  public typealias Element = (Subject, Collected)
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let projection: @Sendable (Base.Element) -> Subject

  @inlinable
  init(_ base: Base, projection: @escaping @Sendable (Base.Element) -> Subject) {
    self.base = base
    self.projection = projection
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), projection: projection)
  }

  /// Returns the chunks.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let projection: @Sendable (Base.Element) -> Subject
    /// The first element of the next chunk, with its subject.
    @usableFromInline var pending: (Subject, Base.Element)?

    @inlinable
    init(_ base: Base.AsyncIterator, projection: @escaping @Sendable (Base.Element) -> Subject) {
      self.base = FusedIterator(base)
      self.projection = projection
    }

    /// The next chunk, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> (
      Subject, Collected
    )? {
      if pending == nil, let element = try await base.next(isolation: actor) {
        pending = (projection(element), element)
      }
      guard let (subject, first) = pending.take() else { return nil }
      var chunk = Collected(CollectionOfOne(first))
      while let element = try await base.next(isolation: actor) {
        let next = projection(element)
        guard next == subject else {
          pending = (next, element)
          break
        }
        chunk.append(element)
      }
      return (subject, chunk)
    }
  }
}

extension AsyncChunkedOnProjectionSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncChunkedOnProjectionSequence.Iterator: Sendable {}
