/// How the work went: who has read how many files, how long nothing arrived after the first result, and which files were begun
/// twice.
struct WorkTally: Sendable {
  private var readBy: [Int32: Int] = [:]
  private var begun: [FileJob: Int] = [:]
  /// When the last result arrived. Until the first one, workers are started.
  private var last: ContinuousClock.Instant?
  private var longestSilence = Duration.zero

  /// A result has arrived.
  mutating func received(from worker: Int32, at time: ContinuousClock.Instant) {
    readBy[worker, default: 0] += 1
    if let last { longestSilence = max(longestSilence, last.duration(to: time)) }
    last = time
  }

  /// A worker says that it begins a job.
  mutating func begun(_ job: FileJob) {
    begun[job, default: 0] += 1
  }

  func count(of worker: Int32) -> Int { readBy[worker, default: 0] }

  /// What to say at the end.
  ///
  /// - Parameter workers: The processes of the workers, and whether each has lived until the end.
  func lines(_ workers: [(identifier: Int32, isAlive: Bool)]) -> [String] {
    var lines = workers.map { worker in
      "worker \(worker.identifier) has read \(count(of: worker.identifier)) files\(worker.isAlive ? "" : ", and died")"
    }
    let others = readBy.filter { read in !workers.contains { $0.identifier == read.key } }
    for (worker, count) in others.sorted(by: { $0.key < $1.key }) {
      lines.append("worker \(worker), which was started elsewhere, has read \(count) files")
    }
    let alive = workers.filter(\.isAlive).map { count(of: $0.identifier) }
    if let least = alive.min(), let most = alive.max() {
      lines.append("workers that lived have read from \(least) to \(most) files")
    }
    let milliseconds =
      longestSilence.components.seconds * 1_000 + longestSilence.components.attoseconds / 1_000_000_000_000_000
    lines.append("for \(milliseconds) ms at most, no result arrived")
    lines.append("\(begun.values.count { $0 > 1 }) files were begun more than once, and counted once")
    return lines
  }
}
