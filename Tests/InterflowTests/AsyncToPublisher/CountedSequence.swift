import InterflowTestSupport
import Synchronization

/// Counts up, and counts how often it is asked to. What happens inside `next()` is up to the test.
struct CountedSequence<Failure: Error>: AsyncSequence {
  typealias Element = Int

  let pulls = Signal()
  let iterators = Signal()
  let counter = LifetimeCounter()
  let step: @Sendable (Int) async throws(Failure) -> Int?

  init(_ step: @escaping @Sendable (Int) async throws(Failure) -> Int?) {
    self.step = step
  }

  func makeAsyncIterator() -> Iterator {
    iterators.fire()
    return Iterator(sequence: self, token: counter.make())
  }

  struct Iterator: AsyncIteratorProtocol {
    let sequence: CountedSequence
    let token: LifetimeCounter.Token
    var index = 0

    mutating func next() async throws(Failure) -> Int? {
      try await next(isolation: nil)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Int? {
      sequence.pulls.fire()
      defer { index += 1 }
      return try await sequence.step(index)
    }
  }
}

extension CountedSequence where Failure == Never {
  /// As many numbers as are wanted, at once.
  static func upTo(_ count: Int) -> CountedSequence {
    CountedSequence { $0 < count ? $0 : nil }
  }
}
