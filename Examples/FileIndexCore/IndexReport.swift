/// The results of a run, collected one outcome at a time or taken from a database.
package struct IndexReport: Equatable, Sendable {
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

    mutating func add(_ others: Totals) {
      files += others.files
      bytes += others.bytes
      lines += others.lines
    }
  }

  /// How the run ended.
  package enum Ending: CaseIterable, Sendable {
    case complete
    case interrupted
    /// The run goes on, or was ended by force.
    case unfinished
  }

  /// What a run with a database did not have to do again.
  package struct Reuse: Equatable, Sendable {
    /// Files that had not changed.
    package var unchanged = 0
    /// Entries of the run before that are no longer there.
    package var removed = 0
  }

  package let folder: EntryPath
  package private(set) var totals = Totals()
  package private(set) var byExtension: [String: Totals] = [:]
  package private(set) var largest = LargestFiles(limit: LargestFiles.reported)
  package private(set) var failures: [FailedEntry] = []
  package private(set) var skipped: [SkippedEntry] = []

  package var walked = 0
  package var elapsed = Duration.zero
  package var ending = Ending.complete
  /// `nil` for a run without a database.
  package var reuse: Reuse?

  package init(folder: EntryPath) {
    self.folder = folder
  }

  /// A report whose totals are known, with the largest files in any order.
  package init(
    folder: EntryPath, extensions: [ExtensionRow], largest: [IndexedFile], failures: [FailedEntry],
    skipped: [SkippedEntry]
  ) {
    self.folder = folder
    for row in extensions {
      totals.add(row.totals)
      byExtension[row.name, default: Totals()].add(row.totals)
    }
    for file in largest { self.largest.add(file) }
    self.failures = failures
    self.skipped = skipped
  }

  /// Adds the outcome for one entry.
  package mutating func add(_ outcome: Outcome) {
    switch outcome {
    case .indexed(let file), .unchanged(let file):
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
