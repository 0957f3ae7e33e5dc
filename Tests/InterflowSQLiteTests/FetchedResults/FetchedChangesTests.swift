import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct FetchedChangesTests {
  private struct Item: Identifiable, Equatable {
    var id: Int
    var text = 0
  }

  private func items(_ ids: Int...) -> [Item] { ids.map { Item(id: $0) } }

  /// The new list, made from the old one by its changes.
  private func apply(_ changes: FetchedChanges, to old: [Item], of new: [Item]) -> [Item] {
    let gone = Set(changes.removals + changes.moves.map(\.from))
    var list = old.indices.filter { !gone.contains($0) }.map { old[$0] }
    let arriving =
      changes.insertions.map { ($0, new[$0]) } + changes.moves.map { ($0.to, old[$0.from]) }
    for (index, item) in arriving.sorted(by: { $0.0 < $1.0 }) { list.insert(item, at: index) }
    for index in changes.updates { list[index] = new[index] }
    return list
  }

  @Test func oneElementThatMovesIsOneMove() {
    let changes = FetchedChanges(from: items(1, 2, 3, 4, 5), to: items(5, 1, 2, 3, 4))
    #expect(changes.moves.map(\.from) == [4])
    #expect(changes.moves.map(\.to) == [0])
    #expect(changes.insertions.isEmpty && changes.removals.isEmpty && changes.updates.isEmpty)
  }

  @Test func equalListsHaveNoChanges() {
    #expect(FetchedChanges(from: items(1, 2, 3), to: items(1, 2, 3)).isEmpty)
    #expect(FetchedChanges(from: items(), to: items()).isEmpty)
  }

  @Test func changesMakeTheNewListOfTheOld() {
    for seed in 0..<UInt64(2_000) {
      var random = Random(seed)
      func list() -> [Item] {
        (0..<Int.random(in: 0..<12, using: &random)).map { _ in
          // Some identities occur more than once.
          Item(id: Int.random(in: 0..<14, using: &random), text: Int.random(in: 0..<2, using: &random))
        }
      }
      let (old, new) = (list(), list())
      let changes = FetchedChanges(from: old, to: new)
      #expect(apply(changes, to: old, of: new) == new, "\(seed)")
      #expect(changes.isEmpty == (old == new), "\(seed)")
    }
  }
}
