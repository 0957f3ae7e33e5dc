/// An error of a database, with what SQLite says about it.
///
/// It contains the SQL of the statement, but never the values that were bound to it; except that a trigger can put them into
/// the message of its `RAISE`, which SQLite permits from version 3.47 on.
public struct DatabaseError: Error, Sendable {
  /// What went wrong, in the terms of a program that has to react.
  public enum Kind: Sendable, Hashable {
    /// Another connection holds a lock, for longer than the busy timeout.
    case locked
    /// The file is damaged, or is no database.
    case corrupt
    /// The database, or the access to it, permits no changes.
    case readOnly
    /// The disk is full, or the database has reached its maximum size.
    case full
    /// The file has been written by a newer version of the program: it has a migration that this one does not know.
    case newerSchema
    /// The path is that of a directory.
    case directory
    /// The file, or the directory that is to contain it, does not exist.
    case missing
    /// The file has been removed, or another one is in its place, since the database was opened. It is to be opened again.
    case replaced
    /// A constraint of the schema refuses the change.
    case constraint
    /// No row has the key of a record that is to be updated.
    case recordNotFound
    /// The database has been closed.
    case closed
    /// A value of a row, or a row, does not have the form that the type requires.
    case decoding
    /// The call itself is wrong: for example, the number of arguments is not that of the parameters.
    case misuse
    /// The closure of an observed query threw an error of another type, which is ``DatabaseError/underlying``.
    case query
    /// Any other error of SQLite; see ``DatabaseError/code``.
    case other
  }

  /// What went wrong.
  public let kind: Kind

  /// SQLite's extended result code; zero if the error is not from SQLite.
  public let code: Int32

  /// What SQLite says, or what this package says where SQLite has no words for it.
  public let message: String

  /// The SQL of the statement that failed, without the values of its parameters.
  public let sql: String?

  /// The error that the closure of an observed query threw, or that decoding a row threw.
  public let underlying: (any Error)?

  /// The system's error number, where a file cannot be opened; zero if it is not known.
  var systemError: Int32 = 0

  /// Makes an error.
  public init(
    kind: Kind, code: Int32 = 0, message: String, sql: String? = nil, underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.code = code
    self.message = message
    self.sql = sql
    self.underlying = underlying
  }
}

extension DatabaseError: CustomStringConvertible {
  /// The message, the code and the SQL.
  public var description: String {
    var text = message
    if code != 0 { text += " (SQLite \(code))" }
    if let sql { text += ", in: \(sql)" }
    return text
  }
}
