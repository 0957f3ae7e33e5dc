import Combine

extension Publisher {
  /// Delivers the values of the publishers that a closure returns, one publisher after the other.
  ///
  /// ```swift
  /// let uploads = files.concatMap { upload($0) }
  /// ```
  ///
  /// A publisher that does not wait for demand, such as a subject, loses the values that it sends while an inner
  /// publisher is running. A buffer keeps them:
  ///
  /// ```swift
  /// let queued = drops.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest).concatMap { upload($0) }
  /// ```
  ///
  /// - Demand: One value is requested from this publisher at a time: the next when an inner publisher has finished.
  /// - Cancellation: Cancels this publisher and the inner one.
  /// - Parameter transform: Makes a publisher from a value.
  @inlinable
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> Publishers.FlatMap<P, Self>
  where P.Failure == Failure {
    flatMap(maxPublishers: .max(1), transform)
  }
}
