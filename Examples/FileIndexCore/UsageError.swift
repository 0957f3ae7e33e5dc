/// An invalid command line: what was found, and what was expected.
package enum UsageError: Error, Equatable, CustomStringConvertible {
  case unknownOption(String)
  case severalFolders(String, String)
  case emptyFolder
  case jobsMissing
  case jobsInvalid(String)
  case databaseMissing
  case traceMissing
  case watchWithoutDatabase
  case withoutSQLite

  package var description: String {
    switch self {
    case .unknownOption(let option):
      "unknown option '\(option.escapingControlCharacters)'; expected --jobs N, --json, --all, "
        + "--database FILE, --trace FILE or --help"
    case .severalFolders(let first, let second):
      "expected one folder, found '\(first.escapingControlCharacters)' and '\(second.escapingControlCharacters)'"
    case .emptyFolder:
      "expected a folder, found an empty argument"
    case .jobsMissing:
      "expected a number after --jobs, found nothing"
    case .jobsInvalid(let text):
      "expected a whole number from \(Options.jobsRange.lowerBound) to \(Options.jobsRange.upperBound) after --jobs, "
        + "found '\(text.escapingControlCharacters)'"
    case .databaseMissing:
      "expected a file after --database, found nothing"
    case .traceMissing:
      "expected a file after --trace, found nothing"
    case .watchWithoutDatabase:
      "expected --database FILE with watch: it shows what a database has"
    case .withoutSQLite:
      "--database needs SQLite, without which this program was built: install it (Debian: libsqlite3-dev) and build again"
    }
  }
}
