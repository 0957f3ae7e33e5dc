import InterflowTestSupport

/// An asynchronous sequence with a number of items and then an end, which takes its time.
struct ScriptedSequence<Failure: Error>: AsyncSequence, Sendable {
  typealias Element = Item

  let world: World
  let participant: Participant
  let count: Int
  /// What it throws at its end, if it does.
  let failure: Failure?
  /// Whether it ends when its task is cancelled; otherwise it goes on.
  let heedsCancellation: Bool
  /// Called with the number of the element that is asked for.
  let onPull: @Sendable (Int) -> Void

  func makeAsyncIterator() -> Iterator { Iterator(sequence: self, token: world.counter.make()) }

  struct Iterator: AsyncIteratorProtocol {
    let sequence: ScriptedSequence
    let token: LifetimeCounter.Token
    var next = 0

    mutating func next() async throws(Failure) -> Item? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Item? {
      defer { next += 1 }
      sequence.participant.note("is asked for", next)
      sequence.onPull(next)
      await sequence.participant.pause()
      if sequence.heedsCancellation, Task.isCancelled { return nil }
      if next < sequence.count { return sequence.world.item(next) }
      if let failure = sequence.failure { throw failure }
      return nil
    }
  }
}
