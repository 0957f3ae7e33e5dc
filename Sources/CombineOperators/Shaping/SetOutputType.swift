import Combine

extension Publisher where Output == Never {
  /// Changes the kind of values of a publisher that delivers none.
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameter outputType: The kind of values.
  @inlinable
  public func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
    map { _ -> NewOutput in }
  }
}

extension Publisher {
  /// Delivers the completion and no value, as a publisher of another kind of values.
  ///
  /// ```swift
  /// let saved = save().ignoreOutput(setOutputType: Document.self).append(open())
  /// ```
  ///
  /// - Demand: Unlimited demand is requested from this publisher right after the subscription.
  /// - Parameter outputType: The kind of values.
  @inlinable
  public func ignoreOutput<NewOutput>(
    setOutputType outputType: NewOutput.Type
  ) -> Publishers.Map<Publishers.IgnoreOutput<Self>, NewOutput> {
    ignoreOutput().setOutputType(to: outputType)
  }
}
