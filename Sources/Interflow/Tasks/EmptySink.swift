import Combine

extension Publisher {
  /// Runs the pipeline for its effects: requests unlimited values and ignores them, and the completion as well.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .task(maxPublishers: .max(4)) { await download($0) }
  ///   .emptySink()
  /// ```
  ///
  /// - Returns: What cancels the subscription; deallocating it does so too.
  public func emptySink() -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: { _ in })
  }
}
