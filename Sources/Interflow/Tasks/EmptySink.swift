import Combine

extension Publisher {
  /// Runs the pipeline for its side effects: requests unlimited values, and ignores them and the completion.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .task(maxPublishers: .max(4)) { await download($0) }
  ///   .emptySink()
  /// ```
  ///
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  public func emptySink() -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: { _ in })
  }
}
