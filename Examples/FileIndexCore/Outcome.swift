/// The outcome for one entry of the walk.
package enum Outcome: Equatable, Sendable {
  /// A file that was read to its end.
  case indexed(IndexedFile)
  /// A file that has not changed since it was read by a run before, with the result of that.
  case unchanged(IndexedFile)
  /// An entry that could not be read.
  case failed(FailedEntry)
  /// An entry that a rule excludes.
  case skipped(SkippedEntry)
}

/// A file that was read to its end, and what was computed from its bytes.
package struct IndexedFile: Equatable, Sendable {
  package var path: EntryPath
  /// As `wc -c` counts.
  package var bytes: Int
  /// As `wc -l` counts: the line feeds.
  package var lines: Int
  /// As `cksum` prints.
  package var checksum: UInt32
  /// What the file had when it was read, where that is wanted and can be relied on.
  package var stamp: FileStamp?

  package init(path: EntryPath, bytes: Int, lines: Int, checksum: UInt32, stamp: FileStamp? = nil) {
    self.path = path
    self.bytes = bytes
    self.lines = lines
    self.checksum = checksum
    self.stamp = stamp
  }
}

/// An entry that could not be read, and why.
package struct FailedEntry: Equatable, Sendable {
  package var path: EntryPath
  package var reason: String

  package init(path: EntryPath, reason: String) {
    self.path = path
    self.reason = reason
  }
}

/// An entry that a rule excludes.
package struct SkippedEntry: Equatable, Sendable {
  /// The rules, with their text in the report.
  package enum Rule: String, CaseIterable, Sendable {
    case ownDatabase = "the database of the index"
    case toolFolder = "folder of a tool, left out unless --all is given"
    case folderLink = "link to a folder, not followed"
  }

  package var path: EntryPath
  package var rule: Rule
}
