internal import CSQLite
import Synchronization

#if INTERFLOW_FOUNDATION
  import Foundation
#endif

/// Decodes the rows of a statement.
///
/// One object decodes all rows of a query, and a property looks first at the column after that of the property before,
/// so that hardly any name is searched for.
///
/// A type that is decoded can keep the decoder and its containers, and use them at any time on any thread. They read the
/// statement only on the thread that decodes a row, while it does.
final class RowDecoder: Decoder {
  // Who decodes retains it.
  private unowned(unsafe) let statement: Statement
  let sql: String
  let columns: StatementColumns
  private let dateFormat: DatabaseFormats.DateFormat
  private let missingColumnsOption: DatabaseOptions.MissingColumns
  /// A record that lacks a column would be saved with `NULL` there.
  var missingColumns: DatabaseOptions.MissingColumns { rowConvertible.isRecord ? .throw : missingColumnsOption }
  /// To be read only after ``requireDecoding()``.
  let values: ColumnValues
  /// The thread that decodes a row; zero between two.
  private let decodingThread = Atomic<UInt>(0)
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The column that the next property probably has.
  var nextColumn = 0
  /// Whether the row has been decoded as the value of its first column.
  private var isOneColumn = false
  /// Whether the type of a whole row, and of each column, is stored in one column, as it was found for the row before:
  /// finding out takes longer than decoding.
  private var rowConvertible = KnownType()
  private var convertibles: [KnownType]
  /// The type of a whole row, if it chooses formats of columns.
  private var rowFormatted: (any DatabaseFormatted.Type)?
  /// The properties that have several columns each, as they were found for the row before.
  private var nested: [String: RowDecoder?] = [:]
  /// How the names begin of all columns that are decoded, for messages.
  let prefix: String
  /// The first column that is decoded.
  private let firstColumn: Int

  private struct KnownType {
    var type: ObjectIdentifier?
    var convertible: (any DatabaseConvertible.Type)?
    var isRecord = false

    @inline(__always) mutating func convertible<Value>(_ type: Value.Type) -> (any DatabaseConvertible.Type)? {
      if self.type != ObjectIdentifier(type) {
        self.type = ObjectIdentifier(type)
        convertible = type as? any DatabaseConvertible.Type
        isRecord = type is any DatabaseRecord.Type
      }
      return convertible
    }
  }

  /// - Parameter statement: A statement that has taken its first step: before, its columns may be those of an older
  ///   schema.
  init(_ statement: Statement, _ options: DatabaseOptions) {
    missingColumnsOption = options.missingColumns
    dateFormat = options.formats.date
    self.statement = statement
    sql = statement.sql
    columns = statement.columns
    values = statement.values
    // One more, for a column that a row does not have.
    convertibles = Array(repeating: KnownType(), count: columns.names.count + 1)
    prefix = ""
    firstColumn = 0
  }

  /// Decodes a property that has several columns.
  private init(_ row: RowDecoder, _ key: String, _ columns: StatementColumns) {
    missingColumnsOption = row.missingColumnsOption
    dateFormat = row.dateFormat
    statement = row.statement
    sql = row.sql
    self.columns = columns
    values = row.values
    convertibles = Array(repeating: KnownType(), count: columns.names.count + 1)
    prefix = row.prefix + key + "."
    firstColumn = columns.indicesOfValues.first ?? 0
  }

  /// The decoder of a property that has no column of its name, but columns whose names begin with it and a period.
  func nested(_ key: String) -> RowDecoder? {
    if let known = nested[key] { return known }
    let decoder = columns.nested(key).map { RowDecoder(self, key, $0) }
    nested[key] = .some(decoder)
    return decoder
  }

  /// Whether all columns are `NULL`, as those of a table to which an outer join has found no row.
  var isAllNull: Bool { columns.indicesOfValues.allSatisfy { values.isNull($0) } }

  /// Decodes the row that the statement is at.
  func decode<Value: Decodable>(_ type: Value.Type) throws(DatabaseError) -> Value {
    decodingThread.store(interflow_current_thread(), ordering: .relaxed)
    defer { decodingThread.store(0, ordering: .relaxed) }
    nextColumn = firstColumn
    isOneColumn = false
    do {
      if rowConvertible.type != ObjectIdentifier(type) { rowFormatted = type as? any DatabaseFormatted.Type }
      if let convertible = rowConvertible.convertible(type) { return try convert(firstColumn, type, convertible, nil) }
      return try type.init(from: self)
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw undecodable(isOneColumn ? column(firstColumn) : "a row", type, error)
    }
  }

