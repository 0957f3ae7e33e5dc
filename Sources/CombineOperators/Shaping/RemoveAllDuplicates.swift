import Combine

extension Publisher where Output: Hashable {
  /// Delivers each value once, whatever is delivered in between.
  ///
  /// ```swift
  /// let words = ["a", "b", "a"].publisher.removeAllDuplicates()  // a, b
  /// ```
  ///
  /// Each subscriber has a set of its own. Values are retained until its stream ends.
  ///
  /// - Demand: A value that is not delivered is replaced by a demand for another.
  public func removeAllDuplicates() -> Deferred<Publishers.Filter<Self>> {
    Deferred {
      var seen = Set<Output>()
      return filter { seen.insert($0).inserted }
    }
  }

  /// Delivers each value once. The same as `removeAllDuplicates()`, by RxSwift's name.
  ///
  /// - Demand: A value that is not delivered is replaced by a demand for another.
  public func distinct() -> Deferred<Publishers.Filter<Self>> {
    removeAllDuplicates()
  }
}

extension Publisher where Output: Equatable {
  /// Delivers each value once, whatever is delivered in between, by comparing it with all that were.
  ///
  /// - Demand: A value that is not delivered is replaced by a demand for another.
  /// - Complexity: O(n) for each value, where n is the number of different values.
  public func removeAllDuplicates() -> Deferred<Publishers.Filter<Self>> {
    removeAllDuplicates(by: ==)
  }
}

extension Publisher {
  /// Delivers each value once, where a closure says which are the same.
  ///
  /// - Demand: A value that is not delivered is replaced by a demand for another.
  /// - Complexity: O(n) for each value, where n is the number of different values.
  /// - Parameter comparator: Whether two values are the same.
  public func removeAllDuplicates(
    by comparator: @escaping (Output, Output) -> Bool
  ) -> Deferred<Publishers.Filter<Self>> {
    Deferred {
      var seen: [Output] = []
      return filter { incoming in
        if seen.contains(where: { comparator($0, incoming) }) { return false }
        seen.append(incoming)
        return true
      }
    }
  }
}
