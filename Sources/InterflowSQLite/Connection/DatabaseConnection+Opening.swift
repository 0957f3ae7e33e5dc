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

extension DatabaseConnection {
  /// Opens the file, or a new database in memory.
  static func open(_ configuration: ConnectionConfiguration) throws(DatabaseError) -> OpaquePointer {
    // The pool gives a connection to one thread at a time, so SQLite need not lock it again.
    var flags = SQLITE_OPEN_NOMUTEX
    let path: String
    switch configuration.location {
    case .memory:
      path = ":memory:"
      // Without the flag for memory, which would be that of a copy too that `VACUUM INTO` makes.
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .file(let file):
      guard !file.utf8.contains(0) else { throw .misuse("a path must not contain a zero byte") }
      // A path that SQLite would take for something else than a file.
      let absolute = file.utf8.first == UInt8(ascii: "/") ? file : "./" + file
      if configuration.options.isImmutable {
        try requireImmutable(file, configuration.options)
        flags |= SQLITE_OPEN_URI
        path = "file:\(percentEncoded(absolute))?immutable=1"
      } else {
        path = absolute
      }
      if configuration.options.isReadOnly {
        flags |= SQLITE_OPEN_READONLY
      } else {
        flags |= SQLITE_OPEN_READWRITE
        if configuration.options.createsFile, configuration.isWriter { flags |= SQLITE_OPEN_CREATE }
      }
    }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    if code == SQLITE_OK, let handle {
      guard configuration.options.isReadOnly || sqlite3_db_readonly(handle, "main") == 0 else {
        sqlite3_close_v2(handle)
        throw DatabaseError(kind: .readOnly, code: SQLITE_READONLY, message: "the file is read-only: \(path)")
      }
      return handle
    }
    let error = DatabaseError(code, handle, sql: nil)
    sqlite3_close_v2(handle)
    guard case .file(let file) = configuration.location else { throw error }
    throw explained(error, file)
  }

  private static func requireImmutable(_ path: String, _ options: DatabaseOptions) throws(DatabaseError) {
    guard options.isReadOnly else { throw .misuse("a file that is immutable must be opened as read-only: \(path)") }
    var status = stat()
    // They are beside the file, and not beside a link to it.
    let path = target(of: path)
    // SQLite would not look at it.
    guard stat(path + "-wal", &status) != 0 || status.st_size == 0 else {
      throw .misuse("a file that is immutable must not have a write-ahead log: \(path)-wal")
    }
    guard !isHotJournal(path + "-journal") else {
      throw .misuse("a file that is immutable must not have a transaction to roll back: \(path)-journal")
    }
  }

  /// The path without symbolic links, if it leads to a file.
  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether a journal is that of a transaction which has not ended. After one, SQLite removes the file, empties it, or
  /// writes zeros to its beginning.
  private static func isHotJournal(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return false }
    guard let file = fopen(path, "rb") else { return true }
    defer { fclose(file) }
    return fgetc(file) != 0
  }

  private static func percentEncoded(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  /// Says why a file cannot be opened, which SQLite does not tell apart.
  private static func explained(_ error: DatabaseError, _ path: String) -> DatabaseError {
    guard error.code & 0xFF == SQLITE_CANTOPEN else { return error }
    if let kind = kind(ofFile: path) {
      guard kind == .directory else {
        var explained = DatabaseError(kind: .other, code: error.code, message: "\(error.message): \(path)")
        explained.systemError = error.systemError
        return explained
      }
      return DatabaseError(kind: .directory, code: error.code, message: "this is a directory: \(path)")
    }
    return DatabaseError(kind: .missing, code: error.code, message: "there is no such file: \(path)")
  }

  private enum FileKind {
    case directory
    case other
  }

  private static func kind(ofFile path: String) -> FileKind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
  }
}
