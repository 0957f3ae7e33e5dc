import Combine

extension Publisher {
  /// Delivers the values of optionals, and drops `nil`.
  ///
  /// - Demand: A `nil` is replaced by a demand for another value.
  @inlinable
  public func unwrap<Wrapped>() -> Publishers.CompactMap<Self, Wrapped> where Output == Wrapped? {
    compactMap { $0 }
  }

  /// Delivers the values of optionals, and fails at the first `nil`.
  ///
  /// ```swift
  /// let user = session.unwrap(orThrow: SignedOut())
  /// ```
  ///
  /// - Demand: Is requested from this publisher.
  /// - Cancellation: The first `nil` cancels this publisher.
  /// - Parameter error: The failure. It is evaluated for the first `nil`.
  @inlinable
  public func unwrap<Wrapped>(
    orThrow error: @escaping @autoclosure () -> any Error
  ) -> Publishers.TryMap<Self, Wrapped> where Output == Wrapped? {
    tryMap {
      guard let value = $0 else { throw error() }
      return value
    }
  }
}
