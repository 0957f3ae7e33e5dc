import Foundation
import InterflowTesting

/// Operators that pass values on one by one.
let passingOperators: [VerificationRow] = (mapping + filtering + selecting + debugging + coding).flatMap { $0 }

private let mapping: [[VerificationRow]] = [
  rows("Publishers.Map", sends: true) { $0.map { $0 + 1 } },
  rows("Publishers.TryMap", sends: true) { $0.tryMap { $0 + 1 } },
  rows("Publishers.MapError", sends: true) { $0.mapError { $0 as any Error } },
  rows("Publishers.MapKeyPath", sends: true) { $0.map(\.description) },
  rows("Publishers.MapKeyPath2") { $0.map(\.description, \.magnitude) },
  rows("Publishers.MapKeyPath3") { $0.map(\.description, \.magnitude, \.bitWidth) },
  rows("Publishers.Scan", sends: true) { $0.scan(0, +) },
  rows("Publishers.TryScan") { $0.tryScan(0) { $0 + $1 } },
  rows("Publishers.SetFailureType", fails: false, sends: true) { $0.assertNoFailure().setFailureType(to: Broken.self) },
  rows("Publishers.CompactMap", feed: { 2 * $0 }, sends: true) { $0.compactMap { $0.isMultiple(of: 2) ? $0 : nil } },
  rows("Publishers.TryCompactMap", feed: { 2 * $0 }, sends: true) {
    $0.tryCompactMap { $0.isMultiple(of: 2) ? $0 : nil }
  },
  rows("Publishers.MeasureInterval") { $0.measureInterval(using: ImmediateScheduler.shared) },
]

private let filtering: [[VerificationRow]] = [
  rows("Publishers.Filter", feed: { 2 * $0 }, sends: true) { $0.filter { $0.isMultiple(of: 2) } },
  rows("Publishers.TryFilter", feed: { 2 * $0 }, sends: true) { $0.tryFilter { $0.isMultiple(of: 2) } },
  rows("Publishers.RemoveDuplicates", feed: { 2 * $0 }, sends: true) { $0.map { $0 / 2 }.removeDuplicates() },
  rows("Publishers.TryRemoveDuplicates", feed: { 2 * $0 }, sends: true) { $0.tryRemoveDuplicates { $0 / 2 == $1 / 2 } },
  rows("Publishers.ReplaceEmpty", "", .exempting([.completionNeedsNoDemand: "it has a value instead"])) {
    $0.replaceEmpty(with: -1)
  },
  rows("Publishers.ReplaceError", fails: false, sends: true) { $0.replaceError(with: -1) },
  rows("Publishers.AssertNoFailure", fails: false) { $0.assertNoFailure() },
]

/// The first three are left out.
private let threeMore: @Sendable (Int) -> Int = { $0 == 0 ? 0 : $0 + 3 }

private let selecting: [[VerificationRow]] = [
  rows("Publishers.Drop", feed: threeMore) { $0.dropFirst(3) },
  rows("Publishers.DropWhile", feed: threeMore) { $0.drop { $0 < 3 } },
  rows("Publishers.TryDropWhile", feed: threeMore) { $0.tryDrop { $0 < 3 } },
  rows("Publishers.DropUntilOutput", sends: true) { $0.drop(untilOutputFrom: Just(1).setFailureType(to: Broken.self)) },
  rows("Publishers.First", "", .singleOrNone, feed: { 3 * $0 }) { $0.first() },
  rows("Publishers.FirstWhere", "", .singleOrNone, feed: { 3 * $0 }) { $0.first { $0 > 1 } },
  rows("Publishers.TryFirstWhere", "", .singleOrNone, feed: { 3 * $0 }) { $0.tryFirst { $0 > 1 } },
  rows("Publishers.Output", feed: threeMore) { $0.output(in: 3...) },
  rows("Publishers.PrefixWhile", sends: true) { $0.prefix { $0 < 1_000_000 } },
  rows("Publishers.TryPrefixWhile") { $0.tryPrefix { $0 < 1_000_000 } },
  rows("Publishers.PrefixUntilOutput") { $0.prefix(untilOutputFrom: Empty<Int, Never>(completeImmediately: false)) },
]

private let debugging: [[VerificationRow]] = [
  rows("Publishers.Print") { $0.print("", to: Nowhere()) },
  rows("Publishers.HandleEvents") { $0.handleEvents(receiveOutput: { _ in }, receiveRequest: { _ in }) },
  rows("Publishers.Breakpoint") { $0.breakpoint(receiveOutput: { _ in false }) },
]

private let coding: [[VerificationRow]] = [
  rows("Publishers.Encode") { $0.encode(encoder: JSONEncoder()) },
  rows("Publishers.Decode") { $0.map { Data("\($0)".utf8) }.decode(type: Int.self, decoder: JSONDecoder()) },
]

private struct Nowhere: TextOutputStream {
  mutating func write(_ string: String) {}
}
