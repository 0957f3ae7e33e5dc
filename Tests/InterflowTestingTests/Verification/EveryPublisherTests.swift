import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// Every publisher of `Combine` and `Interflow` keeps the rules.
///
/// A few at a time: each has threads of its own, and spends most of its time waiting for them.
@Suite struct EveryPublisherTests {
  static let table: [VerificationRow] =
    origins + subjects + passingOperators + gatheringOperators + combiningOperators + joinedSubjects
    + schedulingOperators

  private static func verify(_ row: VerificationRow) async throws {
    try await PublisherVerification.verify(
      elements: row.elements, options: row.options, make: row.make, failing: row.failing)
  }

  @Suite(.serialized) struct Origins {
    @Test(arguments: origins + subjects + schedulingOperators)
    func keepTheRules(_ row: VerificationRow) async throws { try await verify(row) }
  }

  @Suite(.serialized) struct PassingOperators {
    @Test(arguments: passingOperators)
    func keepTheRules(_ row: VerificationRow) async throws { try await verify(row) }
  }

  @Suite(.serialized) struct GatheringOperators {
    @Test(arguments: gatheringOperators + combiningOperators + joinedSubjects)
    func keepTheRules(_ row: VerificationRow) async throws { try await verify(row) }
  }

  /// The rule is not applicable without a closure that sends, so that a row that has lost it would pass as well.
  @Test func aSendWaitsForItsTurnWhereThreadsMeet() async throws {
    var kept: Set<String> = []
    for row in Self.table {
      var options = row.options
      options.rules = [.sendDuringASignalWaits]
      let report = try await PublisherVerification.verify(elements: row.elements, options: options, make: row.make)
      if case .kept = report[.sendDuringASignalWaits] { kept.insert(row.type) }
    }
    let joining = [
      "Merge", "Merge3", "Merge4", "Merge5", "Merge6", "Merge7", "Merge8", "MergeMany", "FlatMap", "SwitchToLatest",
      "Zip", "Zip3", "Zip4", "CombineLatest", "CombineLatest3", "CombineLatest4", "Map", "Filter", "Share",
    ].map { "Publishers.\($0)" }
    let subjects = ["PassthroughSubject", "CurrentValueSubject", "Published.Publisher", "ObservableObjectPublisher"]
    #expect(Set(joining + subjects).subtracting(kept).sorted() == [], "publishers for which it was not checked")
  }

  @Test func everyPublisherIsInTheTable() throws {
    let publishers = try Set(listed("Combine") + listed("Interflow"))
    #expect(publishers.count > 100, "the listings have lost their publishers")
    let verified = Set(Self.table.map(\.type))
    #expect(publishers.subtracting(verified).sorted() == [], "publishers that are not verified")
    #expect(verified.subtracting(publishers).sorted() == [], "rows of what is no publisher")
  }

  /// The types of a module that are publishers.
  ///
  /// They come from the listings in `API`, which are made of the modules' symbol graphs and held against them by
  /// `make check-api`: a publisher cannot be added without a line there, nor that line without a row here. The graphs
  /// themselves would take a build of their own from inside a test.
  private func listed(_ module: String) throws -> [String] {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: package.appendingPathComponent("API/\(module).txt"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    let protocols = Set(lines.filter { $0.count > 2 && $0[2] == "protocol" }.map { $0[1] })
    return lines.filter { $0.count > 3 && $0[2] == "conformance" && $0[3].hasPrefix("Publisher") }
      .filter { $0[3] == "Publisher" || $0[3].hasPrefix("Publisher [") }
      .map { $0[1] }.filter { !protocols.contains($0) }
  }
}
