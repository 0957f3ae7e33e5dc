/// What became of one thing that the walk met.
package enum Outcome: Equatable, Sendable {
  /// A file that was read to its end.
  case indexed(IndexedFile)
  /// Something that could not be read.
  case failed(FailedEntry)
  /// Something that a stated rule leaves out.
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
}

/// Something that could not be read, and why.
package struct FailedEntry: Equatable, Sendable {
  package var path: EntryPath
  package var reason: String
}

/// Something that a stated rule leaves out.
package struct SkippedEntry: Equatable, Sendable {
  /// The rules, as the report words them.
  package enum Rule: String, CaseIterable, Sendable {
    case toolFolder = "folder of a tool, left out unless --all is given"
    case folderLink = "link to a folder, not followed"
  }

  package var path: EntryPath
  package var rule: Rule
}
