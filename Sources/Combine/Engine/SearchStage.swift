/// Looks for the value that decides the result, and ends the stream with it: `first`, `contains`, `allSatisfy` and
/// others.
@usableFromInline
final class SearchStage<Input, Failure: Error, Downstream: Subscriber>: ReduceStage<Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline typealias Output = Downstream.Input

  @usableFromInline let undecided: Output?
  @usableFromInline let decide: (Input) throws -> Output?

  /// - Parameters:
  ///   - undecided: The result if no value decides; `nil` if there is no result then.
  ///   - decide: Returns the result if the value decides it, or `nil` to continue the search.
  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, undecided: Output? = nil,
    decide: @escaping (Input) throws -> Output?
  ) {
    self.undecided = undecided
    self.decide = decide
    super.init(downstream, name)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    do {
      if let result = try decide(input) { deliver(result) }
      return .none
    } catch {
      return fail(error)
    }
  }

  @usableFromInline override var result: Output? { undecided }
}
