/// The results of a run, collected one outcome at a time.
package struct IndexReport: Sendable {
  /// Sums over some of the files.
  package struct Totals: Equatable, Sendable {
    package var files = 0
    package var bytes = 0
    package var lines = 0

    mutating func add(_ file: IndexedFile) {
      files += 1
      bytes += file.bytes
      lines += file.lines
    }
  }

  /// How the run ended.
  package enum Ending: Equatable, Sendable {
    case complete
    case interrupted
  }

  package let folder: EntryPath
  package private(set) var totals = Totals()
  package private(set) var byExtension: [String: Totals] = [:]
  package private(set) var largest = LargestFiles(limit: 10)
  package private(set) var failures: [FailedEntry] = []
  package private(set) var skipped: [SkippedEntry] = []

  package var walked = 0
  package var elapsed = Duration.zero
  package var ending = Ending.complete

  package init(folder: EntryPath) {
    self.folder = folder
  }

  /// Adds the outcome for one entry.
  package mutating func add(_ outcome: Outcome) {
    switch outcome {
    case .indexed(let file):
      totals.add(file)
      byExtension[file.path.fileExtension, default: Totals()].add(file)
      largest.add(file)
    case .failed(let failure):
      failures.append(failure)
    case .skipped(let entry):
      skipped.append(entry)
    }
  }

  /// The number of files without an outcome: those being read when a run is interrupted, none after a complete run.
  package var missing: Int {
    walked - totals.files - failures.count
  }

  /// Whether files walked = indexed + failed.
  package var isConsistent: Bool {
    missing == 0
  }

  /// The number of files read for each second.
  package var filesPerSecond: Double {
    elapsed > .zero ? Double(totals.files) / (elapsed / .seconds(1)) : 0
  }
}
