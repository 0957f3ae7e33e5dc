/// Encodes or decodes each value. It does what ``TryMapStage`` does, and shows something else of itself.
final class CodingStage<Input, Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>, Subscriber {
  private let code: (Input) throws -> Downstream.Input

  init(_ downstream: Downstream, _ name: OperatorName, code: @escaping (Input) throws -> Downstream.Input) {
    self.code = code
    super.init(downstream, UpstreamLink(name))
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    do {
      return downstream.receive(try code(input))
    } catch {
      return fail(error)
    }
  }

  override var shown: [Mirror.Child] {
    [
      ("downstream", downstream), ("finished", link.hasEnded),
      ("upstreamSubscription", link.status.subscription as Any),
    ]
  }
}
