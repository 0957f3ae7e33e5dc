import InterflowTestSupport
import Testing

/// A sequence whose first iterator is made when the test says so.
final class SlowToStart<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
  typealias Element = Base.Element
  typealias Failure = Base.Failure

  let base: Base
  /// How many iterators have been begun.
  let made = Shared(0)
  let begun = Latch()
  let proceed = Latch()

  init(_ base: Base) { self.base = base }

  func makeAsyncIterator() -> Base.AsyncIterator {
    let number = made.update { made in
      made += 1
      return made
    }
    if number == 1 {
      begun.open()
      proceed.wait()
    }
    return base.makeAsyncIterator()
  }
}
