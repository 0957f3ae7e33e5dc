import Combine

extension Publisher where Output: Collection {
  /// Delivers, for each collection, an array of what a closure makes of its elements.
  ///
  /// ```swift
  /// let names = people.mapMany { $0.name }
  /// ```
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameter transform: Makes a value from an element.
  @inlinable
  public func mapMany<Result>(_ transform: @escaping (Output.Element) -> Result) -> Publishers.Map<Self, [Result]> {
    map { $0.map(transform) }
  }

  /// Delivers, for each collection, an array of the elements that a closure accepts.
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameter isIncluded: Whether an element is kept.
  @inlinable
  public func filterMany(
    _ isIncluded: @escaping (Output.Element) -> Bool
  ) -> Publishers.Map<Self, [Output.Element]> {
    map { $0.filter(isIncluded) }
  }
}
