import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ShapingMarbleTests {
  static let mapping = [
    MarbleRow(
      "enumerated",
      a: "-a-b-|",
      is: "-x-y-|", ["x": "0a", "y": "1b"]
    ) { $0.a.enumerated().map { "\($0.index)\($0.element)" } },
    MarbleRow(
      "enumerated(initial:)",
      a: "-a-b-|",
      is: "-x-y-|", ["x": "5a", "y": "6b"]
    ) { $0.a.enumerated(initial: 5).map { "\($0.index)\($0.element)" } },
    MarbleRow(
      "mapMany",
      a: "-a-b-#",
      is: "-x-y-#", ["x": "AZ", "y": "BZ"]
    ) { $0.a.map { [$0, "z"] }.mapMany { $0.uppercased() }.map { $0.joined() } },
    MarbleRow(
      "filterMany",
      a: "-a-z-#",
      is: "-x-y-#", ["x": "a", "y": ""]
    ) { $0.a.map { [$0, "z"] }.filterMany { $0 != "z" }.map { $0.joined() } },
    MarbleRow(
      "mapToValue",
      a: "-a-b-|",
      is: "-z-z-|"
    ) { $0.a.mapToValue("z") },
    MarbleRow(
      "mapToVoid",
      a: "-a-b-|",
      is: "-z-z-|", ["z": "()"]
    ) { $0.a.mapToVoid().map { "\($0)" } },
    MarbleRow(
      "toggle",
      a: "-a-b-|",
      is: "-f-t-|"
    ) { $0.a.map { $0 == "a" }.toggle().map { $0 ? "t" : "f" } },
    MarbleRow(
      "nwise",
      a: "-a-b-c-d-|",
      is: "-----x-y-|", ["x": "abc", "y": "bcd"]
    ) { $0.a.nwise(3).map { $0.joined() } },
    MarbleRow(
      "pairwise",
      a: "-a-b-c-#",
      is: "---x-y-#", ["x": "ab", "y": "bc"]
    ) { $0.a.pairwise().map { $0 + $1 } },
  ]

  static let filtering = [
    MarbleRow(
      "ignoreOutput(setOutputType:)",
      a: "-a-b-#",
      is: "-----#"
    ) { $0.a.map { _ in 1 }.ignoreOutput(setOutputType: String.self) },
    MarbleRow(
      "setOutputType(to:)",
      a: "-a-b-|",
      is: "-----|"
    ) { $0.a.ignoreOutput().setOutputType(to: String.self) },
    MarbleRow(
      "removeAllDuplicates",
      a: "-a-b-a-b-c-|",
      is: "-a-b-----c-|"
    ) { $0.a.removeAllDuplicates() },
    MarbleRow(
      "removeAllDuplicates(by:)",
      a: "-a-A-b-a-|",
      is: "-a---b---|"
    ) { $0.a.removeAllDuplicates { $0.lowercased() == $1.lowercased() } },
    MarbleRow(
      "distinct",
      a: "-a-a-b-#",
      is: "-a---b-#"
    ) { $0.a.distinct() },
    MarbleRow(
      "partition, the first",
      a: "-a-b-a-|",
      is: "-a---a-|"
    ) { $0.a.partition { $0 == "a" }.matches },
    MarbleRow(
      "partition, the second",
      a: "-a-b-a-#",
      is: "---b---#"
    ) { $0.a.partition { $0 == "a" }.nonMatches },
    MarbleRow(
      "unwrap",
      a: "-a-z-b-|",
      is: "-a---b-|"
    ) { $0.a.map { $0 == "z" ? nil : $0 }.unwrap() },
    MarbleRow(
      "unwrap(orThrow:)",
      a: "-a-z-b-|",
      is: "-a-#"
    ) {
      $0.a.map { $0 == "z" ? nil : $0 }.unwrap(orThrow: TestError()).mapError { $0 as? TestError ?? TestError("?") }
    },
  ]

  static let taking = [
    MarbleRow(
      "prefix(while:behavior:), inclusive",
      a: "-a-b-c-|",
      is: "-a-(b|)"
    ) { $0.a.prefix(while: { $0 < "b" }, behavior: .inclusive) },
    MarbleRow(
      "prefix(while:behavior:), exclusive",
      a: "-a-b-c-|",
      is: "-a-|"
    ) { $0.a.prefix(while: { $0 < "b" }, behavior: .exclusive) },
    MarbleRow(
      "prefix(duration:)",
      a: "-a-b-c-|",
      is: "-a-b|"
    ) { $0.a.prefix(duration: .seconds(4), on: $0.scheduler) },
    MarbleRow(
      "suffix",
      a: "-a-b-c-|",
      is: "-------(bc|)"
    ) { $0.a.suffix(2) },
    MarbleRow(
      "takeLast, failure",
      a: "-a-b-c-#",
      is: "-------#"
    ) { $0.a.takeLast(2) },
    MarbleRow(
      "ifEmpty",
      a: "---|",
      b: "1-2|",
      is: "---1-2|"
    ) { $0.a.ifEmpty(switchTo: $0.b) },
    MarbleRow(
      "ifEmpty, not empty",
      a: "-a-|",
      b: "1-2|",
      is: "-a-|"
    ) { $0.a.ifEmpty(switchTo: $0.b) },
  ]

  @Test(arguments: mapping + filtering + taking) func deliversAsDrawn(row: MarbleRow) throws {
    try row.check()
  }
}
