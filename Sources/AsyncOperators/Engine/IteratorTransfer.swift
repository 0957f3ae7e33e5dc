import Synchronization

/// A base's iterator on its way into the task that uses it.
///
/// `makeAsyncIterator()` of an operator makes its bases' iterators, so that the bases know of their consumer from then on;
/// the tasks start with the first `next()`. An iterator need not be `Sendable`, and this is the only place where one
/// comes into another task. That is safe because it is handed over once: whoever makes it keeps no reference to it, nobody
/// calls it in between, and the task that takes it is started after it was made. Taking it twice is a programming error,
/// and traps.
@usableFromInline
final class IteratorTransfer<Iterator: AsyncIteratorProtocol>: @unchecked Sendable {
  // Written where it is made. After that, it is used only by who has set `hasBeenTaken`.
  @exclusivity(unchecked) private var iterator: Iterator?
  private let hasBeenTaken = Atomic(false)

  @usableFromInline
  init(_ iterator: consuming Iterator) {
    self.iterator = iterator
  }

  /// The iterator. Its task calls this once.
  @usableFromInline
  func take() -> Iterator {
    guard !hasBeenTaken.exchange(true, ordering: .acquiringAndReleasing), let iterator = iterator.take() else {
      preconditionFailure("an iterator was handed over twice")
    }
    return iterator
  }
}
