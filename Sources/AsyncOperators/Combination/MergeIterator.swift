import InterflowPrimitives

/// The iterator of a merged sequence, or of the sequence that wins a race, for any number of inputs.
public struct _MergeIterator<Element, Failure: Error>: _IsolatedIterator {
  /// When one has won a race, that one alone, so that the others' elements are released.
  @usableFromInline var inputs: ContiguousArray<FanInInput<Element>>
  @usableFromInline var joined: FanInConsumer<Failure>
  @usableFromInline let isRace: Bool

  @inlinable
  init(_ inputs: ContiguousArray<FanInInput<Element>>, isRace: Bool = false) {
    self.inputs = inputs
    self.isRace = isRace
    joined = FanInConsumer(isRace ? .race : .merge, inputs.map { $0 })
  }

  /// The next element of an input, on the caller's isolation; `nil` after the end.
  @inlinable
  public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    defer { if joined.isFinished { inputs = [] } }
    guard let index = try await joined.next(isolation: actor) else { return nil }
    if isRace, inputs.count > 1 { inputs = [inputs[index]] }
    return inputs[isRace ? 0 : index].take()
  }
}

@available(*, unavailable)
extension _MergeIterator: Sendable {}

extension FanInRule {
  @inlinable static var merge: Self { Self(end: .all, requestsAhead: true) }
  @inlinable static var race: Self { Self(end: .any, isRace: true) }
}
