import Testing

@testable import DrawDiagrams

/// Drawn once: it takes a second.
let allFigures = DrawDiagrams.gallery().figures

@Suite struct ComparisonTests {
  private let figures = allFigures

  @Test func committedDiagramsShowWhatTheOperatorsDo() {
    #expect(DrawDiagrams.comparison(of: figures).message == nil)
  }

  /// What an operator would draw that delivers its last value a second late.
  @Test func figureOfAnotherBehaviourDiffers() throws {
    let index = try #require(figures.firstIndex { $0.module == "Combine" && $0.name == "debounce" })
    var changed = figures
    changed[index] = changed[index].withLastSignalLate()
    let comparison = DrawDiagrams.comparison(of: changed)
    #expect(
      comparison.differences == [
        "Sources/Combine/Combine.docc/Diagrams/debounce.md",
        "Sources/Combine/Combine.docc/Diagrams/debounce.svg",
        "Sources/Combine/Combine.docc/Diagrams/debounce~dark.svg",
      ])
    let message = try #require(comparison.message)
    #expect(message.contains("  Sources/Combine/Combine.docc/Diagrams/debounce.svg\n"))
    #expect(message.hasSuffix("If the operators are right: make diagrams"))
  }

  @Test func missingFileDiffers() {
    let comparison = Comparison([figure], present: []) { _ in nil }
    #expect(comparison.differences == figure.files.map(\.path).sorted())
  }

  @Test func fileOfNoFigureDiffers() {
    let texts = Dictionary(uniqueKeysWithValues: figure.files.map { ($0.path, $0.text) })
    let comparison = Comparison([figure], present: texts.keys + ["old.svg"]) { texts[$0] }
    #expect(comparison.differences == ["old.svg"])
  }

  @Test func sameFilesDoNotDiffer() {
    let texts = Dictionary(uniqueKeysWithValues: figure.files.map { ($0.path, $0.text) })
    let comparison = Comparison([figure], present: Array(texts.keys)) { texts[$0] }
    #expect(comparison.differences.isEmpty)
    #expect(comparison.message == nil)
  }

  private var figure: Figure { figures[0] }
}

extension Figure {
  fileprivate func withLastSignalLate() -> Figure {
    var late = outputs[0]
    late.marks[late.marks.count - 1] = late.marks[late.marks.count - 1].delayed(by: 1)
    return Figure(module: module, name: name, pages: pages, code: code, inputs: inputs, outputs: [late])
  }
}
