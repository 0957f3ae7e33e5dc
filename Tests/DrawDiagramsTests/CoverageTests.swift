import Testing

@testable import DrawDiagrams

@Suite struct CoverageTests {
  @Test func everyOperatorHasADiagramOrAReason() {
    #expect(DrawDiagrams.coverage(of: allFigures).problems.isEmpty)
  }

  @Test func overloadWithoutADiagramIsNamed() {
    let problems = coverage(of: [figure(on: "M/Publisher/map(_:)-1a")]).problems
    #expect(problems.count == 1)
    #expect(problems[0].hasPrefix("  M/Publisher/map(_:)-2b: has no diagram."))
  }

  @Test func allOverloadsWithDiagramsAreNoProblem() {
    #expect(coverage(of: [figure(on: "M/Publisher/map(_:)-1a", "M/Publisher/map(_:)-2b")]).problems.isEmpty)
  }

  @Test func reasonStandsInForADiagram() {
    let reasons = [Exceptions(reason: "Shows nothing.", operators: ["M/Publisher/map(_:)"])]
    #expect(coverage(of: [], exceptions: reasons).problems.isEmpty)
  }

  @Test func reasonForWhatHasADiagramIsNamed() {
    let reasons = [Exceptions(reason: "Shows nothing.", operators: ["M/Publisher/map(_:)"])]
    let shown = [figure(on: "M/Publisher/map(_:)-1a", "M/Publisher/map(_:)-2b")]
    let problems = coverage(of: shown, exceptions: reasons).problems
    #expect(problems == ["  M/Publisher/map(_:): has a diagram, and is in tools/diagrams/Exceptions.swift"])
  }

  @Test func reasonForNoOperatorIsNamed() {
    let reasons = [Exceptions(reason: "Shows nothing.", operators: ["M/Publisher/map(_:)", "M/Publisher/gone()"])]
    let problems = coverage(of: [], exceptions: reasons).problems
    #expect(problems == ["  M/Publisher/gone(): is in tools/diagrams/Exceptions.swift, and is no operator"])
  }

  @Test func overloadThatThePagesLackIsNamed() {
    let problems = coverage(
      of: [figure(on: "M/Publisher/map(_:)-1a")], pages: Pages("M/Publisher/map(_:)-1a")
    ).problems
    #expect(problems.count == 1)
    #expect(problems[0].hasPrefix("  M/Publisher/map(_:): 2 in API/M.txt, 1 in tools/diagrams/pages.txt."))
    #expect(problems[0].hasSuffix("tools/build-documentation --pages"))
  }

  @Test func operatorsAreFunctionsAndMembersOfTheProtocols() {
    let operators = Coverage.operators(in: [
      """
      M\tPublisher.map(_:)\tmethod\tfunc map
      M\tPublisher.map(_:)\tmethod\tfunc map
      M\tPublisher.values\tproperty\tvar values
      M\tPublisher.Output\tassociatedtype\tassociatedtype Output
      M\tBox.map(_:)\tmethod\tfunc map
      M\tOptional.Publisher.map(_:)\tmethod\tfunc map
      M\tmerge(_:_:)\tfunc\tfunc merge
      """
    ])
    #expect(operators.map(\.name) == ["M/Publisher/map(_:)", "M/Publisher/values", "M/merge(_:_:)"])
    #expect(operators.map(\.count) == [2, 1, 1])
  }

  @Test func pagesAreFoundByTheEndsOfTheirPaths() {
    let pages = Pages("M/Publisher/map(_:)-1a\nM/Publisher/map(_:)-2b\nM/Box/map(_:)\nN/Publisher/map(_:)")
    #expect(pages.paths(in: "M", of: "Publisher/map(_:)") == ["M/Publisher/map(_:)-1a", "M/Publisher/map(_:)-2b"])
    #expect(pages.paths(in: "M", of: "map(_:)-2b") == ["M/Publisher/map(_:)-2b"])
    #expect(pages.paths(in: "N", of: "map(_:)") == ["N/Publisher/map(_:)"])
    #expect(pages.paths(in: "M", of: "filter(_:)").isEmpty)
  }

  // MARK: A module with two overloads

  private func coverage(
    of figures: [Figure], exceptions: [Exceptions] = [],
    pages: Pages = Pages("M/Publisher/map(_:)-1a\nM/Publisher/map(_:)-2b")
  ) -> Coverage {
    Coverage(
      figures, pages: pages, exceptions: exceptions,
      listings: ["M\tPublisher.map(_:)\tmethod\tfunc map\nM\tPublisher.map(_:)\tmethod\tfunc map"])
  }

  private func figure(on pages: String...) -> Figure {
    Figure(module: "M", name: "map", pages: pages, code: [], inputs: [], outputs: [])
  }
}
