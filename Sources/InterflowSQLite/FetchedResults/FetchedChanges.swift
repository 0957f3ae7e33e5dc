/// How one list becomes another, by the identity of its elements.
///
/// Every element of the old list is removed, moved or stays where it is relative to the others that stay; the list that
/// results has the inserted and moved elements at their places. As few elements as possible are moved.
public struct FetchedChanges: Sendable, Equatable {
  /// An element that has another place among the others.
  public struct Move: Sendable, Hashable {
    /// Its index in the old list.
    public let from: Int
    /// Its index in the new list.
    public let to: Int
  }

  /// The indices in the old list of elements that the new one lacks, in ascending order.
  public private(set) var removals: [Int] = []
  /// The indices in the new list of elements that the old one lacks, in ascending order.
  public private(set) var insertions: [Int] = []
  /// The elements that are moved, in the order of their new places.
  public private(set) var moves: [Move] = []
  /// The indices in the new list of elements that are in both, but not equal, in ascending order.
  public private(set) var updates: [Int] = []

  /// Whether the lists are equal.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

  init() {}

  /// - Complexity: O(n log n).
  init<Element: Identifiable & Equatable>(from old: [Element], to new: [Element]) {
    let oldIndices = Self.indices(old)
    let newIndices = Self.indices(new)
    removals = oldIndices.filter { newIndices[$0.key] == nil }.map(\.value).sorted()

    /// The elements of both lists, in the new order.
    var common: [Move] = []
    for (identity, index) in newIndices.sorted(by: { $0.value < $1.value }) {
      guard let before = oldIndices[identity] else {
        insertions.append(index)
        continue
      }
      common.append(Move(from: before, to: index))
      if old[before] != new[index] { updates.append(index) }
    }
    let staying = Set(Self.longestIncreasingRun(common.map(\.from)))
    moves = common.indices.filter { !staying.contains($0) }.map { common[$0] }
  }

  /// What tells elements apart: the identity, and how many have had it before, should it not be unique.
  private struct Identity<ID: Hashable>: Hashable {
    let id: ID
    let repetition: Int
  }

  private static func indices<Element: Identifiable>(_ list: [Element]) -> [Identity<Element.ID>: Int] {
    var repetitions: [Element.ID: Int] = [:]
    var indices: [Identity<Element.ID>: Int] = [:]
    indices.reserveCapacity(list.count)
    for (index, element) in list.enumerated() {
      let repetition = repetitions[element.id, default: 0]
      repetitions[element.id] = repetition + 1
      indices[Identity(id: element.id, repetition: repetition)] = index
    }
    return indices
  }

  /// The positions of a longest selection of numbers that ascend.
  private static func longestIncreasingRun(_ numbers: [Int]) -> [Int] {
    /// For each length, the position of the smallest number that ends a selection of that length.
    var ends: [Int] = []
    /// The position before each one in its selection.
    var previous = [Int](repeating: -1, count: numbers.count)
    for position in numbers.indices {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < numbers[position] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var run: [Int] = []
    var position = ends.last ?? -1
    while position >= 0 {
      run.append(position)
      position = previous[position]
    }
    return run
  }
}
