import Synchronization

/// Outstanding demand and eight flags in one atomic word, so that one step can test and change both.
///
/// The user of the type defines the flags. Requests add to the demand, and unlimited demand stays unlimited.
@frozen
@usableFromInline
package struct PackedDemand: ~Copyable {
  @usableFromInline package let word: Atomic<UInt>

  /// The bit for unlimited demand. If it is clear, the bits below it count the demand.
  @inlinable package static var unlimited: UInt { 1 << 55 }
  /// The bits that hold the demand.
  @inlinable package static var mask: UInt { unlimited | (unlimited - 1) }

  /// The bit of a flag, whose number is 0 to 7.
  @inlinable
  package static func flag(_ number: UInt) -> UInt { 1 << (56 + number) }

  @inlinable
  package init(flags: UInt = 0) {
    word = Atomic(flags)
  }

  @inlinable
  package borrowing func load() -> UInt { word.load(ordering: .acquiring) }

  /// Whether a flag is set, without memory ordering.
  @inlinable
  package borrowing func hasFlag(_ flag: UInt) -> Bool { word.load(ordering: .relaxed) & flag != 0 }

  /// Replaces the word if it has not changed.
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

  /// Changes the word in one step.
  ///
  /// - Parameter change: The next word; `nil` to leave it as it is. Called again if another thread changes the word
  ///   meanwhile.
  /// - Returns: The word before, if it was changed.
  @inlinable
  package borrowing func update(_ change: (UInt) -> UInt?) -> UInt? {
    var current = word.load(ordering: .relaxed)
    while let next = change(current) {
      let (exchanged, original) = word.compareExchange(
        expected: current, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return current }
      current = original
    }
    return nil
  }

  /// Adds to the demand and sets flags, in one atomic step.
  ///
  /// - Parameters:
  ///   - more: How many more; ``unlimited`` and above mean no limit.
  ///   - flags: The flags to set.
  ///   - refusal: Flags that prevent the change if one of them is set.
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

  /// Takes one from the demand, if there is demand and it is limited.
  @inlinable
  package borrowing func spend() {
    var current = word.load(ordering: .relaxed)
    while current & Self.mask != 0, current & Self.unlimited == 0 {
      let (exchanged, original) = word.compareExchange(expected: current, desired: current - 1, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }

  /// Sets the demand to zero.
  ///
  /// - Returns: The demand before.
  @inlinable
  package borrowing func takeAll() -> UInt { clear(Self.mask) & Self.mask }

  /// The demand that is left after the delivery of a value that returned `more`.
  @inlinable
  package static func afterValue(_ demand: UInt, requesting more: UInt) -> UInt {
    demand >= unlimited ? demand : sum(demand &- 1, more)
  }

  /// The sum of two demands; unlimited if one of them is.
  @inlinable
  package static func sum(_ demand: UInt, _ more: UInt) -> UInt {
    demand >= unlimited || more >= unlimited ? unlimited : min(demand &+ more, unlimited)
  }
}
