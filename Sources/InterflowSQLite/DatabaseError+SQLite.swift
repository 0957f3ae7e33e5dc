internal import CSQLite

extension DatabaseError {
  /// The error that SQLite has just reported.
  ///
  /// - Parameter hidesMessage: Whether only the general meaning of the code is given, because the message may quote a
  ///   bound value, as that of a full-text query does.
  init(_ code: Int32, _ handle: OpaquePointer?, sql: String?, hidesMessage: Bool = false) {
    var extended = code
    var message = String(cString: sqlite3_errstr(code))
    if let handle {
      let last = sqlite3_extended_errcode(handle)
      if last & 0xFF == code & 0xFF { extended = last }
      if !hidesMessage, sqlite3_errcode(handle) & 0xFF == code & 0xFF {
        message = String(cString: sqlite3_errmsg(handle))
      }
    }
    self.init(kind: Kind(code: extended), code: extended, message: message, sql: sql)
  }

  /// The error of a call that is wrong.
  static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(kind: .misuse, message: message, sql: sql)
  }

  /// The error of a function or a collation that uses the connection which calls it.
  static func reentrance(_ sql: String?) -> DatabaseError {
    .misuse("the connection is used by a function or a collation that it calls: pass it what it needs", sql: sql)
  }

  static var closed: DatabaseError { DatabaseError(kind: .closed, message: "the database has been closed") }
}

extension DatabaseError.Kind {
  /// - Parameter code: A result code of SQLite, extended or not.
  init(code: Int32) {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .locked
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_FULL: self = .full
    case SQLITE_CONSTRAINT: self = .constraint
    case SQLITE_MISUSE, SQLITE_RANGE: self = .misuse
    default: self = .other
    }
  }
}
