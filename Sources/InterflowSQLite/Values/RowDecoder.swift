/// Decodes the rows of a statement.
///
/// One object decodes all rows of a query, and a property looks first at the column after that of the property before,
/// so that hardly any name is searched for.
final class RowDecoder: Decoder {
  let statement: Statement
  let columns: StatementColumns
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The column that the next property probably has.
  var nextColumn = 0

  /// - Parameter statement: A statement that has taken its first step: before, its columns may be those of an older
  ///   schema.
  init(_ statement: Statement) {
    self.statement = statement
    columns = statement.columns
  }

  /// Decodes the row that the statement is at.
  func decode<Value: Decodable>(_ type: Value.Type) throws(DatabaseError) -> Value {
    nextColumn = 0
    do {
      if type is any DatabaseConvertible.Type { return try convert(0, type) }
      return try type.init(from: self)
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw DatabaseError(
        kind: .decoding, message: "a row cannot be decoded as \(type): \(Self.reason(error))", sql: statement.sql,
        underlying: error)
    }
  }

  /// What an error is about, without its own words, which may quote a value.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(Swift.type(of: error))" }
    let (reason, context) =
      switch error {
      case .typeMismatch(_, let context): ("a value has another type", context)
      case .valueNotFound(_, let context): ("a value is missing", context)
      case .keyNotFound(_, let context): ("a key is missing", context)
      case .dataCorrupted(let context): ("the data are corrupted", context)
      @unknown default: ("\(DecodingError.self)", DecodingError.Context(codingPath: [], debugDescription: ""))
      }
    if context.codingPath.isEmpty { return reason }
    return reason + ", at " + context.codingPath.map(\.stringValue).joined(separator: ".")
  }

  /// The column of a property.
  func column(_ key: some CodingKey) -> Int? {
    let name = key.stringValue
    guard let column = columns.index(of: name, guess: nextColumn) else { return nil }
    nextColumn = column + 1
    return column
  }

  /// Makes a value of a column.
  func convert<Value>(_ column: Int, _ type: Value.Type) throws(DatabaseError) -> Value {
    guard let convertible = type as? any DatabaseConvertible.Type,
      let value = convertible.init(databaseValue: statement.value(column)) as? Value
    else { throw mismatch(column, type) }
    return value
  }

  /// Decodes a value that is stored in one column.
  func decodeColumn<Value: Decodable>(_ column: Int, _ type: Value.Type) throws -> Value {
    if type is any DatabaseConvertible.Type { return try convert(column, type) }
    return try type.init(from: ColumnDecoder(row: self, column: column))
  }

  /// The error for a column that holds something else. It does not contain the value.
  @inline(never)
  func mismatch<Value>(_ column: Int, _ type: Value.Type) -> DatabaseError {
    let name = column < columns.names.count ? columns.names[column] : "\(column)"
    return DatabaseError(
      kind: .decoding,
      message: "the column \(name) holds \(statement.value(column).typeName), which cannot be decoded as \(type)",
      sql: statement.sql)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DatabaseError(kind: .decoding, message: "a row is no array", sql: statement.sql)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ColumnDecoder(row: self, column: 0) }
}
