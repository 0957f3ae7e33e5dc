import Synchronization

/// Outstanding demand and eight flags in one word, so that one atomic step takes every decision about them.
///
/// What the flags mean is up to the user. Demand only adds, and no limit stays no limit.
@frozen
@usableFromInline
package struct PackedDemand: ~Copyable {
  @usableFromInline package let word: Atomic<UInt>

  /// No limit; the bits below it count the demand otherwise.
  @inlinable package static var unlimited: UInt { 1 << 55 }
  /// The bits that hold the demand.
  @inlinable package static var mask: UInt { unlimited | (unlimited - 1) }

  /// A flag: 0 to 7.
  @inlinable
  package static func flag(_ number: UInt) -> UInt { 1 << (56 + number) }

  @inlinable
  package init(flags: UInt = 0) {
    word = Atomic(flags)
  }

  @inlinable
  package borrowing func load() -> UInt { word.load(ordering: .acquiring) }

  /// Whether a flag is set, at some moment: orders nothing.
  @inlinable
  package borrowing func hasFlag(_ flag: UInt) -> Bool { word.load(ordering: .relaxed) & flag != 0 }

  @inlinable
  package borrowing func exchange(_ current: UInt, _ next: UInt) -> Bool {
    word.compareExchange(
      expected: current, desired: next, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring
    ).exchanged
  }

  /// - Returns: The word before.
  @inlinable
  @discardableResult
  package borrowing func set(_ flags: UInt) -> UInt {
    word.bitwiseOr(flags, ordering: .acquiringAndReleasing).oldValue
  }

  /// - Returns: The word before.
  @inlinable
  @discardableResult
  package borrowing func clear(_ flags: UInt) -> UInt {
    word.bitwiseAnd(~flags, ordering: .acquiringAndReleasing).oldValue
  }

  /// Adds to the demand and sets flags, in one step, unless one of some flags is set.
  ///
  /// - Parameter more: How many more; ``unlimited`` and above mean no limit.
  /// - Returns: The word before.
  @usableFromInline
  @discardableResult
  package borrowing func add(_ more: UInt, setting flags: UInt = 0, unless refusal: UInt = 0) -> UInt {
    var current = word.load(ordering: .relaxed)
    while true {
      if current & refusal != 0 { return current }
      let next = current & ~Self.mask | Self.sum(current & Self.mask, more) | flags
      let (exchanged, original) = word.compareExchange(
        expected: current, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return current }
      current = original
    }
  }

  /// Takes one from the demand, if there is any and it has a limit.
  @inlinable
  package borrowing func spend() {
    var current = word.load(ordering: .relaxed)
    while current & Self.mask != 0, current & Self.unlimited == 0 {
      let (exchanged, original) = word.compareExchange(expected: current, desired: current - 1, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }

  /// Takes the whole demand out.
  @inlinable
  package borrowing func takeAll() -> UInt { clear(Self.mask) & Self.mask }

  /// What is left of a demand after a value has been delivered and `more` requested with it.
  @inlinable
  package static func afterValue(_ demand: UInt, requesting more: UInt) -> UInt {
    demand >= unlimited ? demand : sum(demand &- 1, more)
  }

  /// The sum of two demands, of which neither loses its lack of a limit.
  @inlinable
  package static func sum(_ demand: UInt, _ more: UInt) -> UInt {
    demand >= unlimited || more >= unlimited ? unlimited : min(demand &+ more, unlimited)
  }
}
