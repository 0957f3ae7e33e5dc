import Combine

extension Publisher {
  /// Delivers each value as a success, and a failure as the last value.
  ///
  /// ```swift
  /// let results = request.mapToResult()
  /// ```
  ///
  /// - Demand: The failure needs demand as each value does.
  public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }
}
