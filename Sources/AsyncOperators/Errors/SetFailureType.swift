extension AsyncSequence where Failure == Never {
  /// Gives a sequence that cannot fail a failure type, so that it has the same as another one.
  ///
  /// ```swift
  /// let numbers: any AsyncSequence<Int, URLError> = [1, 2].async.setFailureType(to: URLError.self)
  /// ```
  ///
  /// Elements, completion and cancellation are the base's.
  ///
  /// - Parameter failureType: The failure type.
  @inlinable
  public func setFailureType<NewFailure: Error>(
    to failureType: NewFailure.Type
  ) -> AsyncWidenedFailureSequence<Self, NewFailure> {
    AsyncWidenedFailureSequence(self)
  }
}
