/// How an asynchronous sequence ended.
@frozen
public enum AsyncCompletion<Failure: Error>: Sendable {
  /// All elements have been returned.
  case finished
  /// The sequence has thrown an error.
  case failure(Failure)
}

extension AsyncCompletion: Equatable where Failure: Equatable {}
extension AsyncCompletion: Hashable where Failure: Hashable {}
