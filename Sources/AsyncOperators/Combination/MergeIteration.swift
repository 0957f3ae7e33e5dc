import InterflowPrimitives

/// The iteration of a merged sequence, for any number of inputs.
@usableFromInline
struct MergeIteration<Element, Failure: Error> {
  @usableFromInline var inputs: ContiguousArray<FanInSlot<Element>>
  /// Nil after the end.
  @usableFromInline var handle: FanInHandle?

  @inlinable
  init(_ inputs: ContiguousArray<FanInSlot<Element>>) {
    self.inputs = inputs
    handle = FanInHandle(.any, inputs.map { $0 })
  }

  @inlinable
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    guard let handle else { return nil }
    switch await handle.next(isolation: actor) {
    case .element(let index):
      return inputs[index].take()
    case .failure(let index):
      let failure = inputs[index].failure(as: Failure.self)
      end()
      throw failure
    case .end, .pending:
      end()
      return nil
    }
  }

  @inlinable
  mutating func end() {
    handle = nil
    inputs = []
  }
}
