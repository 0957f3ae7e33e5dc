import InterflowPrimitives

/// The iteration of a merged sequence, or of the sequence that wins a race, for any number of inputs.
@usableFromInline
struct MergeIteration<Element, Failure: Error> {
  /// When one has won a race, that one alone, so that the others' elements are released.
  @usableFromInline var inputs: ContiguousArray<FanInSlot<Element>>
  /// Nil after the end.
  @usableFromInline var handle: FanInHandle?
  @usableFromInline let isRace: Bool

  @inlinable
  init(_ inputs: ContiguousArray<FanInSlot<Element>>, isRace: Bool = false) {
    self.inputs = inputs
    self.isRace = isRace
    handle = FanInHandle(isRace ? .race : .any, inputs.map { $0 })
  }

  @inlinable
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    guard let handle else { return nil }
    switch await handle.next(isolation: actor) {
    case .element(let index):
      if isRace, inputs.count > 1 { inputs = [inputs[index]] }
      return inputs[isRace ? 0 : index].take()
    case .failure(let index):
      // Of a race, one input is left, or the failure has won.
      let failure = inputs[inputs.count == 1 ? 0 : index].failure(as: Failure.self)
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
