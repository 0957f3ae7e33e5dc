/// The exit status of the program.
package enum ExitCode: Int32, CaseIterable, Sendable {
  /// The folder was indexed and the check succeeded. Files that failed are in the report.
  case success = 0
  /// The check failed, or the report could not be written.
  case failure = 1
  /// The command line is invalid.
  case usage = 2
  /// The folder does not exist, is not a folder or cannot be read.
  case folder = 3
  /// The database cannot be used.
  case database = 4
  /// Ctrl-C, as shells report it: 128 and the signal's number.
  case interrupted = 130
}
