/// Forwards all signals unchanged, for an operator whose work is done by its link.
@usableFromInline
final class RelayStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    link.isLinked ? downstream.receive(input) : .none
  }
}
