import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct DocumentationTests {
  private let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private var module: URL {
    tests.appendingPathComponent("../../Sources/InterflowTesting").resolvingSymlinksInPath()
  }

  @Test func everyExampleIsCompiled() throws {
    let documentation = try DocumentationExamples(of: module, tests: tests)
    #expect(documentation.examples.count >= 28)
    for example in documentation.uncompiled {
      Issue.record("\(example.file) has an example that no test compiles:\n\(example.code)")
    }
  }

  @Test func theImageIsWhatTheOperatorDoes() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("ab---c---|")
    let diagram = timeline.diagram(
      "debounce(for: 2)", inputs: ["source": source],
      output: source.debounce(for: 2, scheduler: timeline.scheduler))
    let image = module.appendingPathComponent("InterflowTesting.docc/Resources/debounce.svg")
    if ProcessInfo.processInfo.environment["INTERFLOW_UPDATE_DIAGRAMS"] == "1" {
      try diagram.svg.write(to: image, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: image, encoding: .utf8) == diagram.svg, "INTERFLOW_UPDATE_DIAGRAMS=1 draws it again")
  }

  @Test func theMismatchIsWhatIsPrinted() throws {
    let timeline = TestTimeline()
    let letters = try timeline.hot("a-b-c|")
    let error = try #require(throws: MarbleMismatch.self) {
      try timeline.expect(letters.map { $0.uppercased() }, toEmit: "A-B--|")
    }
    let page = try String(
      contentsOf: module.appendingPathComponent("InterflowTesting.docc/MarbleDiagrams.md"), encoding: .utf8)
    let lines = error.description.split(separator: "\n").dropFirst().map { "    " + $0 }
    #expect(page.contains(lines.joined(separator: "\n")))
  }
}
