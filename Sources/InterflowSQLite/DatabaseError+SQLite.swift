internal import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

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
    if let advice = Self.advice(extended, message) { message += "; \(advice)" }
    self.init(kind: Kind(code: extended), code: extended, message: message, sql: sql)
    if let handle, extended & 0xFF == SQLITE_CANTOPEN { systemError = sqlite3_system_errno(handle) }
  }

  /// What to do, where SQLite's message does not tell.
  private static func advice(_ code: Int32, _ message: String) -> String? {
    if code == SQLITE_LOCKED {
      return "a cursor of the same access still reads: let it come to its end, or release it, before"
    }
    if message.hasPrefix("unsafe use of ") {
      return "a function that was added is called by the schema, which its parameter `use` does not permit"
    }
    if message.hasPrefix("non-deterministic ") {
      return "a function that was added depends on its arguments alone only if its parameter `isDeterministic` says so"
    }
    return nil
  }

  /// Whether what failed can be had later: another process holds a lock for long, or a file that exists cannot be opened,
  /// because all file descriptors are in use. A permission that is missing does not come by itself.
  var isTransient: Bool {
    if kind == .locked { return true }
    guard kind == .other, code & 0xFF == SQLITE_CANTOPEN else { return false }
    return ![EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG].contains(systemError)
  }

  /// The error of a call that is wrong.
  static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(kind: .misuse, message: message, sql: sql)
  }

  /// The error of a savepoint that begins or ends beside the cursor of a statement that writes.
  static func unendedWrite(_ event: String, _ sql: String) -> DatabaseError {
    .misuse(
      "a savepoint \(event) while a statement that writes has not ended: take all rows of its cursor before", sql: sql)
  }

  /// The error of a read that writes.
  static func readOnly(_ sql: String) -> DatabaseError {
    DatabaseError(kind: .readOnly, code: SQLITE_READONLY, message: "a read must not change the database", sql: sql)
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
    case SQLITE_BUSY, SQLITE_PROTOCOL: self = .locked
    // The lock is one of the same connection, since none shares its cache.
    case SQLITE_LOCKED: self = code == SQLITE_LOCKED ? .misuse : .locked
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_FULL: self = .full
    case SQLITE_CONSTRAINT: self = .constraint
    case SQLITE_MISUSE, SQLITE_RANGE: self = .misuse
    default: self = .other
    }
  }
}
