internal import CSQLite

/// The text of a statement, or a part of one, with the values that are bound to it.
///
/// Write it as a string literal. What is interpolated is bound to a parameter and never becomes a part of the text, so
/// nothing in a value can change what the statement does:
///
/// ```swift
/// let (ids, name) = ([1, 2, 3], "Crab Nebula")
/// let pictures = try db.fetchAll(
///   Picture.self, sql: "SELECT * FROM picture WHERE id IN (\(ids)) AND title = \(name)")
/// ```
///
/// A value that is ``DatabaseConvertible`` has one parameter, and is `NULL` if it is nil. A sequence of values has one
/// parameter for each, separated by commas; `IN (\(ids))` matches nothing if there are none. Bytes are one value. Names of
/// tables and columns are interpolated as ``SQLIdentifier``, and parts of statements as ``SQL``:
///
/// ```swift
/// let isRecent: SQL = "date > \(limit)"
/// let order = SQLIdentifier(sorting.column)
/// let titles = try db.fetchAll(
///   String.self, sql: "SELECT title FROM picture WHERE \(isRecent) ORDER BY \(order)")
/// ```
///
/// These are errors of the kind ``DatabaseError/Kind-swift.enum/misuse`` when the statement is used: a value inside quotes
/// or a comment, a part that ends inside of these, values beside parameters such as `?` or `:name`, and more values than
/// SQLite has parameters. Without interpolated values, parameters get theirs from ``DatabaseArguments``.
///
/// Text that a program has put together is SQL only where it says so, with ``init(verbatim:)``.
public struct SQL: Sendable {
  /// The text, with `?` for each value that is bound.
  public let text: String
  let values: [DatabaseArgument]
  /// Why it cannot be used.
  let problem: String?

  /// Makes SQL of a text, as it is. What comes from outside of the program must not be in it.
  public init(verbatim text: String) {
    self.init(text: text, values: [], problem: nil)
  }

  init(text: String, values: [DatabaseArgument], problem: String?) {
    self.text = text
    self.values = values
    self.problem = problem
  }

  /// One part after the other.
  public static func + (first: SQL, second: SQL) -> SQL { "\(first)\(second)" }

  /// The arguments for its parameters: the values that are bound to it, or those that are given.
  func arguments(or given: DatabaseArguments) throws(DatabaseError) -> DatabaseArguments {
    if let problem { throw .misuse(problem, sql: text) }
    if values.isEmpty { return given }
    guard given.isEmpty else {
      throw .misuse("a statement has interpolated values and arguments: interpolate all of them", sql: text)
    }
    return DatabaseArguments(positional: values)
  }
}

extension SQL: CustomStringConvertible {
  /// The text, without the values.
  public var description: String { text }
}

/// The name of a table or a column, which is quoted where it is interpolated in ``SQL``.
///
/// It is always a name: an unknown column is an error, where SQLite takes a name in double quotes for a text.
///
/// ```swift
/// let table = SQLIdentifier("order")
/// try db.execute(sql: "DELETE FROM \(table)")
/// ```
public struct SQLIdentifier: Sendable, Hashable {
  /// The name, without quotes.
  public let name: String

  /// Makes an identifier of any text.
  public init(_ name: String) {
    self.name = name
  }
}

extension DatabaseArguments {
  init(positional values: [DatabaseArgument]) {
    storage = .positional(values)
  }
}

extension DatabaseConnection {
  /// Prepares a statement for the access that runs.
  func statement(_ sql: SQL, _ given: DatabaseArguments) throws(DatabaseError) -> Statement {
    let arguments = try sql.arguments(or: given)
    // No SQLite has been built with fewer parameters than this.
    if sql.values.count > 999 {
      try requireUse(sql.text)
      let limit = Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
      guard sql.values.count <= limit else {
        throw .misuse(
          """
          \(sql.values.count) values are interpolated, but a statement has at most \(limit) parameters: use several \
          statements, or a table for the values
          """)
      }
    }
    return try statement(sql.text, arguments)
  }
}

extension String {
  /// The text as the name of a table or a column, whatever it contains. What is in double quotes would be a text for
  /// SQLite where there is no such column, and no error.
  var quotedAsIdentifier: String { quoted("`") }
}

extension StringProtocol {
  /// The text in quotes, each of which is doubled where the text has it.
  ///
  /// By bytes, as SQLite reads it: a quote with a combining mark behind it is another `Character`.
  func quoted(_ quote: Unicode.Scalar) -> String {
    let quote = UInt8(ascii: quote)
    var bytes = [quote]
    for byte in utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
  }
}
