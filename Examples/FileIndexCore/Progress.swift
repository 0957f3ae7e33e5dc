/// Decides when and how the progress is written.
///
/// On a terminal one line is overwritten repeatedly; elsewhere, as in a log, a line is written every two seconds.
package struct Progress: Sendable {
  /// Where the progress is shown.
  package enum Style: Sendable {
    case terminal
    case log
  }

  /// What is shown.
  package struct Counts: Equatable, Sendable {
    package var walked: Int
    package var indexed: Int
    package var failed: Int

    package init(walked: Int, indexed: Int, failed: Int) {
      self.walked = walked
      self.indexed = indexed
      self.failed = failed
    }

    package init(_ report: IndexReport) {
      self.init(walked: report.walked, indexed: report.totals.files, failed: report.failures.count)
    }
  }

  private let style: Style
  private var due: ContinuousClock.Instant?

  package init(style: Style) {
    self.style = style
  }

  /// What to write before the work begins.
  package func begin(folder: EntryPath, jobs: Int) -> String {
    "Indexing \(folder), up to \(jobs) files at a time" + (style == .terminal ? "" : "\n")
  }

  /// What to write now, if it is time.
  package mutating func update(_ counts: Counts, at now: ContinuousClock.Instant) -> String? {
    if let due, now < due { return nil }
    let isFirst = due == nil
    switch style {
    case .terminal:
      due = now + .milliseconds(100)
      return "\r\u{1B}[K" + Self.line(counts)
    case .log:
      due = now + .seconds(2)
      return isFirst ? nil : Self.line(counts) + "\n"
    }
  }

  /// What to write when the work is done; on a terminal it clears the line.
  package func end(_ counts: Counts) -> String {
    switch style {
    case .terminal: "\r\u{1B}[K"
    case .log: Self.line(counts) + "\n"
    }
  }

  private static func line(_ counts: Counts) -> String {
    let failed = counts.failed == 0 ? "" : ", \(counts.failed.grouped) failed"
    return "\(counts.walked.grouped) files walked, \(counts.indexed.grouped) indexed\(failed)"
  }
}
