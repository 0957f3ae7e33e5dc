/// Decides when and how the progress is written.
///
/// On a terminal one line is overwritten repeatedly; elsewhere, as in a log, a line is written every two seconds.
package struct Progress: Sendable {
  /// Where the progress is shown.
  package enum Style: Sendable {
    case terminal
    case log
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
  package mutating func update(_ report: IndexReport, at now: ContinuousClock.Instant) -> String? {
    if let due, now < due { return nil }
    let isFirst = due == nil
    switch style {
    case .terminal:
      due = now + .milliseconds(100)
      return "\r\u{1B}[K" + Self.line(report)
    case .log:
      due = now + .seconds(2)
      return isFirst ? nil : Self.line(report) + "\n"
    }
  }

  /// What to write when the work is done; on a terminal it clears the line.
  package func end(_ report: IndexReport) -> String {
    switch style {
    case .terminal: "\r\u{1B}[K"
    case .log: Self.line(report) + "\n"
    }
  }

  private static func line(_ report: IndexReport) -> String {
    let failed = report.failures.isEmpty ? "" : ", \(report.failures.count.grouped) failed"
    return "\(report.walked.grouped) files walked, \(report.totals.files.grouped) indexed\(failed)"
  }
}
