/// What a statement may read and write, as its compilation has reported it. It only grows: a compilation after a change
/// of the schema adds to it.
final class Footprint {
  let sql: String
  private(set) var reads = Region()
  private(set) var writes = Region()
  /// Whether ``reads`` is complete. The compiler does not report everything; see ``ReadResolution``.
  private(set) var isResolved = false
  /// Whether it reads through a view or a common table expression.
  private(set) var isNested = false
  /// Whether it changes a setting. SQLite may do that while it compiles the statement, so it is compiled each time.
  private(set) var isSetting = false
  /// The access in which the statement has run last.
  var access = 0

  // An update with REPLACE can delete rows, which is not reported.
  private lazy var mayReplace = sql.mentions("replace")

  init(sql: String) {
    self.sql = sql
  }

  func compiledRead(table: String, column: String, isNested: Bool) {
    isResolved = false
    if isNested { self.isNested = true }
    if column.isEmpty { reads.insert(rowsOf: table) } else { reads.insert(table: table, column: column) }
  }

  func compiledUpdate(table: String, column: String, isNested: Bool) {
    if Self.isSchema(table) { return compiledSchemaChange() }
    // The row's number has several names.
    if isNested || mayReplace || column == "ROWID" {
      writes.insert(table: table)
    } else {
      writes.insert(table: table, column: column)
    }
  }

  func compiledChange(table: String) {
    if Self.isSchema(table) { return compiledSchemaChange() }
    writes.insert(table: table)
  }

  func compiledSchemaChange() { writes.formEverything() }

  func compiledSetting() {
    isSetting = true
    compiledSchemaChange()
  }

  func compiledAnything() { isResolved = false }

  func resolve(to reads: Region) {
    self.reads = reads
    isResolved = true
  }

  private static func isSchema(_ table: String) -> Bool {
    table == "sqlite_master" || table == "sqlite_temp_master"
  }
}

extension String {
  /// Whether a word occurs in the text, whatever the case of its letters, also as a part of another word or of a
  /// comment.
  func mentions(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    let pattern = UnsafeBufferPointer(start: word.utf8Start, count: count)
    var text = self
    return text.withUTF8 { bytes in
      var matched = 0
      var start = 0
      while start + count <= bytes.count {
        while matched < count, bytes[start + matched] | 0x20 == pattern[matched] { matched += 1 }
        if matched == count { return true }
        matched = 0
        start += 1
      }
      return false
    }
  }
}
