import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ErrorsMarbleTests {
  static let rows = [
    MarbleRow(
      "catchAndReturn",
      a: "-a-b-#",
      is: "-a-b-(z|)"
    ) { $0.a.catchAndReturn("z") },
    MarbleRow(
      "ignoreFailure",
      a: "-a-b-#",
      is: "-a-b-|"
    ) { $0.a.ignoreFailure() },
    MarbleRow(
      "ignoreFailure, without an end",
      a: "-a-b-#",
      is: "-a-b---"
    ) { $0.a.ignoreFailure(setFailureType: Never.self, completeImmediately: false) },
    MarbleRow(
      "mapToResult",
      a: "-a-b-#",
      is: "-a-b-(z|)"
    ) { $0.a.mapToResult().map { (try? $0.get()) ?? "z" } },
    MarbleRow(
      "materialize",
      a: "-a-b-#",
      is: "-x-y-(z|)", ["x": "value(a)", "y": "value(b)", "z": "failure(test error)"]
    ) { $0.a.materialize().map(\.description) },
    MarbleRow(
      "materialize, regular end",
      a: "-a-|",
      is: "-x-(z|)", ["x": "value(a)", "z": "finished"]
    ) { $0.a.materialize().map(\.description) },
    MarbleRow(
      "dematerialize",
      a: "-a-b-#",
      is: "-a-b-#"
    ) { $0.a.materialize().dematerialize() },
    MarbleRow(
      "values",
      a: "-a-b-#",
      is: "-a-b-|"
    ) { $0.a.materialize().values() },
    MarbleRow(
      "failures",
      a: "-a-b-#",
      is: "-----(x|)", ["x": "test error"]
    ) { $0.a.materialize().failures().map(\.name) },
    MarbleRow(
      "retryWhen",
      a: "a-b#",
      is: "a-b--a-b--a-!"
    ) { inputs in inputs.a.retryWhen { $0.delay(for: .seconds(2), scheduler: inputs.scheduler) } },
    MarbleRow(
      "retryWhen, the trigger ends",
      a: "a-b#",
      b: "----1-----|",
      is: "a-b-a-b---|"
    ) { inputs in inputs.a.retryWhen { _ in inputs.b } },
    MarbleRow(
      "retry(_:delay:)",
      a: "a-b#",
      is: "a-b--a-b----a-b#"
    ) { $0.a.retry(2, delay: .seconds(2), backoff: .exponential(upTo: .seconds(30)), on: $0.scheduler) },
    MarbleRow(
      "retry(_:delay:), linear",
      a: "a-b#",
      is: "a-b--a-b----a-b------a-b#"
    ) { $0.a.retry(3, delay: .seconds(2), backoff: .linear(upTo: .seconds(30)), on: $0.scheduler) },
    MarbleRow(
      "retry(_:delay:), not after this failure",
      a: "a-b#",
      is: "a-b#"
    ) { $0.a.retry(2, delay: .seconds(2), on: $0.scheduler, when: { _ in false }) },
  ]

  @Test(arguments: rows) func deliversAsDrawn(row: MarbleRow) throws {
    try row.check()
  }
}
