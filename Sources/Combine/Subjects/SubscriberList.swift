/// An entry of a ``SubscriberList``, which stores its index in the list.
@usableFromInline
class SubscriberListEntry: EngineSubscription {
  // Guarded by what guards the list. Half a word, since every live subscription to a subject has one.
  @exclusivity(unchecked) final var place: Int32 = -1

  // The other half of the word, for a subclass, which says what guards it: the number of the value received last.
  @exclusivity(unchecked) final var seen: UInt32 = 0

  final var index: Int { Int(place) }
}

/// The subscribers of a subject, in the order in which they subscribed.
///
/// Removal leaves a gap, and gaps are closed when they are half of the list, so adding and removing are O(1),
/// amortised. The entries are in allocated memory, so a loop over the list may call code that adds entries, and needs
/// no exclusivity check. The list is not generic, so it is fast in unspecialised code too.
@frozen
@usableFromInline
struct SubscriberList {
  @usableFromInline typealias Entry = SubscriberListEntry

  @usableFromInline var entries: UnsafeMutablePointer<Unmanaged<Entry>?>?
  @usableFromInline var count = 0
  @usableFromInline var capacity = 0
  @usableFromInline var gaps = 0

  @inlinable
  init() {}

  /// The entry at an index, or `nil` at a gap. It is retained as long as it is in the list.
  @inlinable
  subscript(index: Int) -> Unmanaged<Entry>? { entries.unsafelyUnwrapped[index] }

  @usableFromInline
  mutating func append(_ entry: Entry) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Unmanaged<Entry>?>.allocate(
        capacity: Swift.max(1, capacity * 2))
      if let entries {
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
      }
      entries = larger
      capacity = Swift.max(1, capacity * 2)
    }
    entries.unsafelyUnwrapped.advanced(by: count).initialize(to: .passRetained(entry))
    entry.place = Int32(count)
    count += 1
  }

  /// Removes an entry, if it is in the list.
  ///
  /// - Returns: The list's reference, which the caller releases where user code may run.
  @usableFromInline
  mutating func remove(_ entry: Entry) -> Unmanaged<Entry>? {
    guard entry.index >= 0, let reference = self[entry.index] else { return nil }
    entries.unsafelyUnwrapped[entry.index] = nil
    entry.place = -1
    gaps += 1
    if gaps * 2 >= count { close() }
    return reference
  }

  mutating func close() {
    var kept = 0
    for index in 0..<count {
      guard let entry = self[index] else { continue }
      entries.unsafelyUnwrapped[kept] = entry
      entry._withUnsafeGuaranteedRef { $0.place = Int32(kept) }
      kept += 1
    }
    count = kept
    gaps = 0
  }

  @usableFromInline
  mutating func deallocate() {
    for index in 0..<count { self[index]?.release() }
    entries?.deallocate()
    entries = nil
    count = 0
    capacity = 0
    gaps = 0
  }
}
