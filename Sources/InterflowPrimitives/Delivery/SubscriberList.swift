/// An entry of a ``SubscriberList``, which stores its index in the list.
@usableFromInline
package protocol SubscriberListEntry: AnyObject {
  /// The index in the list; -1 outside it. Guarded by what guards the list.
  var place: Int32 { get set }
}

/// The subscribers of a subject, in the order in which they subscribed.
///
/// Removal leaves a gap, and gaps are closed when they are half of the list, so adding and removing are O(1),
/// amortised. The entries are not counted references, so a loop over the list retains none; the list retains each once.
/// They are in allocated memory, so such a loop may call code that adds entries, and needs no exclusivity check. A
/// subject of any type uses it with a class that is not generic, so it is fast in unspecialised code too.
@frozen
@usableFromInline
package struct SubscriberList<Entry: SubscriberListEntry> {
  @usableFromInline var entries: UnsafeMutablePointer<Unmanaged<Entry>?>?
  /// One more than the highest index.
  @usableFromInline package internal(set) var count = 0
  @usableFromInline var capacity = 0
  @usableFromInline var gaps = 0

  @inlinable
  package init() {}

  /// The entry at an index, or `nil` at a gap. It is retained as long as it is in the list.
  @inlinable
  package subscript(index: Int) -> Unmanaged<Entry>? { entries.unsafelyUnwrapped[index] }

  @inlinable
  package mutating func append(_ entry: Entry) {
    if count == capacity { grow() }
    entries.unsafelyUnwrapped.advanced(by: count).initialize(to: .passRetained(entry))
    entry.place = Int32(count)
    count += 1
  }

  @inlinable
  mutating func grow() {
    capacity = Swift.max(1, capacity * 2)
    let larger = UnsafeMutablePointer<Unmanaged<Entry>?>.allocate(capacity: capacity)
    if let entries {
      larger.moveInitialize(from: entries, count: count)
      entries.deallocate()
    }
    entries = larger
  }

  /// Removes an entry, if it is in the list. It may move the others, so no loop over the list may be running.
  ///
  /// - Returns: The list's reference, which the caller releases where user code may run.
  @inlinable
  package mutating func remove(_ entry: Entry) -> Unmanaged<Entry>? {
    let index = Int(entry.place)
    guard index >= 0, let reference = self[index] else { return nil }
    entries.unsafelyUnwrapped[index] = nil
    entry.place = -1
    gaps += 1
    if gaps * 2 >= count { closeGaps() }
    return reference
  }

  @inlinable
  mutating func closeGaps() {
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

  /// Removes all entries, which the caller releases with ``deallocate()`` where user code may run.
  @inlinable
  package mutating func takeAll() -> SubscriberList {
    let taken = self
    self = SubscriberList()
    for index in 0..<taken.count { taken[index]?._withUnsafeGuaranteedRef { $0.place = -1 } }
    return taken
  }

  /// Releases the entries, and the memory, for the only owner of the list.
  @inlinable
  package func deallocate() {
    for index in 0..<count { self[index]?.release() }
    entries?.deallocate()
  }
}
