// Rows that are the value of their first column. What they have in common with other rows, such as the search for a
// column, would take longer than to read the value.

#if INTERFLOW_FOUNDATION
  import Foundation
#endif

extension DatabaseConnection {
  /// All rows from the one on that a statement is at; `nil` for a type that is decoded in another way.
  func firstColumn<Row: Decodable>(
    _ type: Row.Type, _ statement: Statement, _ convertible: any DatabaseConvertible.Type
  ) throws(DatabaseError) -> [Row]? {
    // Of one type each, which the compiler knows; an array of which is one of `Row` without a conversion of its elements.
    let rows: Any
    if type == Int.self {
      rows = try values(statement, type) { $0.integer(0).flatMap { Int(exactly: $0) } }
    } else if type == Int64.self {
      rows = try values(statement, type) { $0.integer(0) }
    } else if type == String.self {
      rows = try values(statement, type) { $0.text(0) }
    } else if type == Double.self {
      rows = try values(statement, type) { $0.real(0) }
    } else if isInAFormat(type) {
      return nil
    } else {
      rows = try convertedValues(statement, convertible)
    }
    return rows as? [Row]
  }

  /// The row that a statement is at; `nil` for a type that is decoded in another way.
  func firstColumnOfRow<Row: Decodable>(
    _ type: Row.Type, _ statement: Statement, _ convertible: any DatabaseConvertible.Type
  ) throws(DatabaseError) -> Row? {
    if isInAFormat(type) { return nil }
    let values = statement.values
    let value: Any? =
      if type == Int.self {
        values.integer(0).flatMap { Int(exactly: $0) }
      } else if type == String.self {
        values.text(0)
      } else {
        convertible.init(databaseValue: values.value(0))
      }
    guard let value = value as? Row else { throw mismatch(statement, type) }
    return value
  }

  /// Whether a value is read in the format of the database.
  private func isInAFormat(_ type: Any.Type) -> Bool {
    #if INTERFLOW_FOUNDATION
      type == Date.self
    #else
      false
    #endif
  }

  @inline(__always) private func values<Value>(
    _ statement: Statement, _ type: Any.Type, _ value: (ColumnValues) -> Value?
  ) throws(DatabaseError) -> [Value] {
    let values = statement.values
    var rows: [Value] = []
    repeat {
      guard let value = value(values) else { throw mismatch(statement, type) }
      rows.append(value)
    } while try statement.step()
    return rows
  }

  private func convertedValues<Value: DatabaseConvertible>(
    _ statement: Statement, _ type: Value.Type
  ) throws(DatabaseError) -> [Value] {
    try values(statement, type) { Value(databaseValue: $0.value(0)) }
  }

  @inline(never) private func mismatch(_ statement: Statement, _ type: Any.Type) -> DatabaseError {
    RowDecoder(statement, options).mismatch(0, "\(type)")
  }
}
