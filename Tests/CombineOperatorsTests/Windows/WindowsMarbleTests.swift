import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct WindowsMarbleTests {
  static let rows = [
    MarbleRow(
      "groupBy, the keys",
      a: "-a-A-b-a-|",
      is: "-a---b---|"
    ) { $0.a.groupBy { $0.lowercased() }.map(\.key) },
    MarbleRow(
      "groupBy, the values of a group",
      a: "-a-A-b-a-#",
      is: "-a-A---a-#"
    ) { $0.a.groupBy { $0.lowercased() }.filter { $0.key == "a" }.flatMap { $0 } },
    MarbleRow(
      "window(count:)",
      a: "-a-b-c--|",
      is: "---x----(y|)", ["x": "ab", "y": "c"]
    ) { $0.a.window(count: 2).flatMap { $0.collect().map { $0.joined() } } },
    MarbleRow(
      "window(count:), each when it begins",
      a: "-a-b-c--#",
      is: "-w---w--#"
    ) { $0.a.window(count: 2).map { _ in "w" } },
    MarbleRow(
      "window(time:)",
      a: "-a--b-----c|",
      is: "---x--y--z-(c|)", ["x": "a", "y": "b", "z": ""]
    ) { $0.a.window(time: .seconds(3), scheduler: $0.scheduler).flatMap { $0.collect().map { $0.joined() } } },
    MarbleRow(
      "window(time:), each when it begins",
      a: "-a--b-----#",
      is: "w--w--w--w#"
    ) { $0.a.window(time: .seconds(3), scheduler: $0.scheduler).map { _ in "w" } },
  ]

  @Test(arguments: rows) func deliversAsDrawn(row: MarbleRow) throws {
    try row.check()
  }
}
