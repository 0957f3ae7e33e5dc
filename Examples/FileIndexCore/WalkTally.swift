import Synchronization

/// How many files a walk has handed out, readable while it is under way.
///
/// Counted where the files are found and not where the results arrive, so that a file lost in between shows.
package final class WalkTally: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  /// Files, and what failed in place of a file. What a rule leaves out is not one.
  package var walked: Int {
    count.load(ordering: .relaxed)
  }

  func count(_ entry: WalkedEntry) {
    if case .skipped = entry { return }
    count.add(1, ordering: .relaxed)
  }
}
