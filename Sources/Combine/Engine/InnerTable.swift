import Synchronization

/// A link that an operator holds among others, in an ``InnerTable``.
@usableFromInline
class TableLink: UpstreamLink {
  /// Whether everything has been asked for.
  @usableFromInline final let isUnlimited = Atomic(false)

  // Guarded by the lock of whoever has the table: `tableIndex`.
  @usableFromInline @exclusivity(unchecked) final var tableIndex = -1
}

/// The links of an operator, each added and removed in constant time. Their order means nothing.
///
/// Not generic, so that code which is not specialised pays nothing for it.
@frozen
@usableFromInline
struct InnerTable {
  @usableFromInline var members: ContiguousArray<TableLink> = []

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { members.isEmpty }

  @usableFromInline
  mutating func insert(_ member: TableLink) {
    member.tableIndex = members.count
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
