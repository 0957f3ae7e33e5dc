/// What the command line asks for.
package struct Options: Equatable, Sendable {
  package enum Problem: Error, Equatable, CustomStringConvertible {
    case unknown(String)
    case missingValue(String)
    case invalidRuns(String)
    case nothingMatches([String])

    package var description: String {
      switch self {
      case .unknown(let argument): "unknown argument '\(argument)'; see --help"
      case .missingValue(let option): "\(option) needs a value; see --help"
      case .invalidRuns(let text): "--runs needs a number from 1 to \(Options.runsRange.upperBound), not '\(text)'"
      case .nothingMatches(let filters):
        "no scenario has \(filters.map { "'\($0)'" }.joined(separator: " or ")) in its name; see --list"
      }
    }
  }

  package static let runsRange = 1...1_000

  package var filters: [String] = []
  package var runs = 7
  package var writesJSON = false
  package var lists = false
  package var showsHelp = false
  package var measuresReferences = true

  package init() {}

  /// Understands the arguments that follow the program's name.
  package init(_ arguments: some Sequence<String>) throws(Problem) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--help", "-h": showsHelp = true
      case "--json": writesJSON = true
      case "--list": lists = true
      case "--without-references": measuresReferences = false
      case "--filter":
        guard let filter = rest.next() else { throw .missingValue(argument) }
        filters.append(filter)
      case "--runs":
        guard let text = rest.next() else { throw .missingValue(argument) }
        guard let runs = Int(text), Self.runsRange.contains(runs) else { throw .invalidRuns(text) }
        self.runs = runs
      default: throw .unknown(argument)
      }
    }
  }

  /// Whether a row of this name is wanted: all are where there is no filter.
  package func wants(_ name: String) -> Bool {
    filters.isEmpty || filters.contains { name.contains($0) }
  }

  /// The program's name, for messages.
  package static var program: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "benchmarks"
  }

  package static let help = """
    Usage: \(program) [--filter TEXT]... [--runs N] [--json] [--list] [--without-references]

      --filter TEXT  only scenarios with TEXT in their name; several are alternatives
      --runs N       how often each scenario runs, from 1 to \(runsRange.upperBound); 7 unless said otherwise
      --json         an array of objects with name, median, minimum, unit and more
      --list         only the names
      --without-references
                     without the reference rows, and so without ratios and goals: for a profile of single rows
      --help, -h     print this

    Reference rows run first, whatever the filter is: ratios are to the first of them.
    Exit status: 0 measured; 1 a scenario came to a wrong result; 2 bad arguments.
    """
}
