extension Publisher {
  /// Replaces each `nil` with a value.
  ///
  /// Demand, completion and cancellation pass through.
  ///
  /// ```swift
  /// let texts = PassthroughSubject<String, Never>()
  /// let cancellable = texts.map { Int($0) }
  ///   .replaceNil(with: 0)
  ///   .sink { print($0) }
  /// texts.send("1")  // 1
  /// texts.send("x")  // 0
  /// ```
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
