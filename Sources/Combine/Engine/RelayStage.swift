/// Passes everything on unchanged, under an operator's name and through a link that may do more than forward.
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
