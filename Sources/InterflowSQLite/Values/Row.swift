/// The row that a ``RowCursor`` is at. Valid until the cursor's next call, and until the access ends: using it later is
/// a programming error and traps; only ``decode(_:)`` throws.
///
/// It keeps the cursor. A column that does not exist is `NULL`. Each typed member returns `nil` if a value of another
/// type is stored; SQLite converts nothing.
public struct Row {
  private let cursor: RowCursor
  private let position: Int

  init(_ cursor: RowCursor, _ position: Int) {
    self.cursor = cursor
    self.position = position
  }

  private var statement: Statement { cursor.statement(at: position) }
  @inline(__always) private var values: ColumnValues { cursor.values(at: position) }

  /// The number of columns.
  public var count: Int { statement.columns.names.count }

  /// The value of a column by its number, which begins at zero.
  public func value(_ column: Int) -> DatabaseValue { values.value(column) }

  /// The value of a column by its name; `nil` if there is no such column.
  public func value(named name: String) -> DatabaseValue? {
    let statement = statement
    return statement.columns.index(of: name, guess: 0).map { statement.values.value($0) }
  }

  /// Whether a column is `NULL`.
  public func isNull(_ column: Int) -> Bool { values.isNull(column) }

  /// The number in a column.
  public func integer(_ column: Int) -> Int64? { values.integer(column) }

  /// The number in a column, also a whole one.
  public func real(_ column: Int) -> Double? { values.real(column) }

  /// The text in a column.
  public func text(_ column: Int) -> String? { values.text(column) }

  /// The bytes in a column.
  public func blob(_ column: Int) -> [UInt8]? { values.blob(column) }

  /// The row as a value of a type, as ``DatabaseConnection/fetchAll(_:sql:arguments:)`` decodes it.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(DatabaseError) -> Value {
    try cursor.decode(type, at: position)
  }
}
