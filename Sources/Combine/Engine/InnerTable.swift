/// Something that knows its place in an ``InnerTable``.
@usableFromInline
protocol InnerTableMember: AnyObject {
  var tableIndex: Int { get set }
}

/// The inner subscriptions of an operator, each added and removed in constant time. Their order means nothing.
@frozen
@usableFromInline
struct InnerTable<Member: InnerTableMember> {
  @usableFromInline var members: ContiguousArray<Member> = []

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { members.isEmpty }

  @usableFromInline
  mutating func insert(_ member: Member) {
    member.tableIndex = members.count
    members.append(member)
  }

  @usableFromInline
  mutating func remove(_ member: Member) {
    let index = member.tableIndex
    guard index >= 0, index < members.count, members[index] === member else { return }
    member.tableIndex = -1
    let last = members.removeLast()
    guard last !== member else { return }
    members[index] = last
    last.tableIndex = index
  }
}
