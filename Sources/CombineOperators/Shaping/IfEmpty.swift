import Combine

extension Publisher {
  /// Delivers the values of another publisher if this one finishes without any.
  ///
  /// ```swift
  /// let hits = search(query).ifEmpty(switchTo: suggestions)
  /// ```
  ///
  /// - Demand: What has been requested and not delivered is requested from the other.
  /// - Cancellation: Cancels this publisher, or the other if that has been subscribed to.
  /// - Parameter other: The other publisher.
  public func ifEmpty<Other: Publisher>(switchTo other: Other) -> AnyPublisher<Output, Failure>
  where Other.Output == Output, Other.Failure == Failure {
    Deferred {
      let hasValue = Flag()
      return handleEvents(receiveOutput: { _ in _ = hasValue.set() })
        .append(
          Deferred { hasValue.value ? Empty().eraseToAnyPublisher() : other.eraseToAnyPublisher() })
    }
    .eraseToAnyPublisher()
  }
}
