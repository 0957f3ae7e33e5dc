// Applied immediately, as the operators of `Just`. A failure stays unchanged, and no closure is called for it. An error
// that a closure throws becomes the failure.

extension Result {
  /// The closure's result for the value, or the error: this result's, or the one that the closure throws.
  @inlinable
  func attempt<T>(_ transform: (Success) throws -> T) -> Result<T, any Error> {
    Result<T, any Error> { try transform(get()) }
  }
}

extension Result.Publisher {
  /// Returns a publisher of the closure's result, or of the failure. The closure is called immediately.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher {
    .init(result.map(transform))
  }

  /// Returns a publisher of the closure's result, or of this publisher's failure, or of the error that the closure
  /// throws.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    .init(result.attempt(transform))
  }

  /// Returns a publisher of the closure's result for the initial result and the value, or of the failure.
  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    .init(result.map { nextPartialResult(initialResult, $0) })
  }

  /// Returns a publisher of the closure's result for the initial result and the value, or of the failure or its error.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    .init(result.attempt { try nextPartialResult(initialResult, $0) })
  }

  /// Returns a publisher of the closure's result for the initial result and the value, or of the failure.
  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    .init(result.map { nextPartialResult(initialResult, $0) })
  }

  /// Returns a publisher of the closure's result for the initial result and the value, or of the failure or its error.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    .init(result.attempt { try nextPartialResult(initialResult, $0) })
  }

  /// Returns a publisher of an array of the value, or of the failure.
  @inlinable
  public func collect() -> Result<[Output], Failure>.Publisher {
    .init(result.map { [$0] })
  }

  /// Returns a publisher of the number one, or of the failure.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    .init(result.map { _ in 1 })
  }

  /// Returns this publisher: the only value is the minimum. The closure is not called.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Success, Failure>.Publisher {
    self
  }

  /// Returns a publisher of the value, or of the error that the closure throws when it compares the value with itself.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: (Output, Output) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    comparing(areInIncreasingOrder)
  }

  /// Returns this publisher: the only value is the maximum. The closure is not called.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Success, Failure>.Publisher {
    self
  }

  /// Returns a publisher of the value, or of the error that the closure throws when it compares the value with itself.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: (Output, Output) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    comparing(areInIncreasingOrder)
  }

  /// The value, once the closure has compared it with itself without throwing.
  @inlinable
  func comparing(_ compare: (Output, Output) throws -> Bool) -> Result<Success, any Error>.Publisher {
    .init(
      result.attempt {
        _ = try compare($0, $0)
        return $0
      })
  }
}

extension Result.Publisher where Success: Comparable {
  /// Returns this publisher: the only value is the minimum.
  @inlinable
  public func min() -> Result<Success, Failure>.Publisher {
    self
  }

  /// Returns this publisher: the only value is the maximum.
  @inlinable
  public func max() -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher {
  /// Returns a publisher of whether the closure accepts the value, or of the failure. The closure is called
  /// immediately.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(result.map(predicate))
  }

  /// Returns a publisher of whether the closure accepts the value, or of the failure or the error that the closure
  /// throws.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    .init(result.attempt(predicate))
  }

  /// Returns a publisher of whether the closure accepts the value, or of the failure. The closure is called
  /// immediately.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(result.map(predicate))
  }

  /// Returns a publisher of whether the closure accepts the value, or of the failure or the error that the closure
  /// throws.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    .init(result.attempt(predicate))
  }
}

extension Result.Publisher where Success: Equatable {
  /// Returns a publisher of whether the value equals another, or of the failure.
  @inlinable
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
    .init(result.map { $0 == output })
  }

  /// Returns this publisher: one value has no duplicates.
  @inlinable
  public func removeDuplicates() -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher {
  /// Returns this publisher: one value has no duplicates. The closure is not called.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Success, Failure>.Publisher {
    self
  }

  /// Returns a publisher of the value, or of the error that the closure throws when it compares the value with itself.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    comparing(predicate)
  }

  /// Returns a publisher that finishes immediately, even if this publisher fails: `Empty` cannot fail, and Apple's does
  /// the same.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }

  /// Returns this publisher: the only value is the first.
  @inlinable
  public func first() -> Result<Success, Failure>.Publisher {
    self
  }

  /// Returns this publisher: the only value is the last.
  @inlinable
  public func last() -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher {
  /// Returns a publisher of the value, or of the closure's result for the failure. The closure is called immediately.
  @inlinable
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    .init(result.mapError(transform))
  }

  /// Returns a publisher of the value, or of another in place of the failure.
  @inlinable
  public func replaceError(with output: Output) -> Result<Success, Never>.Publisher {
    .init(.success((try? result.get()) ?? output))
  }

  /// Returns this publisher: it is not empty.
  @inlinable
  public func replaceEmpty(with output: Output) -> Result<Success, Failure>.Publisher {
    self
  }

  /// Returns this publisher: its failure would be the same each time.
  @inlinable
  public func retry(_ times: Int) -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher where Failure == Never {
  /// Returns a publisher of the value with another failure type.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
    .init(.success(result.get()))
  }
}
