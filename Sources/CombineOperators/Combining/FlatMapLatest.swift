import Combine

extension Publisher {
  /// Delivers the values of the publisher that a closure returns for the latest value.
  ///
  /// ```swift
  /// let suggestions = query.flatMapLatest { search($0) }
  /// ```
  ///
  /// A new value cancels the publisher of the one before. It is `map` and `switchToLatest()`, and
  /// finishes when this publisher and the latest inner one have finished.
  ///
  /// - Demand: Unlimited demand is requested from this publisher. The demand that has not been met is requested from each
  ///   new inner one.
  /// - Cancellation: Cancels this publisher and the inner one.
  /// - Parameter transform: Makes a publisher from a value.
  @inlinable
  public func flatMapLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
    map(transform).switchToLatest()
  }
}
