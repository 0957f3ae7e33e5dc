/// What the list holds: something that knows its place there.
@usableFromInline
class SubscriberListEntry: EngineSubscription {
  // Guarded by whatever guards the list. Half a word: every live subscription to a subject has one.
  @exclusivity(unchecked) final var place: Int32 = -1

  // The other half: the number of the value that it has had last, where a subclass needs that, and says what guards it.
  @exclusivity(unchecked) final var seen: UInt32 = 0

  final var index: Int { Int(place) }
}

/// The subscribers of a subject, in the order in which they subscribed.
///
/// Removal leaves a gap and the gaps are closed when they are half of the list, so that adding and removing are O(1),
/// amortised. Lives behind a pointer: a loop over it sees what is added while it runs, and pays no exclusivity check.
/// Not generic, so that code which is not specialised pays nothing for it.
@frozen
@usableFromInline
struct SubscriberList {
  @usableFromInline typealias Member = SubscriberListEntry

  @usableFromInline var members: UnsafeMutablePointer<Unmanaged<Member>?>?
  @usableFromInline var count = 0
  @usableFromInline var capacity = 0
  @usableFromInline var gaps = 0

  @inlinable
  init() {}

  /// The member at a place, which stays alive for as long as it is in the list.
  @inlinable
  subscript(index: Int) -> Unmanaged<Member>? { members.unsafelyUnwrapped[index] }

  @usableFromInline
  mutating func append(_ member: Member) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Unmanaged<Member>?>.allocate(
        capacity: Swift.max(1, capacity * 2))
      if let members {
        larger.moveInitialize(from: members, count: count)
        members.deallocate()
      }
      members = larger
      capacity = Swift.max(1, capacity * 2)
    }
    members.unsafelyUnwrapped.advanced(by: count).initialize(to: .passRetained(member))
    member.place = Int32(count)
    count += 1
  }

  /// Takes a member out, if it is in.
  ///
  /// - Returns: The reference that the list held; the caller releases it where user code may run.
  @usableFromInline
  mutating func remove(_ member: Member) -> Unmanaged<Member>? {
    guard member.index >= 0, let reference = self[member.index] else { return nil }
    members.unsafelyUnwrapped[member.index] = nil
    member.place = -1
    gaps += 1
    if gaps * 2 >= count { close() }
    return reference
  }

  mutating func close() {
    var kept = 0
    for index in 0..<count {
      guard let member = self[index] else { continue }
      members.unsafelyUnwrapped[kept] = member
      member._withUnsafeGuaranteedRef { $0.place = Int32(kept) }
      kept += 1
    }
    count = kept
    gaps = 0
  }

  @usableFromInline
  mutating func deallocate() {
    for index in 0..<count { self[index]?.release() }
    members?.deallocate()
    members = nil
    count = 0
    capacity = 0
    gaps = 0
  }
}
