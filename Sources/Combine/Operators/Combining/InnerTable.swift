import Synchronization

/// A link that an operator holds among others, in an ``InnerTable``.
@usableFromInline
class TableLink: UpstreamLink {
  @usableFromInline final let unlimited = Atomic(false)

  // Guarded by the lock of whoever has the table: both.
  @usableFromInline @exclusivity(unchecked) final var tableIndex = -1
  /// Counts the links in the order in which they were inserted.
  @usableFromInline @exclusivity(unchecked) final var number = 0

  /// Whether everything has been requested.
  @inlinable final var isUnlimited: Bool { unlimited.load(ordering: .relaxed) }

  /// - Returns: Whether everything had not been requested before.
  @usableFromInline
  final func becomesUnlimited() -> Bool { !unlimited.exchange(true, ordering: .relaxed) }
}

/// The links of an operator, each added and removed in constant time. Their order means nothing.
///
/// Not generic, so that code which is not specialised pays nothing for it.
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
