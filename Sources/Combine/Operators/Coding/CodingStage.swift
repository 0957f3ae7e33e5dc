/// A ``Stage`` that encodes or decodes each value.
final class CodingStage<Input, Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>, OperatorSubscriber {
  private let code: (Input) throws -> Downstream.Input

  init(_ downstream: Downstream, _ name: OperatorName, code: @escaping (Input) throws -> Downstream.Input) {
    self.code = code
    super.init(downstream, UpstreamLink(name))
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard !link.hasEnded else { return .none }
    do {
      let output = try code(input)
      // The coder may have ended the stream.
      return link.hasEnded ? .none : downstream.receive(output)
    } catch {
      return fail(error)
    }
  }

  override func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish(from: .notEnded) { downstream.receive(completion: completion.converted()) }
  }
}
