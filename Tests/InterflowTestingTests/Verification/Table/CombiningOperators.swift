import Foundation
import InterflowTesting

/// Operators that have several upstreams.
let combiningOperators: [VerificationRow] = (merging + joining + following + sharing).flatMap { $0 }

private let none = Empty<Int, Broken>()
private let one = Just(1).setFailureType(to: Broken.self)

private let merging: [[VerificationRow]] = [
  rows("Publishers.Merge", feed: { $0 / 2 }) { $0.merge(with: $0) },
  rows("Publishers.Merge3", feed: { $0 / 2 }) { $0.merge(with: $0, none) },
  rows("Publishers.Merge4", feed: { $0 / 4 }) { $0.merge(with: $0, $0, $0) },
  rows("Publishers.Merge5", feed: { $0 / 4 }) { $0.merge(with: $0, $0, none, $0) },
  rows("Publishers.Merge6", feed: { $0 / 4 }) { $0.merge(with: none, $0, $0, none, $0) },
  rows("Publishers.Merge7", feed: { $0 / 4 }) { $0.merge(with: none, $0, none, $0, none, $0) },
  rows("Publishers.Merge8", feed: { $0 / 8 }) { $0.merge(with: $0, $0, $0, $0, $0, $0, $0) },
  rows("Publishers.MergeMany", feed: { $0 / 4 }) { Publishers.MergeMany([$0, $0, $0, $0]) },
  rows("Publishers.FlatMap", sends: true) { $0.flatMap { Just($0).setFailureType(to: Broken.self) } },
  rows("Publishers.FlatMap", "one at a time", sends: true) {
    $0.flatMap(maxPublishers: .max(1)) { Just($0).setFailureType(to: Broken.self) }
  },
  rows("Publishers.FlatMap", "two of several values", feed: { $0 / 2 }) {
    $0.flatMap(maxPublishers: .max(2)) { [$0, $0].publisher.setFailureType(to: Broken.self) }
  },
  rows("Publishers.SwitchToLatest", "the only one", sends: true) { upstream in
    Just(upstream).setFailureType(to: Broken.self).switchToLatest()
  },
  // Not on a sequence, which would bring each before anything is asked of the one before.
  rows("Publishers.SwitchToLatest", "one of each value", on: [.driven], sends: true) {
    $0.map { Just($0).setFailureType(to: Broken.self) }.switchToLatest()
  },
]

private let beside = Facts.exempting([.completionNeedsNoDemand: "the other publisher has a value"])

private let joining: [[VerificationRow]] = [
  rows("Publishers.Zip", sends: true) { $0.zip($0) },
  rows("Publishers.Zip3", sends: true) { $0.zip($0, $0) },
  rows("Publishers.Zip4", sends: true) { $0.zip($0, $0, $0) },
  rows("Publishers.CombineLatest", "", beside, sends: true) { one.combineLatest($0) },
  rows("Publishers.CombineLatest3", "", beside, sends: true) { one.combineLatest(one, $0) },
  rows("Publishers.CombineLatest4", "", beside, sends: true) { one.combineLatest(one, one, $0) },
]

private let following: [[VerificationRow]] = [
  rows("Publishers.Concatenate", "first", sends: true) { $0.append(none) },
  rows("Publishers.Concatenate", "second", sends: true) { $0.prepend(none) },
  rows("Publishers.Catch", fails: false) { $0.catch { _ in none } },
  rows("Publishers.Catch", "after a failure") { upstream in
    Fail<Int, Broken>(error: Broken()).catch { _ in upstream }
  },
  rows("Publishers.TryCatch", fails: false) { $0.tryCatch { _ in none } },
  rows("Publishers.TryCatch", "after a failure") { upstream in
    Fail<Int, Broken>(error: Broken()).tryCatch { _ in upstream }
  },
  rows("Publishers.Retry", sends: true) { $0.retry(1) },
]

private let held = Facts.exempting([.completionNeedsNoDemand: "a completion waits for a request, as Apple's does"])

private let sharing: [[VerificationRow]] = [
  rows("Publishers.Share", on: [.driven], sends: true) { $0.share() },
  rows("Publishers.Autoconnect", on: [.driven], sends: true) {
    $0.multicast { PassthroughSubject<Int, Broken>() }.autoconnect()
  },
  rows("Publishers.Buffer", "keeping full", held, drivenSurplusWaits: true) {
    $0.buffer(size: 1_000_000, prefetch: .keepFull, whenFull: .dropNewest)
  },
  rows("Publishers.Buffer", "by request", held, drivenSurplusWaits: true) {
    $0.buffer(size: 1_000_000, prefetch: .byRequest, whenFull: .dropOldest)
  },
]
