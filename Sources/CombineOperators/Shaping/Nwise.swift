import Combine

extension Publisher {
  /// Delivers arrays of a value and those before it, as many as a number says.
  ///
  /// ```swift
  /// let windows = (1...4).publisher.nwise(3)  // [1, 2, 3], [2, 3, 4]
  /// ```
  ///
  /// - Demand: Is requested from this publisher. The first values, which cause no array, are replaced by a demand for
  ///   others.
  /// - Parameter size: The number of values in an array; at least two.
  public func nwise(_ size: Int) -> AnyPublisher<[Output], Failure> {
    precondition(size > 1, "the size must be at least 2, but was \(size)")
    return scan([]) { latest, value in Array((latest + [value]).suffix(size)) }
      .filter { $0.count == size }
      .eraseToAnyPublisher()
  }

  /// Delivers each value with the one before it.
  ///
  /// ```swift
  /// let steps = [1, 3, 6].publisher.pairwise().map { $1 - $0 }  // 2, 3
  /// ```
  ///
  /// - Demand: Is requested from this publisher. The first value, which causes no pair, is replaced by a demand for
  ///   another.
  public func pairwise() -> AnyPublisher<(Output, Output), Failure> {
    scan((previous: Output?.none, latest: Output?.none)) { (previous: $0.latest, latest: $1) }
      .compactMap { pair in
        guard let previous = pair.previous, let latest = pair.latest else { return nil }
        return (previous, latest)
      }
      .eraseToAnyPublisher()
  }
}
