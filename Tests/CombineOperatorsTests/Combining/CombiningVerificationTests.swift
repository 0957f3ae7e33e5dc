import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

// One after the other: each needs several threads, and a deadline that a busy machine keeps.
@Suite(.serialized) struct CombiningVerificationTests {
  private typealias Input = AnyPublisher<Int, TestError>

  private static func just(_ value: Int) -> Input {
    Just(value).setFailureType(to: TestError.self).eraseToAnyPublisher()
  }

  private static var empty: Input { Empty().eraseToAnyPublisher() }
  private static var endless: Input { Empty(completeImmediately: false).eraseToAnyPublisher() }

  static let rows = [
    VerificationRow("amb(), collection") { [endless, $0, endless].amb() },
    VerificationRow(
      "combineLatest, pack", .patient.exempting(.completionNeedsNoDemand, because: "one input has a value")
    ) {
      combineLatest(just(1), $0)
    },
    VerificationRow("concatMap") { $0.concatMap { just($0) } },
    VerificationRow("flatMapBatches(of:)") { [$0, $0, empty, empty].flatMapBatches(of: 2) },
    VerificationRow("merge(), collection") { upstream in
      (0..<3).map { part in upstream.filter { $0 % 3 == part } }.merge()
    },
    VerificationRow("merge, any number") { upstream in
      merge(upstream.filter { $0.isMultiple(of: 2) }, empty, upstream.filter { !$0.isMultiple(of: 2) })
    },
    VerificationRow("withLatestFrom, 2 others") { $0.withLatestFrom(just(1), just(2)) },
    VerificationRow("withLatestFrom, 3 others") { $0.withLatestFrom(just(1), just(2), just(3)) },
    VerificationRow("withLatestFrom, 4 others") { $0.withLatestFrom(just(1), just(2), just(3), just(4)) },
    VerificationRow("zip, pack") { zip($0, $0, $0, $0, $0) },
  ]

  @Test(arguments: rows) func followsTheRulesOfPublishers(row: VerificationRow) async throws {
    try await row.verify()
  }
}
