import InterflowSQLite

/// The row of a folder: how its last run went.
struct StoredReport: Codable {
  private var id: Int64
  private var run: Int64
  private var ending: String
  private var walked: Int
  private var unchanged: Int
  private var removed: Int
  private var seconds: Double

  /// - Returns: `nil` if there was no run over the folder.
  init?(_ db: DatabaseConnection, of folder: EntryPath) throws {
    let row = try db.fetchOne(
      StoredReport.self,
      sql: "SELECT id, run, ending, walked, unchanged, removed, seconds FROM folder WHERE path = ?",
      arguments: [folder.bytes])
    guard let row else { return nil }
    self = row
  }

  /// The report, with the entries that the run has found.
  func report(_ db: DatabaseConnection, name: EntryPath) throws -> IndexReport {
    let isOfRun: SQL = "folder = \(id) AND run = \(run)"
    let extensions = try db.fetchAll(
      StoredExtension.self,
      sql: """
        SELECT extension, count(*) AS files, sum(bytes) AS bytes, sum(lines) AS lines FROM entry
          WHERE \(isOfRun) AND bytes NOT NULL GROUP BY extension
        """)
    let largest = try db.fetchAll(
      StoredFile.self,
      sql: """
        SELECT path, bytes, lines, cksum FROM entry WHERE \(isOfRun) AND bytes NOT NULL
          ORDER BY bytes DESC, path LIMIT \(LargestFiles.reported)
        """)
    let failures = try db.fetchAll(
      StoredFailure.self,
      sql: "SELECT path, failure FROM entry WHERE \(isOfRun) AND failure NOT NULL ORDER BY path")
    let skipped = try db.fetchAll(
      StoredSkip.self,
      sql: "SELECT path, rule FROM entry WHERE \(isOfRun) AND rule NOT NULL ORDER BY path")
    var report = IndexReport(
      folder: name, extensions: extensions.map(\.row), largest: largest.map(\.file), failures: failures.map(\.entry),
      skipped: try skipped.map { try $0.entry })
    report.walked = walked
    report.elapsed = .seconds(seconds)
    report.ending = IndexReport.Ending.allCases.first { "\($0)" == ending } ?? .unfinished
    report.reuse = IndexReport.Reuse(unchanged: unchanged, removed: removed)
    return report
  }
}

struct StoredFile: Codable, Sendable {
  var path: [UInt8]
  var bytes: Int
  var lines: Int
  var cksum: UInt32

  var file: IndexedFile {
    IndexedFile(path: EntryPath(bytes: path), bytes: bytes, lines: lines, checksum: cksum)
  }
}

struct StoredCounts: Codable {
  var walked: Int
  var indexed: Int
  var failed: Int

  var counts: Progress.Counts { Progress.Counts(walked: walked, indexed: indexed, failed: failed) }
}

private struct StoredExtension: Codable {
  var `extension`: String
  var files: Int
  var bytes: Int
  var lines: Int

  var row: ExtensionRow {
    ExtensionRow(name: `extension`, totals: IndexReport.Totals(files: files, bytes: bytes, lines: lines))
  }
}

private struct StoredFailure: Codable {
  var path: [UInt8]
  var failure: String

  var entry: FailedEntry { FailedEntry(path: EntryPath(bytes: path), reason: failure) }
}

private struct StoredSkip: Codable {
  var path: [UInt8]
  var rule: String

  var entry: SkippedEntry {
    get throws {
      guard let rule = SkippedEntry.Rule.allCases.first(where: { "\($0)" == rule }) else {
        throw DatabaseError(kind: .decoding, message: "no rule has the name \(rule)")
      }
      return SkippedEntry(path: EntryPath(bytes: path), rule: rule)
    }
  }
}
