/// What the program tells its caller when it ends.
package enum ExitCode: Int32, CaseIterable, Sendable {
  /// The folder was indexed and the check holds. Files that failed are reported, and are no failure of the program.
  case success = 0
  /// The check does not hold, or the report could not be written.
  case failure = 1
  /// The command line makes no sense.
  case usage = 2
  /// The folder does not exist, is not a folder or cannot be read.
  case folder = 3
  /// Ctrl-C, as shells report it: 128 and the signal's number.
  case interrupted = 130
}
