internal import CSQLite

/// The values of the row that a statement is at. SQLite gives NULL for a column that the row does not have.
///
/// A value is taken out of the row once, and looked at then: each function that takes a column finds it again.
struct ColumnValues {
  private let statement: OpaquePointer

  @inline(__always) init(_ statement: OpaquePointer) { self.statement = statement }

  @inline(__always) private func column(_ column: Int) -> OpaquePointer? {
    sqlite3_column_value(statement, Int32(column))
  }

  @inline(__always) func isNull(_ column: Int) -> Bool { sqlite3_value_type(self.column(column)) == SQLITE_NULL }

  /// The number, if one is stored.
  @inline(__always) func integer(_ column: Int) -> Int64? {
    let value = self.column(column)
    return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
  }

  /// The number, if one is stored.
  @inline(__always) func real(_ column: Int) -> Double? {
    let value = self.column(column)
    switch sqlite3_value_type(value) {
    case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_value_double(value)
    default: return nil
    }
  }

  /// The text, if text is stored. Bytes that are not UTF-8 are replaced.
  @inline(__always) func text(_ column: Int) -> String? {
    let value = self.column(column)
    return sqlite3_value_type(value) == SQLITE_TEXT ? Self.text(value) : nil
  }

  /// The bytes, if bytes are stored.
  func blob(_ column: Int) -> [UInt8]? {
    let value = self.column(column)
    return sqlite3_value_type(value) == SQLITE_BLOB ? [UInt8](Self.bytes(value)) : nil
  }

  func value(_ column: Int) -> DatabaseValue {
    let value = self.column(column)
    return switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: .real(sqlite3_value_double(value))
    case SQLITE_TEXT: .text(Self.text(value))
    case SQLITE_BLOB: .blob([UInt8](Self.bytes(value)))
    default: .null
    }
  }

  @inline(__always) private static func text(_ value: OpaquePointer?) -> String {
    String(decoding: bytes(value), as: UTF8.self)
  }

  /// The bytes of a blob, or those of text as UTF-8. The number is read first, which makes UTF-8 of text in another
  /// encoding; reading bytes and not text spares the copy that would have a zero at its end.
  @inline(__always) private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let count = Int(sqlite3_value_bytes(value))
    guard let start = sqlite3_value_blob(value) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: start, count: count)
  }
}

extension Statement {
  @inline(__always) var values: ColumnValues { ColumnValues(handle) }
}
