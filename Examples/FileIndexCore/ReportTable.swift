/// The report for people.
package struct ReportTable {
  /// The largest number of rows of a table; further rows are summed up in the last one.
  private static let rows = 15

  private let report: IndexReport

  package init(_ report: IndexReport) {
    self.report = report
  }

  /// The report as text, with a line feed at its end.
  package var text: String {
    var sections = [title]
    if report.totals.files > 0 { sections += [largest, extensions] }
    if !report.failures.isEmpty { sections.append(failures) }
    if !report.skipped.isEmpty { sections.append(skipped) }
    sections.append(summary)
    return sections.joined(separator: "\n\n") + "\n"
  }

  private var title: String {
    switch (report.ending, report.walked) {
    case (.interrupted, _): "Part of \(report.folder): interrupted, this is what was read until then"
    case (.unfinished, _): "Part of \(report.folder): the run has not ended, this is what is stored"
    case (.complete, 0): "Nothing to index in \(report.folder)"
    case (.complete, _): "Index of \(report.folder)"
    }
  }

  private var largest: String {
    var table = TextTable(columns: [.number("cksum"), .number("bytes"), .number("lines"), .text("largest files")])
    for file in report.largest.files {
      table.add(["\(file.checksum)", file.bytes.grouped, file.lines.grouped, "\(file.path)"])
    }
    return table.text
  }

  private var extensions: String {
    var table = TextTable(columns: [.number("files"), .number("bytes"), .number("lines"), .text("extension")])
    let ranked = report.rankedExtensions
    let shown = ranked.count > Self.rows ? Self.rows - 1 : ranked.count
    for row in ranked.prefix(shown) {
      table.add(row.totals, row.name.isEmpty ? "(none)" : ".\(row.name.escapingControlCharacters)")
    }
    if shown < ranked.count {
      let others = ranked.dropFirst(shown).reduce(into: IndexReport.Totals()) { $0.add($1.totals) }
      table.add(others, "\((ranked.count - shown).grouped) others")
    }
    table.add(report.totals, "in all")
    return table.text
  }

  private var failures: String {
    let lines = report.failures.sorted { $0.path < $1.path }.map { "  \($0.path): \($0.reason)" }
    return (["Failed: \(lines.count.grouped)"] + lines).joined(separator: "\n")
  }

  private var skipped: String {
    var lines: [String] = []
    for rule in SkippedEntry.Rule.allCases {
      let paths = report.skipped.filter { $0.rule == rule }.map(\.path).sorted()
      lines += paths.prefix(Self.rows).map { "  \($0): \(rule.rawValue)" }
      if paths.count > Self.rows {
        lines.append("  and \((paths.count - Self.rows).grouped) more: \(rule.rawValue); --json names them all")
      }
    }
    return (["Skipped: \(report.skipped.count.grouped)"] + lines).joined(separator: "\n")
  }

  private var summary: String {
    let walked = report.walked.grouped
    let indexed = report.totals.files.grouped
    let failed = report.failures.count.grouped
    let seconds = (report.elapsed / .seconds(1)).fixed(2)
    var speed = "\(indexed) files in \(seconds) s: \(report.filesPerSecond.fixed(0)) files a second"
    if let reuse = report.reuse {
      let read = (report.totals.files - reuse.unchanged).grouped
      speed +=
        "\nDatabase: \(read) files read, \(reuse.unchanged.grouped) skipped because they have not changed, "
        + "\(reuse.removed.grouped) removed because they are gone"
    }
    let check = "\(walked) walked, \(indexed) indexed + \(failed) failed"
    let missing = abs(report.missing).grouped
    return switch (report.ending, report.isConsistent) {
    case (_, true): "\(speed)\nCheck: \(check): equal"
    case (.interrupted, false): "\(speed)\nNo check: \(check), \(missing) under way when interrupted"
    case (.unfinished, false): "\(speed)\nNo check: \(check), \(missing) under way"
    case (.complete, false): "\(speed)\nCHECK FAILED: \(check): \(missing) apart"
    }
  }
}

extension TextTable {
  fileprivate mutating func add(_ totals: IndexReport.Totals, _ name: String) {
    add([totals.files.grouped, totals.bytes.grouped, totals.lines.grouped, name])
  }
}
