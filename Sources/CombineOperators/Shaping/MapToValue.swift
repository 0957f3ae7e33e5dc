import Combine

extension Publisher {
  /// Delivers the same value for each value.
  ///
  /// ```swift
  /// let reloads = button.mapToValue(Command.reload)
  /// ```
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameter value: The value.
  @inlinable
  public func mapToValue<Result>(_ value: Result) -> Publishers.Map<Self, Result> {
    map { _ in value }
  }

  /// Delivers an empty value for each value.
  ///
  /// - Demand: Is requested from this publisher.
  @inlinable
  public func mapToVoid() -> Publishers.Map<Self, Void> {
    map { _ in }
  }
}

extension Publisher where Output == Bool {
  /// Delivers the opposite of each value.
  ///
  /// - Demand: Is requested from this publisher.
  @inlinable
  public func toggle() -> Publishers.Map<Self, Bool> {
    map(!)
  }
}
