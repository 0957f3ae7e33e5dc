extension AsyncSequence {
  /// Returns the first element, and then the result after each further one.
  ///
  /// ```swift
  /// let sums = (1...3).async.reductions(+)  // 1, 3, 6
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameter transform: Makes the next result of the last one and an element.
  @inlinable
  public func reductions(
    _ transform: @escaping @Sendable (Element, Element) -> Element
  ) -> AsyncInclusiveReductionsSequence<Self> {
    AsyncInclusiveReductionsSequence(self, reducer: Reducer(transform))
  }

  /// Returns the first element, and then the result after each further one.
  ///
  /// ```swift
  /// let names = words.async.reductions { await joined($0, $1) }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameter transform: Makes the next result of the last one and an element, on the consumer's isolation.
  @inlinable
  public func reductions(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Element, Element) async -> Element
  ) -> AsyncInclusiveReductionsSequence<Self> {
    AsyncInclusiveReductionsSequence(self, reducer: Reducer(transform))
  }

  /// Returns the first element, and then the result after each further one.
  ///
  /// ```swift
  /// let products = (1...3).async.reductions { try checkedProduct($0, $1) }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameter transform: Makes the next result of the last one and an element.
  @inlinable
  public func reductions(
    _ transform: @escaping @Sendable (Element, Element) throws -> Element
  ) -> AsyncThrowingInclusiveReductionsSequence<Self> {
    AsyncInclusiveReductionsSequence(.init(self), reducer: Reducer(transform))
  }

  /// Returns the first element, and then the result after each further one.
  ///
  /// ```swift
  /// let names = words.async.reductions { try await joined($0, $1) }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameter transform: Makes the next result of the last one and an element, on the consumer's isolation.
  @inlinable
  public func reductions(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Element, Element) async throws -> Element
  ) -> AsyncThrowingInclusiveReductionsSequence<Self> {
    AsyncInclusiveReductionsSequence(.init(self), reducer: Reducer(transform))
  }
}

/// An asynchronous sequence of the first element of its base and the results after each further one.
@frozen
public struct AsyncInclusiveReductionsSequence<Base: AsyncSequence>: AsyncSequence {
  /// A result.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let reducer: Reducer<Base.Element, Base.Element, Base.Failure>

  @inlinable
  init(_ base: Base, reducer: Reducer<Base.Element, Base.Element, Base.Failure>) {
    self.base = base
    self.reducer = reducer
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), reducer: reducer)
  }

  /// Returns the results.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let reducer: Reducer<Base.Element, Base.Element, Base.Failure>
    @usableFromInline var result: Base.Element?

    @inlinable
    init(_ base: Base.AsyncIterator, reducer: Reducer<Base.Element, Base.Element, Base.Failure>) {
      self.base = FusedIterator(base)
      self.reducer = reducer
    }

    /// The next result, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      guard var next = result.take() else {
        result = element
        return element
      }
      do throws(Base.Failure) {
        try await reducer(&next, element, isolation: actor)
      } catch {
        base.finish()
        throw error
      }
      result = next
      return next
    }
  }
}

extension AsyncInclusiveReductionsSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncInclusiveReductionsSequence.Iterator: Sendable {}

/// An asynchronous sequence of the first element of its base and the results after each further one, which a closure
/// makes that may fail.
public typealias AsyncThrowingInclusiveReductionsSequence<Base: AsyncSequence> = AsyncInclusiveReductionsSequence<
  AsyncWidenedFailureSequence<Base, any Error>
>
