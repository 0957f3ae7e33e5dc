// An operator on a `Just` is applied to the value immediately, without a subscription. It calls its closure once, and
// returns again a publisher of a known value.

extension Just {
  /// Returns a publisher of the closure's result. The closure is called immediately.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Just<T> {
    Just<T>(transform(output))
  }

  /// Returns a publisher of the closure's result, or of the error it throws. The closure is called immediately.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    .init(Result { try transform(output) })
  }

  /// Returns a publisher of the closure's result, or without a value if the result is `nil`. The closure is called
  /// immediately.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    .init(transform(output))
  }

  /// Returns a publisher of the closure's result for the initial result and the value. The closure is called
  /// immediately.
  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Never>.Publisher {
    .init(.success(nextPartialResult(initialResult, output)))
  }

  /// Returns a publisher of the closure's result for the initial result and the value, or of the error it throws.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    .init(Result { try nextPartialResult(initialResult, output) })
  }
}

extension Just {
  /// Returns a publisher of the closure's result for the initial result and the value. The closure is called
  /// immediately.
  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Never>.Publisher {
    .init(.success(nextPartialResult(initialResult, output)))
  }

  /// Returns a publisher of the closure's result for the initial result and the value, or of the error it throws.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    .init(Result { try nextPartialResult(initialResult, output) })
  }

  /// Returns a publisher of an array of the value.
  @inlinable
  public func collect() -> Just<[Output]> {
    Just<[Output]>([output])
  }

  /// Returns a publisher of the number one.
  @inlinable
  public func count() -> Just<Int> {
    Just<Int>(1)
  }

  /// Returns this publisher: the only value is the minimum. The closure is not called.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// Returns this publisher: the only value is the maximum. The closure is not called.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
    self
  }
}

extension Just where Output: Comparable {
  /// Returns this publisher: the only value is the minimum.
  @inlinable
  public func min() -> Just<Output> {
    self
  }

  /// Returns this publisher: the only value is the maximum.
  @inlinable
  public func max() -> Just<Output> {
    self
  }
}

extension Just {
  /// Returns a publisher of whether the closure accepts the value. The closure is called immediately.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> {
    Just<Bool>(predicate(output))
  }

  /// Returns a publisher of whether the closure accepts the value, or of the error it throws. It is called immediately.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    .init(Result { try predicate(output) })
  }

  /// Returns a publisher of whether the closure accepts the value. The closure is called immediately.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Just<Bool> {
    Just<Bool>(predicate(output))
  }

  /// Returns a publisher of whether the closure accepts the value, or of the error it throws. It is called immediately.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    .init(Result { try predicate(output) })
  }
}

extension Just where Output: Equatable {
  /// Returns a publisher of whether the value equals another.
  @inlinable
  public func contains(_ output: Output) -> Just<Bool> {
    Just<Bool>(self.output == output)
  }

  /// Returns this publisher: one value has no duplicates.
  @inlinable
  public func removeDuplicates() -> Just<Output> {
    self
  }
}

extension Just {
  /// Returns this publisher: one value has no duplicates. The closure is not called.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// Returns a publisher of the value, or of the error that the closure throws when it compares the value with itself.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    .init(
      Result {
        _ = try predicate(output, output)
        return output
      })
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(isIncluded(output) ? output : nil)
  }

  /// Returns a publisher that finishes immediately.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Never> {
    Empty()
  }
}

extension Just {
  /// Returns this publisher: the only value is the first.
  @inlinable
  public func first() -> Just<Output> {
    self
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(predicate(output) ? output : nil)
  }

  /// Returns this publisher: the only value is the last.
  @inlinable
  public func last() -> Just<Output> {
    self
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(predicate(output) ? output : nil)
  }

  /// Returns a publisher of the value, or without a value if `count` is above zero.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
    .init(Optional(output).dropping(count))
  }

  /// Returns a publisher of the value unless the closure accepts it. The closure is called immediately.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(predicate(output) ? nil : output)
  }

  /// Returns a publisher of the value, or without a value if `maxLength` is zero.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
    .init(Optional(output).prefix(maxLength))
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(predicate(output) ? output : nil)
  }

  /// Returns a publisher of the value if `index` is zero, and without one otherwise.
  @inlinable
  public func output(at index: Int) -> Optional<Output>.Publisher {
    .init(Optional(output).output(at: index))
  }

  /// Returns a publisher of the value if the range begins at zero, even if it is empty, and without one otherwise.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
    .init(range.relative(to: 0..<Int.max).lowerBound == 0 ? output : nil)
  }
}

extension Just {
  /// Returns a publisher of the elements and then the value.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> {
    prepend(elements)
  }

  /// Returns a publisher of the elements and then the value.
  @inlinable
  public func prepend<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never> where Output == S.Element {
    Publishers.Sequence(sequence: Array(elements) + CollectionOfOne(output))
  }

  /// Returns a publisher of the value and then the elements.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> {
    append(elements)
  }

  /// Returns a publisher of the value and then the elements.
  @inlinable
  public func append<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never> where Output == S.Element {
    Publishers.Sequence(sequence: [output] + elements)
  }
}

extension Just {
  /// Returns a publisher of the value with another failure type. The closure is not called.
  @inlinable
  public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
    .init(.success(output))
  }

  /// Returns a publisher of the value with another failure type.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
    .init(.success(output))
  }

  /// Returns this publisher: it has no error to replace.
  @inlinable
  public func replaceError(with output: Output) -> Just<Output> {
    self
  }

  /// Returns this publisher: it is not empty.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Output> {
    self
  }

  /// Returns this publisher: it cannot fail.
  @inlinable
  public func retry(_ times: Int) -> Just<Output> {
    self
  }
}
