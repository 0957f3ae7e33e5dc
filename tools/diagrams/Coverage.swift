/// Which operators have no figure.
struct Coverage {
  /// What is wrong, a line each; empty if nothing is.
  let problems: [String]

  /// - Parameters:
  ///   - figures: What is drawn.
  ///   - pages: All pages of the documentation.
  ///   - exceptions: The operators that need no figure.
  ///   - listings: The texts of `API/*.txt`.
  init(_ figures: [Figure], pages: Pages, exceptions: [Exceptions], listings: [String]) {
    let shown = Set(figures.flatMap(\.pages))
    let excepted = Dictionary(
      exceptions.flatMap { group in group.operators.map { ($0, group.reason) } },
      uniquingKeysWith: { first, _ in first })
    var unused = Set(excepted.keys)
    var problems: [String] = []
    for symbol in Self.operators(in: listings) {
      let paths = pages.paths(in: symbol.module, of: symbol.path)
      let missing = paths.filter { !shown.contains($0) }
      if paths.count != symbol.count {
        problems.append(
          "  \(symbol.name): \(symbol.count) in API/\(symbol.module).txt, \(paths.count) in tools/diagrams/pages.txt. "
            + "To renew that: tools/build-documentation --pages")
      }
      if excepted[symbol.name] != nil {
        unused.remove(symbol.name)
        if missing.isEmpty, !paths.isEmpty {
          problems.append("  \(symbol.name): has a diagram, and is in tools/diagrams/Exceptions.swift")
        }
      } else {
        problems += missing.map {
          "  \($0): has no diagram. Draw one in tools/diagrams, or say in Exceptions.swift why there is none"
        }
      }
    }
    problems += unused.sorted().map { "  \($0): is in tools/diagrams/Exceptions.swift, and is no operator" }
    self.problems = problems
  }

  /// An operator, with the number of its overloads.
  struct Operator {
    let module: String
    /// The end of its pages' paths, as in `Publisher/map(_:)`.
    let path: String
    let count: Int

    var name: String { "\(module)/\(path)" }
  }

  private static let owners: Set<Substring> = [
    "AsyncSequence", "ConnectablePublisher", "ObservableObject", "Publisher", "Sequence",
  ]

  /// The operators of listings: the functions, and the members of the protocols that have operators.
  static func operators(in listings: [String]) -> [Operator] {
    var counts: [[String]: Int] = [:]
    for line in listings.joined(separator: "\n").split(separator: "\n") {
      let fields = line.split(separator: "\t")
      guard fields.count > 2, ["func", "method", "property"].contains(fields[2]) else { continue }
      let name = fields[1]
      let labels = name.firstIndex(of: "(") ?? name.endIndex
      let parts = name[..<labels].split(separator: ".")
      let isOperator = fields[2] == "func" ? parts.count == 1 : parts.count == 2 && owners.contains(parts[0])
      if isOperator { counts[[String(fields[0]), parts.joined(separator: "/") + name[labels...]], default: 0] += 1 }
    }
    return counts.map { Operator(module: $0.key[0], path: $0.key[1], count: $0.value) }.sorted { $0.name < $1.name }
  }
}
