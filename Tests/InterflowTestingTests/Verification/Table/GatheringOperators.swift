import Foundation
import InterflowTesting

/// Operators that make one value of many, or few.
let gatheringOperators: [VerificationRow] = (reducing + matching + last).flatMap { $0 }

/// Enough to find what is looked for.
private let several: @Sendable (Int) -> Int = { _ in 5 }

private let reducing: [[VerificationRow]] = [
  rows("Publishers.Collect", "", .always, feed: several) { $0.collect() },
  rows("Publishers.CollectByCount", feed: { 3 * $0 }) { $0.collect(3) },
  rows("Publishers.Reduce", "", .always, feed: several) { $0.reduce(0, +) },
  rows("Publishers.TryReduce", "", .always, feed: several) { $0.tryReduce(0) { $0 + $1 } },
  rows("Publishers.Count", "", .always, feed: several) { $0.count() },
  rows("Publishers.Comparison", "", .singleOrNone, feed: { 5 * $0 }) { $0.max() },
  rows("Publishers.TryComparison", "", .singleOrNone, feed: { 5 * $0 }) { $0.tryMax { $0 < $1 } },
  rows("Publishers.IgnoreOutput", "", nothing, feed: several) { $0.ignoreOutput() },
]

private let matching: [[VerificationRow]] = [
  rows("Publishers.Contains", "", .always, feed: several) { $0.contains(2) },
  rows("Publishers.ContainsWhere", "", .always, feed: several) { $0.contains { $0 > 1_000 } },
  rows("Publishers.TryContainsWhere", "", .always, feed: several) { $0.tryContains { $0 > 1 } },
  rows("Publishers.AllSatisfy", "", .always, feed: several) { $0.allSatisfy { $0 < 3 } },
  rows("Publishers.TryAllSatisfy", "", .always, feed: several) { $0.tryAllSatisfy { $0 < 1_000 } },
]

private let last: [[VerificationRow]] = [
  rows("Publishers.Last", "", .singleOrNone, feed: { 3 * $0 }) { $0.last() },
  rows("Publishers.LastWhere", "", .singleOrNone, feed: { 3 * $0 }) { $0.last { $0 < 2 } },
  rows("Publishers.TryLastWhere", "", .singleOrNone, feed: { 3 * $0 }) { $0.tryLast { $0 < 2 } },
]

private let nothing: Facts = {
  var facts = Facts()
  facts.maximum = 0
  return facts
}()
