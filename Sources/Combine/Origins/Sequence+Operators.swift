// Operators on the publisher of a sequence. Except where the documentation says that the result is lazy, the operator
// iterates over the sequence immediately and calls its closure. So the work is done once, and not for each subscriber.
// For an infinite sequence, put `eraseToAnyPublisher()` before the operator.

extension Publishers.Sequence {
  /// Returns a publisher of the closure's results. The closure is called immediately, for each element.
  @inlinable
  public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
    .init(sequence: sequence.map(transform))
  }

  /// Returns a publisher of the closure's results that are not `nil`. The closure is called immediately, for each
  /// element.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Publishers.Sequence<[T], Failure> {
    .init(sequence: sequence.compactMap(transform))
  }

  /// Returns a publisher of the elements with a value in place of each `nil`. As with Apple's, they stay optional.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Sequence<[Output], Failure> where Elements.Element == T? {
    .init(sequence: sequence.map { $0 ?? output })
  }

  /// Returns a publisher of the closure's result for each element and its previous result. It is called immediately.
  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Sequence<[T], Failure> {
    var result = initialResult
    return .init(
      sequence: sequence.map {
        result = nextPartialResult(result, $0)
        return result
      })
  }

  /// Returns a publisher of the elements with another failure type.
  @inlinable
  public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
    .init(sequence: sequence)
  }
}

extension Publishers.Sequence {
  /// Returns a publisher of the closure's result for all elements, one after the other. It is called immediately.
  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    .init(.success(sequence.reduce(initialResult, nextPartialResult)))
  }

  /// Returns a publisher of the closure's result for all elements, or of the error that it throws. Called immediately.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    .init(Result { try sequence.reduce(initialResult, nextPartialResult) })
  }

  /// Returns a publisher of an array of all elements.
  @inlinable
  public func collect() -> Result<[Output], Failure>.Publisher {
    .init(.success(Array(sequence)))
  }

  /// Returns a publisher of whether the closure accepts all elements. It is called immediately, up to the first that it
  /// rejects.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.allSatisfy(predicate)))
  }

  /// Returns a publisher of whether the closure accepts all elements, or of the error that it throws.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    .init(Result { try sequence.allSatisfy(predicate) })
  }

  /// Returns a publisher of whether the closure accepts an element. The closure is called immediately, up to that
  /// element.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.contains(where: predicate)))
  }

  /// Returns a publisher of whether the closure accepts an element, or of the error that it throws.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    .init(Result { try sequence.contains(where: predicate) })
  }
}

extension Publishers.Sequence where Elements.Element: Equatable {
  /// Returns a publisher of whether an element equals a value.
  @inlinable
  public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.contains(output)))
  }

  /// Returns a publisher of the elements that differ from the one before.
  @inlinable
  public func removeDuplicates() -> Publishers.Sequence<[Output], Failure> {
    var previous: Output?
    return .init(
      sequence: sequence.filter { element in
        defer { previous = element }
        return previous != element
      })
  }
}

extension Publishers.Sequence where Failure == Never {
  /// Returns a publisher of the smallest element by the closure's order, if there is one. It is called immediately.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.min(by: areInIncreasingOrder))
  }

  /// Returns a publisher of the greatest element by the closure's order, if there is one. It is called immediately.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.max(by: areInIncreasingOrder))
  }
}

extension Publishers.Sequence where Failure == Never, Elements.Element: Comparable {
  /// Returns a publisher of the smallest element, if there is one.
  @inlinable
  public func min() -> Optional<Elements.Element>.Publisher {
    .init(sequence.min())
  }

  /// Returns a publisher of the greatest element, if there is one.
  @inlinable
  public func max() -> Optional<Elements.Element>.Publisher {
    .init(sequence.max())
  }
}

extension Publishers.Sequence where Elements: Collection {
  /// Returns a publisher of the number of elements.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    .init(.success(sequence.count))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
  /// Returns a publisher of the number of elements.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    .init(.success(sequence.count))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
  /// Returns a publisher of the number of elements.
  @inlinable
  public func count() -> Just<Int> {
    Just(sequence.count)
  }
}
