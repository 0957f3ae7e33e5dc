import InterflowPrimitives

/// An input that competes with others for the first answer, and whose iterator the consumer goes on with if it wins.
@usableFromInline
class RaceSlot<Element, Failure: Error>: FanInSlot<Element>, @unchecked Sendable {
  @inlinable
  override init(_ body: @escaping (FanInPump) async -> Void) {
    super.init(body)
  }

  /// The next element after the first one. Only the consumer calls this.
  @usableFromInline
  func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    preconditionFailure("a slot without a sequence")
  }
}

/// The failure type is that of the operator.
@usableFromInline
final class RaceInput<Base: AsyncSequence, Failure: Error>: RaceSlot<Base.Element, Failure>, @unchecked Sendable {
  // Only the input's task uses these after the start, until it has reported its first element; then the consumer, if
  // this input wins.
  @usableFromInline @exclusivity(unchecked) var base: Base?
  @usableFromInline @exclusivity(unchecked) var iterator = FusedIterator<Base.AsyncIterator>(nil)

  @inlinable
  init(_ base: Base) {
    self.base = base
    super.init { await unsafeDowncast($0, to: RaceInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    base = nil
  }

  @inlinable
  func iterate() async {
    // Another input may have won already.
    guard let engine, !Task.isCancelled else { return }
    iterator = FusedIterator(base.take()?.makeAsyncIterator())
    do throws(Base.AsyncIterator.Failure) {
      guard let first = try await iterator.next(isolation: nil) else { return engine.finished(index) }
      element = first
    } catch {
      failure = error
      return engine.failed(index)
    }
    _ = await requested { engine.received(index, $0) }
  }

  @inlinable
  override func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Base.Element? {
    do throws(Base.AsyncIterator.Failure) {
      return try await iterator.next(isolation: actor)
    } catch {
      throw converted(error, to: Failure.self)
    }
  }
}

/// The iteration of the sequence that wins a race, for any number of inputs.
@usableFromInline
struct RaceIteration<Element, Failure: Error> {
  @usableFromInline var inputs: ContiguousArray<RaceSlot<Element, Failure>>
  /// Nil after the race.
  @usableFromInline var handle: FanInHandle?
  /// Nil before the first element, and after the end.
  @usableFromInline var winner: RaceSlot<Element, Failure>?

  @inlinable
  init(_ inputs: ContiguousArray<RaceSlot<Element, Failure>>) {
    self.inputs = inputs
    handle = FanInHandle(.race, inputs.map { $0 })
  }

  @inlinable
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    if winner == nil { return try await first(isolation: actor) }
    if !Task.isCancelled {
      do throws(Failure) {
        if let element = try await winner?.next(isolation: actor) { return element }
      } catch {
        winner = nil
        throw error
      }
    }
    winner = nil
    return nil
  }

  @inlinable
  mutating func first(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    guard let handle else { return nil }
    let event = await handle.next(isolation: actor)
    let inputs = inputs
    self.inputs = []
    self.handle = nil
    switch event {
    case .element(let index):
      winner = inputs[index]
      return winner?.take()
    case .failure(let index):
      throw inputs[index].failure(as: Failure.self)
    case .end, .pending:
      return nil
    }
  }
}
