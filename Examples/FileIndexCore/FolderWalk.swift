/// Everything in a folder and the folders below it, as an async sequence.
///
/// An entry is read when it is requested: nothing is listed in advance. Links to folders are not followed, so the walk
/// ends. Each iterator starts from the beginning.
package struct FolderWalk: AsyncSequence, Sendable {
  package typealias Element = WalkedEntry
  package typealias Failure = Never

  let root: EntryPath
  let includesToolFolders: Bool
  let ownFiles: Set<EntryPath>
  let tally: WalkTally

  /// Describes a walk.
  ///
  /// - Parameters:
  ///   - includesToolFolders: Whether to enter `.git` and `.build`, which are otherwise skipped.
  ///   - ownFiles: Files that are skipped because the program writes them, relative to the folder.
  ///   - tally: Counts the entries that the walk delivers.
  /// - Throws: Why the folder cannot be listed.
  package init(
    root: EntryPath, includesToolFolders: Bool, ownFiles: Set<EntryPath> = [], tally: WalkTally
  ) throws(FolderProblem) {
    do {
      _ = try FolderHandle(opening: root, as: .here, followsLink: true)
    } catch {
      throw FolderProblem(folder: root, error: error)
    }
    self.root = root
    self.includesToolFolders = includesToolFolders
    self.ownFiles = ownFiles
    self.tally = tally
  }

  package func makeAsyncIterator() -> Iterator {
    let cursor = FolderCursor(root: root, includesToolFolders: includesToolFolders, ownFiles: ownFiles)
    return Iterator(cursor: cursor, tally: tally)
  }

  /// The position of one walk.
  package struct Iterator: AsyncIteratorProtocol {
    var cursor: FolderCursor
    let tally: WalkTally

    package mutating func next() async -> WalkedEntry? {
      await next(isolation: nil)
    }

    package mutating func next(isolation actor: isolated (any Actor)?) async -> WalkedEntry? {
      guard !Task.isCancelled, let entry = cursor.next() else { return nil }
      tally.count(entry)
      return entry
    }
  }
}
