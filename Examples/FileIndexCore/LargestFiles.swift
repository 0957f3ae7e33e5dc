/// The largest of the files that were added: at most `limit`, the largest first, equal sizes by path.
package struct LargestFiles: Equatable, Sendable {
  /// How many a report names.
  package static let reported = 10

  package private(set) var files: [IndexedFile] = []
  private let limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  /// Keeps the file if it is among the largest so far.
  package mutating func add(_ file: IndexedFile) {
    if files.count == limit, let smallest = files.last, !Self.precedes(file, smallest) { return }
    files.insert(file, at: files.firstIndex { Self.precedes(file, $0) } ?? files.endIndex)
    if files.count > limit { files.removeLast() }
  }

  private static func precedes(_ left: IndexedFile, _ right: IndexedFile) -> Bool {
    left.bytes == right.bytes ? left.path < right.path : left.bytes > right.bytes
  }
}
