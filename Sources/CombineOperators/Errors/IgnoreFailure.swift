import Combine

extension Publisher {
  /// Delivers the values, and instead of a failure nothing, or a regular end.
  ///
  /// ```swift
  /// let pictures = download.ignoreFailure()
  /// ```
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameter completeImmediately: Whether a failure finishes the stream. If not, it never ends.
  public func ignoreFailure(completeImmediately: Bool = true) -> AnyPublisher<Output, Never> {
    self.catch { _ in Empty(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
  }

  /// Delivers the values, and instead of a failure nothing, or a regular end, as a publisher with another failure.
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameters:
  ///   - newFailureType: The kind of failure, of which there is none.
  ///   - completeImmediately: Whether a failure finishes the stream. If not, it never ends.
  public func ignoreFailure<NewFailure: Error>(
    setFailureType newFailureType: NewFailure.Type, completeImmediately: Bool = true
  ) -> AnyPublisher<Output, NewFailure> {
    ignoreFailure(completeImmediately: completeImmediately).setFailureType(to: newFailureType).eraseToAnyPublisher()
  }

  /// Delivers a value instead of a failure, and finishes. The same as `replaceError(with:)`, by RxSwift's name.
  ///
  /// - Demand: Is requested from this publisher. The value needs demand as each does.
  /// - Parameter value: The value.
  @inlinable
  public func catchAndReturn(_ value: Output) -> Publishers.ReplaceError<Self> {
    replaceError(with: value)
  }
}
