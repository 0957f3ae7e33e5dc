import Foundation
import Testing

/// Every publisher reacts as Apple's does, or departs from it as a row says.
@Suite struct AppleReactionsTests {
  private static let all = Dictionary(grouping: AppleReactions.all) { $0.testDescription }

  @Test(arguments: AppleReactions.all)
  func reactsAsTheRowSays(_ reaction: Reaction) async throws {
    switch reaction.outcome {
    case .lines(let lines):
      let log = EventLog()
      reaction.run(log)
      #expect(log.lines == lines)
    case .traps(let message):
      // The process that traps looks the row up by its name, for a closure cannot go there.
      let name = reaction.testDescription
      let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [name = name as String] in
        AppleReactionsTests.all[name]?.first?.run(EventLog())
      }
      let text = String(decoding: result.standardErrorContent, as: UTF8.self)
      #expect(text.contains(message), "the message is \(text)")
    }
  }

  @Test func noTwoRowsHaveOneName() {
    #expect(Self.all.filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  /// Whether the publishers of Foundation are compiled.
  private static var hasAllPublishers: Bool {
    #if INTERFLOW_FOUNDATION_NETWORKING
      true
    #else
      false
    #endif
  }

  /// The publishers are those of the listing in `API`, which the public API is held against.
  @Test(.enabled(if: hasAllPublishers)) func everyPublisherHasARow() throws {
    let publishers = try publishersOfTheListing()
    #expect(publishers.count > 90, "the listing has lost its publishers")
    let shown = Set(AppleReactions.all.map(\.publisher))
    let excused = Set(AppleReactions.withoutRows.keys)
    #expect(publishers.subtracting(shown).subtracting(excused).sorted() == [], "publishers without a row")
    #expect(shown.intersection(excused).sorted() == [], "publishers that have rows and are said to have none")
    #expect(excused.subtracting(publishers).sorted() == [], "excuses for what is no publisher")
  }

  private func publishersOfTheListing() throws -> Set<String> {
    // A trimmed package has links to the folders of this one.
    let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    let package = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: package.appendingPathComponent("API/Combine.txt"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    let protocols = Set(lines.filter { $0.count > 2 && $0[2] == "protocol" }.map { $0[1] })
    let conforming = lines.filter { $0.count > 3 && $0[2] == "conformance" }
      .filter { $0[3] == "Publisher" || $0[3].hasPrefix("Publisher [") }
    return Set(conforming.map { $0[1] }).subtracting(protocols)
  }
}
