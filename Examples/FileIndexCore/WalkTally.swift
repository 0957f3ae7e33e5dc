import Synchronization

/// The number of files that a walk has delivered; it can be read while the walk runs.
///
/// Files are counted where they are found, not where the results arrive, so that a lost file is noticed.
package final class WalkTally: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  /// The number of files and of failed entries. Skipped entries are not counted.
  package var walked: Int {
    count.load(ordering: .relaxed)
  }

  func count(_ entry: WalkedEntry) {
    if case .skipped = entry { return }
    count.add(1, ordering: .relaxed)
  }
}
