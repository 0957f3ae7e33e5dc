internal import CSQLite

/// The names of a statement's columns.
struct StatementColumns {
  let names: [String]
  private let indices: [String: Int]

  init(_ statement: OpaquePointer) {
    names = (0..<sqlite3_column_count(statement)).map { index in
      sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
    }
    // Of two columns with one name, the first counts.
    indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The number of a column.
  ///
  /// - Parameter guess: The number that it probably has.
  func index(of name: String, guess: Int) -> Int? {
    if guess < names.count, names[guess] == name { return guess }
    return indices[name]
  }
}

// The values of the row that the statement is at. SQLite gives NULL for a column that the row does not have.
extension Statement {
  func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

  /// The number, if one is stored.
  func integer(_ column: Int) -> Int64? {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER ? sqlite3_column_int64(handle, Int32(column)) : nil
  }

  /// The number, if one is stored.
  func real(_ column: Int) -> Double? {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_FLOAT, SQLITE_INTEGER: sqlite3_column_double(handle, Int32(column))
    default: nil
    }
  }

  /// The text, if text is stored. Bytes that are not UTF-8 are replaced.
  func text(_ column: Int) -> String? {
    guard sqlite3_column_type(handle, Int32(column)) == SQLITE_TEXT else { return nil }
    guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The bytes, if bytes are stored.
  func blob(_ column: Int) -> [UInt8]? {
    guard sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB else { return nil }
    guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  func value(_ column: Int) -> DatabaseValue {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, Int32(column)))
    case SQLITE_FLOAT: .real(sqlite3_column_double(handle, Int32(column)))
    case SQLITE_TEXT: .text(text(column) ?? "")
    case SQLITE_BLOB: .blob(blob(column) ?? [])
    default: .null
    }
  }
}
