/// The values for the parameters of a statement, by position or by name.
///
/// A value is never part of the SQL, so nothing in it can change what the statement does.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO picture VALUES (?, ?)", arguments: [1, "Crab Nebula"])
/// try db.execute(sql: "DELETE FROM picture WHERE id = :id", arguments: ["id": 1])
/// ```
public struct DatabaseArguments: Sendable {
  enum Storage: Sendable {
    case positional([DatabaseArgument])
    case named([String: DatabaseArgument])
  }

  let storage: Storage

  /// Values by position: the first is for the parameter with the number 1.
  public init(_ values: [(any DatabaseConvertible)?]) {
    storage = .positional(values.map { DatabaseArgument($0) })
  }

  /// Values by name, without the character `:`, `@` or `$` of the parameter. Names without a parameter are ignored.
  public init(_ values: [String: (any DatabaseConvertible)?]) {
    storage = .named(values.mapValues { DatabaseArgument($0) })
  }

  /// The properties of a value as arguments by name: `id` is for the parameter `:id`.
  ///
  /// A property that is an array, a dictionary or another value of several parts is stored as JSON. Formats that the
  /// type chooses as ``DatabaseFormatted`` apply. Throws ``DatabaseError`` if a property cannot be stored in one column,
  /// or is a number that is `NaN`, which SQLite would store as `NULL`.
  public init(encoding value: some Encodable) throws(DatabaseError) {
    storage = .named(try ArgumentsEncoder.encode(value))
  }

  var isEmpty: Bool {
    switch storage {
    case .positional(let values): values.isEmpty
    case .named(let values): values.isEmpty
    }
  }
}

extension DatabaseArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Values by position.
  public init(arrayLiteral elements: (any DatabaseConvertible)?...) {
    self.init(elements)
  }

  /// Values by name. Of two values with one name, the last counts.
  public init(dictionaryLiteral elements: (String, (any DatabaseConvertible)?)...) {
    self.init(Dictionary(elements) { $1 })
  }
}
