/// A type of a package of operators for asynchronous sequences, which has a name that `AsyncOperators` has too.
public struct OtherPairs<Base: AsyncSequence> {
  /// The sequence.
  public let base: Base
}

extension AsyncSequence {
  /// An operator that `AsyncOperators` has too.
  public func adjacentPairs() -> OtherPairs<Self> {
    OtherPairs(base: self)
  }
}
