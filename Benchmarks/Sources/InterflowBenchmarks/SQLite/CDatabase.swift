import CSQLiteReference

/// A database through SQLite's own functions: what a program without the package would write, with the settings that
/// the package makes.
final class CDatabase {
  let handle: OpaquePointer

  /// Opens a file, or a database in memory.
  init(_ path: String = ":memory:") {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let handle else { preconditionFailure("SQLite cannot open \(path): \(code)") }
    self.handle = handle
    execute("PRAGMA foreign_keys = ON")
    if path != ":memory:" { execute("PRAGMA journal_mode = WAL") }
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  func execute(_ sql: String) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    precondition(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle))), in: \(sql)")
  }

  func prepare(_ sql: String) -> CStatement { CStatement(sql, on: handle) }

  func integer(_ sql: String) -> Int {
    let statement = prepare(sql)
    precondition(statement.step())
    return Int(statement.integer(0))
  }
}

/// A prepared statement.
final class CStatement {
  let handle: OpaquePointer

  init(_ sql: String, on database: OpaquePointer) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else {
      preconditionFailure("\(String(cString: sqlite3_errmsg(database))), in: \(sql)")
    }
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  @inline(__always) func step() -> Bool {
    let code = sqlite3_step(handle)
    precondition(code == SQLITE_ROW || code == SQLITE_DONE)
    return code == SQLITE_ROW
  }

  func run() {
    _ = step()
    reset()
  }

  func reset() { sqlite3_reset(handle) }

  @inline(__always) func bind(_ number: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(number)) }

  @inline(__always) func bind(_ number: Double, at index: Int32) { sqlite3_bind_double(handle, index, number) }

  @inline(__always) func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = reference_bind_text(handle, index, $0.baseAddress, Int32($0.count))
      }
    }
  }

  @inline(__always) func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inline(__always) func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  @inline(__always) func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
