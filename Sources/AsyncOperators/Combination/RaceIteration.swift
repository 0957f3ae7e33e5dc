import InterflowPrimitives

/// The iteration of the sequence that wins a race, for any number of inputs.
@usableFromInline
struct RaceIteration<Element, Failure: Error> {
  /// Until one has won.
  @usableFromInline var inputs: ContiguousArray<FanInSlot<Element>>
  /// Nil before the first element, and after the end.
  @usableFromInline var winner: FanInSlot<Element>?
  /// Nil after the end.
  @usableFromInline var handle: FanInHandle?

  @inlinable
  init(_ inputs: ContiguousArray<FanInSlot<Element>>) {
    self.inputs = inputs
    handle = FanInHandle(.race, inputs.map { $0 })
  }

  @inlinable
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    guard let handle else { return nil }
    switch await handle.next(isolation: actor) {
    case .element(let index):
      if winner == nil {
        winner = inputs[index]
        // The others' elements, if there are any, are released with them.
        inputs = []
      }
      return winner?.take()
    case .failure(let index):
      let failed = winner ?? inputs[index]
      end()
      throw failed.failure(as: Failure.self)
    case .end, .pending:
      end()
      return nil
    }
  }

  @inlinable
  mutating func end() {
    handle = nil
    winner = nil
    inputs = []
  }
}
