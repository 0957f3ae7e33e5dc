import Foundation
import InterflowTesting
import Testing

@Suite struct DocumentationTests {
  private let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private var module: URL {
    tests.appendingPathComponent("../../Sources/InterflowTesting").resolvingSymlinksInPath()
  }

  /// Every block of Swift code in a text whose lines begin with a prefix, each line without its indentation.
  private func examples(in text: String, prefix: String) -> [[String]] {
    var examples: [[String]] = []
    var current: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.trimmingCharacters(in: .whitespaces)
      guard line.hasPrefix(prefix) else {
        current = nil
        continue
      }
      let content = line.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
      if content == "```swift" {
        current = []
      } else if content == "```", let example = current {
        examples.append(example)
        current = nil
      } else if !content.isEmpty {
        current?.append(content)
      }
    }
    return examples
  }

  private func files(withSuffix suffix: String) throws -> [URL] {
    let all = FileManager.default.enumerator(at: module, includingPropertiesForKeys: nil)
    return (all?.allObjects as? [URL] ?? []).filter { $0.path.hasSuffix(suffix) }
  }

  @Test(arguments: [(".md", ""), (".swift", "///")]) func everyExampleIsCompiled(suffix: String, prefix: String) throws
  {
    let compiled = try files(in: tests).joined(separator: "\n")
    var count = 0
    for file in try files(withSuffix: suffix) {
      for example in examples(in: try String(contentsOf: file, encoding: .utf8), prefix: prefix) {
        count += 1
        let isCompiled = compiled.contains(example.joined(separator: "\n"))
        #expect(
          isCompiled,
          "\(file.lastPathComponent) has an example that no test compiles: \(example.joined(separator: "\n"))")
      }
    }
    #expect(count >= 14)
  }

  /// The tests of examples, each line without its indentation.
  private func files(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasSuffix("ExamplesTests.swift") }
      .map { file in
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
          .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }.joined(separator: "\n")
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
    #expect(try String(contentsOf: image, encoding: .utf8) == diagram.svg, "INTERFLOW_UPDATE_DIAGRAMS=1 draws it anew")
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
