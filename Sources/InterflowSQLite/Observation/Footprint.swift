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
  /// Whether it inserts rows, itself or by a trigger. SQLite may then count them although no row has come.
  private(set) var inserts = false
  /// Whether a trigger belongs to it, or a view, so that it writes other rows than it names.
  private(set) var isIndirect = false
  /// The access in which the statement has run last.
  var access = 0

  /// Whether an update can delete rows, which is not reported.
  private lazy var mayReplace = sql.replacesRows

  init(sql: String) {
    self.sql = sql
  }

  /// Makes that of a statement whose text is not known before it has been compiled.
  init(mayReplace: Bool) {
    sql = ""
    self.mayReplace = mayReplace
  }

  func compiledIndirectly() { isIndirect = true }

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

  func compiledInsert(table: String) {
    inserts = true
    compiledChange(table: table)
  }

  func compiledChange(table: String) {
    if Self.isSchema(table) { return compiledSchemaChange() }
    writes.insert(table: table)
  }

  func compiledSchemaChange() { writes.formEverything() }

  /// It reads something that is no table, such as the size of the file.
  func compiledReadOfEverything() { reads.formEverything() }

  func compiledAnything() { isResolved = false }

  func resolve(to reads: Region) {
    self.reads = reads
    isResolved = true
  }

  private static func isSchema(_ table: String) -> Bool {
    table == "sqlite_master" || table == "sqlite_temp_master"
  }
}
