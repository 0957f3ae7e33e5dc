import Synchronization

/// The demand of a source that runs in a loop for as long as there is some, and the right to run that loop.
///
/// One caller at a time runs. A request that finds the loop running, from inside a subscriber or from another thread,
/// adds to what the loop serves and returns, so nothing recurses. One word holds everything, so no lock is needed.
@frozen
@usableFromInline
struct RunLedger: ~Copyable {
  /// No more values: cancelled, or all delivered.
  @inlinable static var ended: UInt { 1 << 63 }
  @inlinable static var running: UInt { 1 << 62 }
  /// Demand at and above this has no limit; the bits below count it.
  @inlinable static var unlimited: UInt { 1 << 61 }
  @inlinable static var demand: UInt { unlimited | (unlimited - 1) }

  @usableFromInline let word = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// Adds to the demand.
  ///
  /// - Returns: Whether the caller is to run the loop.
  @usableFromInline
  borrowing func request(_ demand: Subscribers.Demand) -> Bool {
    var old = word.load(ordering: .relaxed)
    while true {
      if old & Self.ended != 0 { return false }
      let sum = Swift.min(
        (old & Self.demand) + Swift.min(demand.rawValue, Self.unlimited), Self.unlimited)
      let (exchanged, original) = word.compareExchange(
        expected: old, desired: sum | Self.running, ordering: .acquiringAndReleasing)
      if exchanged { return old & Self.running == 0 }
      old = original
    }
  }

  /// Takes the demand that has come in; zero where there is none. For the one who runs.
  @inlinable
  borrowing func takeBatch() -> UInt {
    word.bitwiseAnd(~Self.demand, ordering: .acquiring).oldValue & Self.demand
  }

  /// What is left of a batch after a value has been delivered and `more` asked for.
  @inlinable
  static func settle(_ batch: UInt, _ more: Subscribers.Demand) -> UInt {
    if batch >= unlimited { return batch }
    return Swift.min(batch - 1 + Swift.min(more.rawValue, unlimited), unlimited)
  }

  /// Gives up the right to run.
  ///
  /// - Returns: `false` where more demand or the end has come in, and the caller still runs.
  @inlinable
  borrowing func rest() -> Bool {
    word.compareExchange(
      expected: Self.running, desired: 0, successOrdering: .releasing, failureOrdering: .acquiring
    ).exchanged
  }

  /// Ends the source, from the outside.
  ///
  /// - Returns: Whether nobody runs, so that the caller is to release what the loop holds. Otherwise the loop does.
  @usableFromInline
  borrowing func cancel() -> Bool {
    word.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
      & (Self.running | Self.ended) == 0
  }

  /// Ends the source, from the loop.
  ///
  /// - Returns: Whether it had not been cancelled, so that the completion is to be delivered.
  @inlinable
  borrowing func end() -> Bool {
    word.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue & Self.ended == 0
  }

  @inlinable
  var isCancelled: Bool { word.load(ordering: .relaxed) & Self.ended != 0 }
}
