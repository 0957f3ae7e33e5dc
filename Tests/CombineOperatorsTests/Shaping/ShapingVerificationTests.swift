import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

// One after the other: each needs several threads, and a deadline that a busy machine keeps.
@Suite(.serialized) struct ShapingVerificationTests {
  private static let valueless: PublisherVerification.Options = {
    var options = PublisherVerification.Options.patient
    options.maximum = 0
    return options
  }()

  static let rows = [
    VerificationRow("distinct") { $0.distinct() },
    VerificationRow("filterMany") { $0.map { [$0] }.filterMany { $0 > 0 } },
    VerificationRow("ignoreOutput(setOutputType:)", valueless) { $0.ignoreOutput(setOutputType: String.self) },
    VerificationRow("mapMany") { $0.map { [$0] }.mapMany { $0 + 1 } },
    VerificationRow("mapToValue") { $0.mapToValue("a") },
    VerificationRow("mapToVoid") { $0.mapToVoid() },
    VerificationRow("nwise", feed: { $0 == 0 ? 0 : $0 + 2 }) { $0.nwise(3) },
    VerificationRow("pairwise", feed: { $0 == 0 ? 0 : $0 + 1 }) { $0.pairwise() },
    VerificationRow("prefix(duration:)") { $0.prefix(duration: .seconds(60), on: TestTimeline().scheduler) },
    VerificationRow("prefix(while:behavior:), exclusive") { $0.prefix(while: { $0 >= 0 }, behavior: .exclusive) },
    VerificationRow("removeAllDuplicates(by:)") { $0.removeAllDuplicates(by: ==) },
    VerificationRow("setOutputType(to:)", valueless) { $0.ignoreOutput().setOutputType(to: String.self) },
    VerificationRow("takeLast") { $0.takeLast(.max) },
    VerificationRow("toggle") { $0.map { $0 > 0 }.toggle() },
    VerificationRow("unwrap", feed: { 2 * $0 }) { $0.map { $0.isMultiple(of: 2) ? nil : $0 }.unwrap() },
    VerificationRow("unwrap(orThrow:)") { $0.map(Optional.some).unwrap(orThrow: TestError()) },
  ]

  @Test(arguments: rows) func followsTheRulesOfPublishers(row: VerificationRow) async throws {
    try await row.verify()
  }

  @Test func prefixOfADurationThatPassesFollowsTheRulesOfPublishers() async throws {
    var options = PublisherVerification.Options.patient
    options.surplus = .isDropped
    try await PublisherVerification.verify(
      options: options,
      make: { count in
        let (subject, timeline) = (PassthroughSubject<Int, TestError>(), TestTimeline())
        return PublisherUnderTest(subject.prefix(duration: .seconds(60), on: timeline.scheduler)) {
          for number in 0..<count { subject.send(number) }
          timeline.advance(by: .seconds(60))
        } send: {
          subject.send(count)
        }
      })
  }
}