  /// The error for a type that cannot be made of what was decoded.
  private func undecodable<Value>(_ subject: String, _ type: Value.Type, _ error: any Error) -> DatabaseError {
    DatabaseError(
      kind: .decoding, message: "\(subject) cannot be decoded as \(type): \(Self.reason(error))", sql: sql,
      underlying: error)
  }

  /// How messages refer to a column.
  private func column(_ column: Int) -> String {
    "the column " + (column < columns.names.count ? columns.names[column] : "\(column)")
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

  /// Whether this thread decodes a row now.
  @inline(__always) var isDecoding: Bool { decodingThread.load(ordering: .relaxed) == interflow_current_thread() }

  @inline(__always) func requireDecoding() throws(DatabaseError) {
    guard isDecoding else { throw lateUse }
  }

  private var lateUse: DatabaseError {
    .misuse("a decoder is used after the row has been decoded, or on another thread: decode in init(from:)", sql: sql)
  }

  /// The column of a property.
  @inline(__always) func column(_ key: some CodingKey) throws(DatabaseError) -> Int? {
    try requireDecoding()
    return column(named: key.stringValue)
  }

  private func column(named name: String) -> Int? {
    guard let column = columns.index(of: name, guess: nextColumn) else { return nil }
    nextColumn = column + 1
    return column
  }

  /// Makes a value of a column.
  private func convert<Value>(
    _ column: Int, _ type: Value.Type, _ convertible: any DatabaseConvertible.Type, _ property: String?
  ) throws(DatabaseError) -> Value {
    #if INTERFLOW_FOUNDATION
      if type == Date.self, let date = try date(column, property) as? Value { return date }
    #endif
    guard let value = convertible.init(databaseValue: values.value(column)) as? Value
    else { throw mismatch(column, "\(type)") }
    return value
  }

  /// Decodes a value that is stored in one column.
  ///
  /// - Parameter property: The name of the property that it is, for formats.
  func decodeColumn<Value: Decodable>(_ column: Int, _ type: Value.Type, _ property: String?) throws -> Value {
    let known = min(column, convertibles.count - 1)
    if let convertible = convertibles[known].convertible(type) {
      return try convert(column, type, convertible, property)
    }
    do {
      return try type.init(from: ColumnDecoder(row: self, column: column, property: property))
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw undecodable(self.column(column), type, error)
    }
  }

  #if INTERFLOW_FOUNDATION
    /// A date, in the format of its property.
    private func date(_ column: Int, _ property: String?) throws(DatabaseError) -> Date {
      let formats = property.flatMap { rowFormatted?.formats(forColumn: $0) }
      let value = values.value(column)
      if let date = Date(value, formats?.date ?? dateFormat) { return date }
      guard case .text(let text) = value else { throw mismatch(column, "\(Date.self)") }
      let advice =
        Double(text) == nil
        ? ""
        : "; a column with the type TEXT keeps numbers as text: store dates there with DatabaseFormats.date = .text"
      throw DatabaseError(
        kind: .decoding,
        message: """
          \(self.column(column)) holds text that is no date: expected is the form 2026-11-25 19:30:41.5, or \
          2026-11-25T19:30:41Z, or with an offset as +01:00 instead of UTC\(advice)
          """, sql: sql)
    }
  #endif

  // Of one type each, so that a container, whose keys' type is known only at run time, need not look for anything.

  @inline(__always) func integer<Number: FixedWidthInteger>(_ column: Int) throws(DatabaseError) -> Number {
    guard let integer = values.integer(column), let number = Number(exactly: integer) else {
      throw mismatch(column, "\(Number.self)")
    }
    return number
  }

  func text(_ column: Int) throws(DatabaseError) -> String {
    guard let text = values.text(column) else { throw mismatch(column, "\(String.self)") }
    return text
  }

  func real(_ column: Int) throws(DatabaseError) -> Double {
    guard let number = values.real(column) else { throw mismatch(column, "\(Double.self)") }
    return number
  }

  /// The error for a column that holds something else. It does not contain the value.
  @inline(never)
  func mismatch(_ column: Int, _ type: String) -> DatabaseError {
    DatabaseError(
      kind: .decoding,
      message: "\(self.column(column)) holds \(values.value(column).typeName), which cannot be decoded as \(type)",
      sql: sql)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(self))
  }

  /// An array that is in the first column.
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if isDecoding { isOneColumn = true }
    return try ColumnDecoder(row: self, column: firstColumn, property: nil).unkeyedContainer()
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    if isDecoding { isOneColumn = true }
    return ColumnDecoder(row: self, column: firstColumn, property: nil)
  }
}
