// Applied immediately, as the operators of `Just`. The result for an optional without a value has no value either, also
// for operators that deliver a value for other empty publishers (`count`, `reduce`, `allSatisfy`, `contains`), as
// Apple's does.

extension Optional.Publisher {
  /// Returns a publisher of the closure's result, if there is a value. The closure is called immediately.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher {
    .init(output.map(transform))
  }

  /// Returns a publisher of the closure's result, if there is a value and the result is not `nil`.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    .init(output.flatMap(transform))
  }

  /// Returns a publisher of the closure's result for the initial result and the value, if there is one.
  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) -> T
  ) -> Optional<T>.Publisher {
    .init(output.map { nextPartialResult(initialResult, $0) })
  }

  /// Returns a publisher of the closure's result for the initial result and the value, if there is one.
  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Output) -> T
  ) -> Optional<T>.Publisher {
    .init(output.map { nextPartialResult(initialResult, $0) })
  }

  /// Returns a publisher of an array of the value, or of an empty array.
  @inlinable
  public func collect() -> Optional<[Output]>.Publisher {
    .init(output.map { [$0] } ?? [])
  }

  /// Returns a publisher of the number one, if there is a value, and without one otherwise.
  @inlinable
  public func count() -> Optional<Int>.Publisher {
    .init(output.map { _ in 1 })
  }

  /// Returns this publisher: the only value is the minimum. The closure is not called.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns this publisher: the only value is the maximum. The closure is not called.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }
}

extension Optional.Publisher where Wrapped: Comparable {
  /// Returns this publisher: the only value is the minimum.
  @inlinable
  public func min() -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns this publisher: the only value is the maximum.
  @inlinable
  public func max() -> Optional<Wrapped>.Publisher {
    self
  }
}

extension Optional.Publisher {
  /// Returns a publisher of whether the closure accepts the value, if there is one. The closure is called immediately.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
    .init(output.map(predicate))
  }

  /// Returns a publisher of whether the closure accepts the value, if there is one. The closure is called immediately.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
    .init(output.map(predicate))
  }
}

extension Optional.Publisher where Wrapped: Equatable {
  /// Returns a publisher of whether the value equals another, if there is one.
  @inlinable
  public func contains(_ output: Output) -> Optional<Bool>.Publisher {
    .init(self.output.map { $0 == output })
  }

  /// Returns this publisher: one value has no duplicates.
  @inlinable
  public func removeDuplicates() -> Optional<Wrapped>.Publisher {
    self
  }
}

extension Optional.Publisher {
  /// Returns this publisher: one value has no duplicates. The closure is not called.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    .init(output.flatMap { isIncluded($0) ? $0 : nil })
  }

  /// Returns a publisher that finishes immediately.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Never> {
    Empty()
  }
}

extension Optional.Publisher {
  /// Returns this publisher: the only value is the first.
  @inlinable
  public func first() -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    .init(output.flatMap { predicate($0) ? $0 : nil })
  }

  /// Returns this publisher: the only value is the last.
  @inlinable
  public func last() -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    .init(output.flatMap { predicate($0) ? $0 : nil })
  }

  /// Returns a publisher of the value, or without a value if `count` is above zero.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
    .init(output.dropping(count))
  }

  /// Returns a publisher of the value unless the closure accepts it. The closure is called immediately.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    .init(output.flatMap { predicate($0) ? nil : $0 })
  }

  /// Returns a publisher of the value, or without a value if `maxLength` is zero.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
    .init(output.prefix(maxLength))
  }

  /// Returns a publisher of the value if the closure accepts it. The closure is called immediately.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    .init(output.flatMap { predicate($0) ? $0 : nil })
  }

  /// Returns a publisher of the value if `index` is zero, and without one otherwise.
  @inlinable
  public func output(at index: Int) -> Optional<Wrapped>.Publisher {
    .init(output.output(at: index))
  }

  /// Returns a publisher of the value if the range contains zero, and without one otherwise.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
    .init(output.output(in: range))
  }
}

extension Optional.Publisher {
  /// Returns this publisher: it has no error to replace.
  @inlinable
  public func replaceError(with output: Output) -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns a publisher of the value, or of another value if there is none.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Wrapped> {
    Just(self.output ?? output)
  }

  /// Returns this publisher: it cannot fail.
  @inlinable
  public func retry(_ times: Int) -> Optional<Wrapped>.Publisher {
    self
  }
}

// Parts of a sequence of at most one value; shared with `Just`.
extension Optional {
  @inlinable
  func dropping(_ count: Int) -> Wrapped? {
    precondition(count >= 0, "the number of values to drop cannot be negative, but was \(count)")
    return count == 0 ? self : nil
  }

  @inlinable
  func prefix(_ maxLength: Int) -> Wrapped? {
    precondition(maxLength >= 0, "the number of values to keep cannot be negative, but was \(maxLength)")
    return maxLength == 0 ? nil : self
  }

  @inlinable
  func output(at index: Int) -> Wrapped? {
    precondition(index >= 0, "the index of a value cannot be negative, but was \(index)")
    return index == 0 ? self : nil
  }

  @inlinable
  func output<R: RangeExpression>(in range: R) -> Wrapped? where R.Bound == Int {
    let range = range.relative(to: 0..<Int.max)
    precondition(range.lowerBound >= 0, "the index of a value cannot be negative, but was \(range.lowerBound)")
    return range.contains(0) ? self : nil
  }
}
