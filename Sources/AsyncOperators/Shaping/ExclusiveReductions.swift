extension AsyncSequence {
  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let sums = (1...3).async.reductions(0, +)  // 1, 3, 6
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Makes the next result of the last one and an element.
  @inlinable
  public func reductions<Result>(
    _ initial: Result, _ transform: @escaping @Sendable (Result, Element) -> Result
  ) -> AsyncExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(self, initial: initial, reducer: Reducer(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let prices = ids.async.reductions(0) { sum, id in sum + (await price(of: id)) }
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Makes the next result of the last one and an element, on the consumer's isolation.
  @inlinable
  public func reductions<Result>(
    _ initial: Result, _ transform: nonisolated(nonsending) @escaping @Sendable (Result, Element) async -> Result
  ) -> AsyncExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(self, initial: initial, reducer: Reducer(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let lists = (1...2).async.reductions(into: []) { $0.append($1) }  // [1], [1, 2]
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Adds an element to the result.
  @inlinable
  public func reductions<Result>(
    into initial: Result, _ transform: @escaping @Sendable (inout Result, Element) -> Void
  ) -> AsyncExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(self, initial: initial, reducer: .immediate(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let lists = ids.async.reductions(into: []) { $0.append(await price(of: $1)) }
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Adds an element to the result, on the consumer's isolation.
  @inlinable
  public func reductions<Result>(
    into initial: Result, _ transform: nonisolated(nonsending) @escaping @Sendable (inout Result, Element) async -> Void
  ) -> AsyncExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(self, initial: initial, reducer: .suspending(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let sums = ["1", "2"].async.reductions(0) { sum, text in sum + (try parse(text)) }
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Makes the next result of the last one and an element.
  @inlinable
  public func reductions<Result>(
    _ initial: Result, _ transform: @escaping @Sendable (Result, Element) throws -> Result
  ) -> AsyncThrowingExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(.init(self), initial: initial, reducer: Reducer(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let prices = ids.async.reductions(0) { sum, id in sum + (try await price(of: id)) }
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Makes the next result of the last one and an element, on the consumer's isolation.
  @inlinable
  public func reductions<Result>(
    _ initial: Result, _ transform: nonisolated(nonsending) @escaping @Sendable (Result, Element) async throws -> Result
  ) -> AsyncThrowingExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(.init(self), initial: initial, reducer: Reducer(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let lists = ["1", "2"].async.reductions(into: []) { $0.append(try parse($1)) }
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Adds an element to the result.
  @inlinable
  public func reductions<Result>(
    into initial: Result, _ transform: @escaping @Sendable (inout Result, Element) throws -> Void
  ) -> AsyncThrowingExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(.init(self), initial: initial, reducer: .immediate(transform))
  }

  /// Returns the result after each element, beginning with an initial result.
  ///
  /// ```swift
  /// let lists = ids.async.reductions(into: []) { $0.append(try await price(of: $1)) }
  /// ```
  ///
  /// The initial result itself is not an element, so that an empty base gives an empty sequence. Completion, failure and
  /// cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameters:
  ///   - initial: The result before the first element.
  ///   - transform: Adds an element to the result, on the consumer's isolation.
  @inlinable
  public func reductions<Result>(
    into initial: Result,
    _ transform: nonisolated(nonsending) @escaping @Sendable (inout Result, Element) async throws -> Void
  ) -> AsyncThrowingExclusiveReductionsSequence<Self, Result> {
    AsyncExclusiveReductionsSequence(.init(self), initial: initial, reducer: .suspending(transform))
  }
}

/// An asynchronous sequence of the results after each element of its base, beginning with an initial result.
@frozen
public struct AsyncExclusiveReductionsSequence<Base: AsyncSequence, Element>: AsyncSequence {
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let initial: Element
  @usableFromInline let reducer: Reducer<Element, Base.Element, Base.Failure>

  @inlinable
  init(_ base: Base, initial: Element, reducer: Reducer<Element, Base.Element, Base.Failure>) {
    self.base = base
    self.initial = initial
    self.reducer = reducer
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), initial: initial, reducer: reducer)
  }

  /// Returns the results.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let reducer: Reducer<Element, Base.Element, Base.Failure>
    @usableFromInline var result: Element

    @inlinable
    init(_ base: Base.AsyncIterator, initial: Element, reducer: Reducer<Element, Base.Element, Base.Failure>) {
      self.base = FusedIterator(base)
      self.result = initial
      self.reducer = reducer
    }

    /// The next result, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Element? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      do throws(Base.Failure) {
        try await reducer(&result, element, isolation: actor)
      } catch {
        base.finish()
        throw error
      }
      return result
    }
  }
}

extension AsyncExclusiveReductionsSequence: Sendable where Base: Sendable, Element: Sendable {}

@available(*, unavailable)
extension AsyncExclusiveReductionsSequence.Iterator: Sendable {}

/// An asynchronous sequence of the results after each element of its base, beginning with an initial result, which a
/// closure makes that may fail.
public typealias AsyncThrowingExclusiveReductionsSequence<Base: AsyncSequence, Element> =
  AsyncExclusiveReductionsSequence<
    AsyncWidenedFailureSequence<Base, any Error>, Element
  >
