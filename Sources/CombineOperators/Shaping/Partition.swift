import Combine

extension Publisher {
  /// The values that a predicate accepts, and the others.
  public typealias Partition = (matches: AnyPublisher<Output, Failure>, nonMatches: AnyPublisher<Output, Failure>)

  /// Divides the values between two publishers, by a predicate.
  ///
  /// ```swift
  /// let (even, odd) = numbers.partition { $0.isMultiple(of: 2) }
  /// ```
  ///
  /// Both share one subscription to this publisher, as `share()` does: the first subscriber of either starts it, and
  /// values are delivered to those who have subscribed.
  ///
  /// - Demand: Unlimited demand is requested from this publisher. A subscriber without demand misses values.
  /// - Cancellation: This publisher is cancelled with the last subscriber of both.
  /// - Parameter predicate: Whether a value belongs to the first publisher. Called once for each value.
  public func partition(_ predicate: @escaping (Output) -> Bool) -> Partition {
    let shared = map { (value: $0, matches: predicate($0)) }.share()
    return (
      shared.filter(\.matches).map(\.value).eraseToAnyPublisher(),
      shared.filter { !$0.matches }.map(\.value).eraseToAnyPublisher()
    )
  }
}
