import Synchronization

/// A link to one of an operator's several publishers, stored in an ``InnerTable``.
@usableFromInline
class TableLink: UpstreamLink {
  @usableFromInline final let unlimited = Atomic(false)

  // Guarded by the lock that guards the table: both.
  @usableFromInline @exclusivity(unchecked) final var tableIndex = -1
  /// The position of the link in the order of insertion.
  @usableFromInline @exclusivity(unchecked) final var number = 0

  /// Whether unlimited demand has been requested from the publisher.
  @inlinable final var isUnlimited: Bool { unlimited.load(ordering: .relaxed) }

  /// - Returns: Whether the demand was limited before.
  @usableFromInline
  final func becomesUnlimited() -> Bool { !unlimited.exchange(true, ordering: .relaxed) }
}

/// The links of an operator, in no particular order. Adding and removing a link takes constant time.
///
/// The table is not generic, so it is fast in unspecialised code too.
@frozen
@usableFromInline
struct InnerTable {
  @usableFromInline var members: ContiguousArray<TableLink> = []
  @usableFromInline var inserted = 0

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { members.isEmpty }

  @usableFromInline
  mutating func insert(_ member: TableLink) {
    member.tableIndex = members.count
    member.number = inserted
    inserted &+= 1
    members.append(member)
  }

  @usableFromInline
  mutating func remove(_ member: TableLink) {
    let index = member.tableIndex
    guard index >= 0, index < members.count, members[index] === member else { return }
    member.tableIndex = -1
    let last = members.removeLast()
    guard last !== member else { return }
    members[index] = last
    last.tableIndex = index
  }
}
