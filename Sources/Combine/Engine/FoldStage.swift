import InterflowPrimitives

/// Folds all values into one result, which is delivered when upstream finishes: `reduce`, `count`, `last`, `max` and
/// others.
@usableFromInline
final class FoldStage<Input, Failure: Error, Downstream: Subscriber>: ReduceStage<Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline typealias Output = Downstream.Input

  @usableFromInline @exclusivity(unchecked) var folded: Output?
  @usableFromInline let fold: (Output?, Input) throws -> Output?

  /// - Parameters:
  ///   - initial: The result if upstream finishes without values; `nil` if there is no result then.
  ///   - fold: Makes a result from the result so far, which is `nil` if there is none yet, and a value.
  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, initial: Output? = nil,
    fold: @escaping (Output?, Input) throws -> Output?
  ) {
    folded = initial
    self.fold = fold
    super.init(downstream, name)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    do {
      // Kept until the new one is whole, since its release may run code that sends to this operator.
      let previous = self.folded
      let folded = try fold(previous, input)
      self.folded = folded
      releaseOutsideLock(previous)
      return .none
    } catch {
      return fail(error)
    }
  }

  @usableFromInline override var result: Output? { folded }
}
