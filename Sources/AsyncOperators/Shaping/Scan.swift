extension AsyncSequence {
  /// Returns the result after each element.
  ///
  /// ```swift
  /// let sums = (1...3).async.scan(0, +)  // 1, 3, 6
  /// ```
  ///
  /// Unlike `reductions`, it does not return the initial result. It fails when the base does, or with what the closure
  /// throws, which is of the base's failure type. Completion and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element.
  ///   - nextPartialResult: Makes the next result of the last one and an element.
  @inlinable
  public func scan<Result>(
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) throws(Failure) -> Result
  ) -> AsyncScanSequence<Self, Result> {
    AsyncScanSequence(self, initial: initialResult, reducer: Reducer(nextPartialResult))
  }

  /// Returns the result after each element.
  ///
  /// ```swift
  /// let prices = ids.async.scan(0) { sum, id in sum + (await price(of: id)) }
  /// ```
  ///
  /// Unlike `reductions`, it does not return the initial result. It fails when the base does, or with what the closure
  /// throws, which is of the base's failure type. Completion and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element.
  ///   - nextPartialResult: Makes the next result of the last one and an element, on the consumer's isolation.
  @inlinable
  public func scan<Result>(
    _ initialResult: Result,
    _ nextPartialResult: nonisolated(nonsending) @escaping @Sendable (Result, Element) async throws(Failure) -> Result
  ) -> AsyncScanSequence<Self, Result> {
    AsyncScanSequence(self, initial: initialResult, reducer: Reducer(nextPartialResult))
  }

  /// Returns the result after each element.
  ///
  /// ```swift
  /// let sums = ["1", "2"].async.scan(0) { (sum, text) throws(ParseError) in sum + (try parse(text)) }
  /// ```
  ///
  /// Unlike `reductions`, it does not return the initial result. It fails with what the closure throws. Completion and
  /// cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element.
  ///   - nextPartialResult: Makes the next result of the last one and an element.
  @_disfavoredOverload
  @inlinable
  public func scan<Result, ClosureFailure: Error>(
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) throws(ClosureFailure) -> Result
  ) -> AsyncScanSequence<AsyncWidenedFailureSequence<Self, ClosureFailure>, Result> where Failure == Never {
    AsyncScanSequence(.init(self), initial: initialResult, reducer: Reducer(nextPartialResult))
  }

  /// Returns the result after each element.
  ///
  /// ```swift
  /// let prices = ids.async.scan(0) { (sum, id) async throws(PriceError) in sum + (try await price(of: id)) }
  /// ```
  ///
  /// Unlike `reductions`, it does not return the initial result. It fails with what the closure throws. Completion and
  /// cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element.
  ///   - nextPartialResult: Makes the next result of the last one and an element, on the consumer's isolation.
  @_disfavoredOverload
  @inlinable
  public func scan<Result, ClosureFailure: Error>(
    _ initialResult: Result,
    _ nextPartialResult:
      nonisolated(nonsending) @escaping @Sendable (Result, Element) async throws(ClosureFailure) -> Result
  ) -> AsyncScanSequence<AsyncWidenedFailureSequence<Self, ClosureFailure>, Result> where Failure == Never {
    AsyncScanSequence(.init(self), initial: initialResult, reducer: Reducer(nextPartialResult))
  }

  /// Returns the result after each element.
  ///
  /// ```swift
  /// let sums = lines.scan(0) { sum, text in sum + (try parse(text)) }
  /// ```
  ///
  /// Unlike `reductions`, it does not return the initial result. It fails when the base does, or with what the closure
  /// throws. Completion and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element.
  ///   - nextPartialResult: Makes the next result of the last one and an element.
  @_disfavoredOverload
  @inlinable
  public func scan<Result>(
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) throws -> Result
  ) -> AsyncScanSequence<AsyncWidenedFailureSequence<Self, any Error>, Result> {
    AsyncScanSequence(.init(self), initial: initialResult, reducer: Reducer(nextPartialResult))
  }

  /// Returns the result after each element.
  ///
  /// ```swift
  /// let prices = ids.scan(0) { sum, id in sum + (try await price(of: id)) }
  /// ```
  ///
  /// Unlike `reductions`, it does not return the initial result. It fails when the base does, or with what the closure
  /// throws. Completion and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element.
  ///   - nextPartialResult: Makes the next result of the last one and an element, on the consumer's isolation.
  @_disfavoredOverload
  @inlinable
  public func scan<Result>(
    _ initialResult: Result,
    _ nextPartialResult: nonisolated(nonsending) @escaping @Sendable (Result, Element) async throws -> Result
  ) -> AsyncScanSequence<AsyncWidenedFailureSequence<Self, any Error>, Result> {
    AsyncScanSequence(.init(self), initial: initialResult, reducer: Reducer(nextPartialResult))
  }
}

/// An asynchronous sequence of the results after each element of its base.
@frozen
public struct AsyncScanSequence<Base: AsyncSequence, Result>: AsyncSequence {
  /// A result.
  public typealias Element = Result
  /// The base's failure, which is the closure's as well.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let initial: Result
  @usableFromInline let reducer: Reducer<Result, Base.Element, Base.Failure>

  @inlinable
  init(_ base: Base, initial: Result, reducer: Reducer<Result, Base.Element, Base.Failure>) {
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
  public struct Iterator: AsyncIteratorProtocol {
    /// A result.
    public typealias Element = Result
    /// The base's failure, which is the closure's as well.
    public typealias Failure = Base.Failure

    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let reducer: Reducer<Result, Base.Element, Base.Failure>
    @usableFromInline var result: Result

    @inlinable
    init(_ base: Base.AsyncIterator, initial: Result, reducer: Reducer<Result, Base.Element, Base.Failure>) {
      self.base = FusedIterator(base)
      self.result = initial
      self.reducer = reducer
    }

    /// The next result; `nil` when the base has ended.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Base.Failure) -> Result? {
      try await next(isolation: #isolation)
    }

    /// The next result, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Result? {
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

extension AsyncScanSequence: Sendable where Base: Sendable, Result: Sendable {}

@available(*, unavailable)
extension AsyncScanSequence.Iterator: Sendable {}
