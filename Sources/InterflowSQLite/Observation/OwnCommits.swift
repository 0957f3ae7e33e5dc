import Synchronization

/// Counts the commits of this database's writer, which other connections see like those of another process.
final class OwnCommits: Sendable {
  private let begunCount = Atomic(0)
  private let endedCount = Atomic(0)

  /// How many have begun.
  var begun: Int { begunCount.load(ordering: .sequentiallyConsistent) }
  /// How many have come to an end, whichever.
  var ended: Int { endedCount.load(ordering: .sequentiallyConsistent) }

  func begin() { begunCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  func end() { endedCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
