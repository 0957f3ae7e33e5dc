extension AsyncSequence {
  /// Returns the result after each element.
  ///
  /// ```swift
  /// let sums = (1...3).async.scan(0, +)  // 1, 3, 6
  /// ```
  ///
  /// As `reductions`, with typed failures: it fails when the base does, or with what the closure throws, which is of the
  /// base's failure type. Completion and cancellation are the base's.
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
  /// As `reductions`, with typed failures: it fails when the base does, or with what the closure throws, which is of the
  /// base's failure type. Completion and cancellation are the base's.
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
  /// As `reductions`, with typed failures: it fails with what the closure throws. Completion and cancellation are the
  /// base's.
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
  /// As `reductions`, with typed failures: it fails with what the closure throws. Completion and cancellation are the
  /// base's.
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
  /// As `reductions`: it fails when the base does, or with what the closure throws. Completion and cancellation are the
  /// base's.
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
  /// As `reductions`: it fails when the base does, or with what the closure throws. Completion and cancellation are the
  /// base's.
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

/// An asynchronous sequence of the results after each element of its base, under the name of Combine's operator.
public typealias AsyncScanSequence<Base: AsyncSequence, Result> = AsyncExclusiveReductionsSequence<Base, Result>
