/// An invalid command line: what was found, and what was expected.
package enum UsageError: Error, Equatable, CustomStringConvertible {
  case unknownOption(String)
  case severalFolders(String, String)
  case emptyFolder
  case jobsMissing
  case jobsInvalid(String)

  package var description: String {
    switch self {
    case .unknownOption(let option):
      "unknown option '\(option.escapingControlCharacters)'; expected --jobs N, --json, --all or --help"
    case .severalFolders(let first, let second):
      "expected one folder, found '\(first.escapingControlCharacters)' and '\(second.escapingControlCharacters)'"
    case .emptyFolder:
      "expected a folder, found an empty argument"
    case .jobsMissing:
      "expected a number after --jobs, found nothing"
    case .jobsInvalid(let text):
      "expected a whole number from \(Options.jobsRange.lowerBound) to \(Options.jobsRange.upperBound) after --jobs, "
        + "found '\(text.escapingControlCharacters)'"
    }
  }
}
