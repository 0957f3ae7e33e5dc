import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CombiningMarbleTests {
  private static let joined: @Sendable ([String]) -> String = { $0.joined() }

  static let racing = [
    MarbleRow(
      "amb",
      a: "--a--b-|",
      b: "-1--2----3-|",
      is: "-1--2----3-|"
    ) { $0.a.amb($0.b) },
    MarbleRow(
      "amb(), the first signal is a completion",
      a: "--a--b-|",
      b: "-#",
      is: "-#"
    ) { [$0.a, $0.b].amb() },
    MarbleRow(
      "amb(with:)",
      a: "-a-b|",
      b: "--1--2|",
      is: "-a-b|"
    ) { $0.a.amb(with: $0.b, $0.b) },
    MarbleRow(
      "amb(with:), collection",
      a: "-a-b|",
      b: "--1--2|",
      is: "-a-b|"
    ) { $0.a.amb(with: [$0.b, $0.b]) },
    MarbleRow(
      "amb, both at the same time",
      a: "-a-b|",
      b: "-1-2|",
      is: "-a-b|"
    ) { $0.a.amb($0.b) },
    MarbleRow(
      "race, collection",
      a: "-a-b|",
      b: "--1--2|",
      is: "-a-b|"
    ) { race([$0.a, $0.b]) },
    MarbleRow(
      "race",
      a: "-a-b|",
      b: "--1--2|",
      is: "-a-b|"
    ) { race($0.a, $0.b) },
  ]

  static let joining = [
    MarbleRow(
      "zip()",
      a: "-a-b---|",
      b: "--1---2-3-|",
      is: "--x---y|", ["x": "a1", "y": "b2"]
    ) { [$0.a, $0.b].zip().map(joined) },
    MarbleRow(
      "zip(with:)",
      a: "-a-b-#",
      b: "--1---2-3-|",
      is: "--x--#", ["x": "a1"]
    ) { $0.a.zip(with: $0.b).map(joined) },
    MarbleRow(
      "zip, pack",
      a: "-a-b---|",
      b: "--1--2----|",
      is: "--x--y-|", ["x": "a1a", "y": "b2b"]
    ) { zip($0.a, $0.b, $0.a).map { $0 + $1 + $2 } },
    MarbleRow(
      "combineLatest()",
      a: "-a---b-|",
      b: "--1---2--|",
      is: "--x--yz--|", ["x": "a1", "y": "b1", "z": "b2"]
    ) { [$0.a, $0.b].combineLatest().map(joined) },
    MarbleRow(
      "combineLatest(with:)",
      a: "-a---b-|",
      b: "--1-#",
      is: "--x-#", ["x": "a1"]
    ) { $0.a.combineLatest(with: $0.b).map(joined) },
    MarbleRow(
      "combineLatest, pack",
      a: "-a---|",
      b: "--1-2-|",
      is: "--x-y-|", ["x": "a1", "y": "a2"]
    ) { combineLatest($0.a, $0.b).map { $0 + $1 } },
    MarbleRow(
      "merge()",
      a: "-a-b-|",
      b: "--1-2--3|",
      is: "-a1b2--3|"
    ) { [$0.a, $0.b].merge() },
    MarbleRow(
      "merge, any number",
      a: "-a-b-#",
      b: "--1-2--3|",
      is: "-a1b2#"
    ) { merge($0.a, $0.b) },
    MarbleRow(
      "withLatestFrom, the first value waits for the other's",
      a: "-a---b-c-|",
      b: "--1---2---|",
      is: "--x--y-z-|", ["x": "a1", "y": "b1", "z": "c2"]
    ) { $0.a.withLatestFrom($0.b) { $0 + $1 } },
    MarbleRow(
      "withLatestFrom, 2 others",
      a: "---b-c-|",
      b: "1---2---|",
      is: "---x-y-|", ["x": "11", "y": "22"]
    ) { $0.a.withLatestFrom($0.b, $0.b) { $1.0 + $1.1 } },
    MarbleRow(
      "withLatestFrom, 3 others",
      a: "---b-c-|",
      b: "1---2---|",
      is: "---x-y-|", ["x": "111", "y": "222"]
    ) { $0.a.withLatestFrom($0.b, $0.b, $0.b) { $1.0 + $1.1 + $1.2 } },
    MarbleRow(
      "withLatestFrom, 4 others",
      a: "---b-c-|",
      b: "1---2---|",
      is: "---x-y-|", ["x": "1111", "y": "2222"]
    ) { $0.a.withLatestFrom($0.b, $0.b, $0.b, $0.b) { $1.0 + $1.1 + $1.2 + $1.3 } },
    MarbleRow(
      "withLatestFrom, the other's value",
      a: "---b-c-|",
      b: "1---2---|",
      is: "---1-2-|"
    ) { $0.a.withLatestFrom($0.b) },
    MarbleRow(
      "withLatestFrom, the other fails",
      a: "-a---b-c-|",
      b: "--1-#",
      is: "--x-#", ["x": "a1"]
    ) { $0.a.withLatestFrom($0.b) { $0 + $1 } },
    MarbleRow(
      "withLatestFrom, the other has no value",
      a: "-a---b-c-|",
      b: "--|",
      is: "--|"
    ) { $0.a.withLatestFrom($0.b) { $0 + $1 } },
    MarbleRow(
      "sample",
      a: "-a-bc--d--|",
      b: "--1--23-4--|",
      is: "--a--c--d-|"
    ) { $0.a.sample($0.b) },
  ]

  static let flattening = [
    MarbleRow(
      "concatMap",
      a: "ab------|",
      b: "1-2|",
      is: "1-21-2--|"
    ) { inputs in inputs.a.concatMap { _ in inputs.b } },
    MarbleRow(
      "flatMapBatches",
      a: "a-b|",
      b: "1-2|",
      is: "x-ya-b|", ["x": "a1", "y": "b2"]
    ) { [$0.a, $0.b, $0.a].flatMapBatches(of: 2).map(joined) },
    MarbleRow(
      "flatMapFirst",
      a: "-a--b-----c-|",
      b: "1-2--3|",
      is: "-1-2--3---1-2--3|"
    ) { inputs in inputs.a.flatMapFirst { _ in inputs.b } },
    MarbleRow(
      "flatMapLatest",
      a: "-a---b------|",
      b: "1-2--3|",
      is: "-1-2-1-2--3-|"
    ) { inputs in inputs.a.flatMapLatest { _ in inputs.b } },
  ]

  @Test(arguments: racing + joining + flattening) func deliversAsDrawn(row: MarbleRow) throws {
    try row.check()
  }
}
