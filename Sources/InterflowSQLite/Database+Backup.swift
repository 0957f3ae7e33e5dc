internal import CSQLite

extension Database {
  /// Copies the database to a file, which it replaces if that is a database.
  ///
  /// The copy has one state of the database. Writes to a file go on meanwhile; those to a database in memory wait. The
  /// database's own file, and one that this process has open as immutable, give an error of the kind
  /// ``DatabaseError/Kind-swift.enum/misuse``.
  ///
  /// - Parameter path: The path of the copy. If this throws, there may be a part of a copy.
  public func backUp(to path: String) async throws {
    try await readers.run { try $0.backUp(to: path) }
  }

  /// Copies the database to a file, which it replaces if that is a database. Waits for it.
  @available(*, noasync, message: "await the method")
  public func backUp(to path: String) throws {
    try readers.runBlocking { try $0.backUp(to: path) }
  }
}

extension DatabaseConnection {
  fileprivate func backUp(to path: String) throws {
    guard case .file = try ConnectionConfiguration.Location(path: path) else {
      throw DatabaseError.misuse("a copy is made in a file: name one")
    }
    if let own = sqlite3_db_filename(handle, "main").flatMap({ FileIdentity(path: String(cString: $0)) }),
      own == FileIdentity(path: path)
    {
      throw DatabaseError.misuse("a database cannot be copied to its own file: \(path)")
    }
    var options = DatabaseOptions()
    options.statementCacheCapacity = 0
    let file = OpenedFile(path: path, options)
    defer { file.release() }
    try file.check(mayBeMissing: true)
    let copy = try Self.open(ConnectionConfiguration(location: .file(path), options: options, isWriter: true))
    defer { sqlite3_close_v2(copy) }
    installBusyHandler(on: copy)
    try prepareForPages(of: copy)
    _ = try read { _ in
      // The transaction sees one state from its first statement on.
      _ = try internalRows("SELECT count(*) FROM sqlite_master", columns: [0])
      guard let backup = sqlite3_backup_init(copy, "main", handle, "main") else {
        throw DatabaseError(sqlite3_extended_errcode(copy), copy, sql: nil)
      }
      var code = SQLITE_OK
      // In parts, so that a cancellation is seen.
      while code == SQLITE_OK, interruption?.isSet != true { code = sqlite3_backup_step(backup, 256) }
      sqlite3_backup_finish(backup)
      if code == SQLITE_OK { throw CancellationError() }
      guard code == SQLITE_DONE else { throw DatabaseError(code, copy, sql: nil) }
    }
  }

  /// A file with a write-ahead log keeps the size of its pages, so another mode is set where this size is not ours.
  private func prepareForPages(of copy: OpaquePointer) throws(DatabaseError) {
    guard try Self.pageSize(copy) != Self.pageSize(handle) else { return }
    let code = sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(code, copy, sql: nil) }
  }

  private static func pageSize(_ handle: OpaquePointer) throws(DatabaseError) -> Int32 {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, "PRAGMA page_size", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { throw DatabaseError(sqlite3_extended_errcode(handle), handle, sql: nil) }
    return sqlite3_column_int(statement, 0)
  }
}
