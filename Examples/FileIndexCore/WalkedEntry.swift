/// One thing that a walk met, on its way to the index.
package enum WalkedEntry: Equatable, Sendable {
  /// A regular file, or a link to one.
  case file(EntryPath)
  /// Something that belongs in the index and cannot be read: a broken link, a pipe, a folder that does not open.
  case unreadable(FailedEntry)
  /// Something that a stated rule leaves out.
  case skipped(SkippedEntry)
}
