import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

// One after the other: each needs several threads, and a deadline that a busy machine keeps.
@Suite(.serialized) struct ErrorsVerificationTests {
  private static let failure = Fail<Int, TestError>(error: TestError())

  private static func waiting(_ reason: String, maximum: Int? = nil) -> PublisherVerification.Options {
    var options = PublisherVerification.Options.patient.exempting(.completionNeedsNoDemand, because: reason)
    options.maximum = maximum
    return options
  }

  static let rows = [
    VerificationRow("catchAndReturn", fails: false) { $0.catchAndReturn(9) },
    VerificationRow(
      "catchAndReturn, failure", waiting("the value for the failure needs demand"), feed: { max(0, $0 - 1) },
      fails: false
    ) { $0.append(failure).catchAndReturn(9) },
    VerificationRow("ignoreFailure", fails: false) { $0.append(failure).ignoreFailure() },
    VerificationRow("ignoreFailure(setFailureType:)", fails: false) {
      $0.append(failure).ignoreFailure(setFailureType: Never.self)
    },
    VerificationRow("mapToResult", fails: false) { $0.mapToResult() },
    VerificationRow(
      "mapToResult, failure", waiting("the failure is a value, which needs demand"), feed: { max(0, $0 - 1) },
      fails: false
    ) { $0.append(failure).mapToResult() },
    VerificationRow("values", waiting("the event of the completion needs demand"), fails: false) {
      $0.materialize().values()
    },
    VerificationRow("failures", waiting("the failure is a value, which needs demand", maximum: 1), fails: false) {
      $0.filter { _ in false }.append(failure).materialize().failures()
    },
  ]

  @Test(arguments: rows) func followsTheRulesOfPublishers(row: VerificationRow) async throws {
    try await row.verify()
  }
}
