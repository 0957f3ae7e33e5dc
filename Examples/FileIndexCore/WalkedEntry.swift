/// One entry that a walk delivers.
package enum WalkedEntry: Equatable, Sendable {
  /// A regular file, or a link to one.
  case file(EntryPath)
  /// An entry that should be in the index and cannot be read: a broken link, a pipe, a folder that cannot be opened.
  case unreadable(FailedEntry)
  /// An entry that a rule excludes.
  case skipped(SkippedEntry)
}
