internal import CSQLite

/// A prepared statement.
final class Statement {
  let sql: String
  let footprint: Footprint
  /// Whether running it cannot change the database.
  let isReadOnly: Bool
  let parameterCount: Int32
  let handle: OpaquePointer
  private let database: OpaquePointer
  private let authorizer: Authorizer
  private var knownColumns: StatementColumns?
  /// How often SQLite had compiled it again when ``knownColumns`` was made.
  private var knownCompilations: Int32 = 0
  // Its neighbours in the cache, which retains them.
  unowned(unsafe) var newer: Statement?
  unowned(unsafe) var older: Statement?
  /// Measures it, where that is wanted.
  var trace: StatementTrace?
  /// The access that uses it; zero if it is in the cache.
  var access = 0
  /// The key of the only row that it reads or writes, of a record's table, if that is known.
  var row: Int64?
  /// How many rows the connection had changed when the access began to use it.
  var changeCount: Int32 = 0
  /// Whether what it has written has been rolled back before it had ended. To go on would be to write again.
  var isRolledBack = false
  /// Whether a step has failed, and has thrown that.
  private var hasFailed = false
  /// The schema when the access began to use it, if it may find that there is nothing to create.
  var schemaBefore: SchemaVersion?

  /// Prepares the first statement of a text.
  ///
  /// - Returns: The statement, and the number of bytes after it; no statement if there is only white space or comments.
  static func prepare(
    _ sql: String, on database: OpaquePointer, _ authorizer: Authorizer, isTracked: Bool = true
  ) throws(DatabaseError) -> (statement: Statement?, rest: Int) {
    guard !sql.utf8.contains(0) else { throw .misuse("SQL must not contain a zero byte", sql: sql) }
    let footprint = Footprint(sql: sql)
    authorizer.footprint = isTracked ? footprint : nil
    defer { authorizer.footprint = nil }
    var handle: OpaquePointer?
    var rest = 0
    var text = sql
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        guard let start = bytes.baseAddress, bytes.count < Int32.max else {
          return bytes.isEmpty ? SQLITE_OK : SQLITE_TOOBIG
        }
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          database, start, Int32(bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
        rest = tail.map { start + bytes.count - $0 } ?? 0
        return code
      }
    }
    guard code == SQLITE_OK else { throw authorizer.error(code, database, sql: sql) }
    guard let handle else { return (nil, rest) }
    return (Statement(handle, database, authorizer, footprint), rest)
  }

  init(
    _ handle: OpaquePointer, _ database: OpaquePointer, _ authorizer: Authorizer, _ footprint: Footprint
  ) {
    self.handle = handle
    self.database = database
    self.authorizer = authorizer
    self.footprint = footprint
    sql = footprint.sql
    isReadOnly = sqlite3_stmt_readonly(handle) != 0
    parameterCount = sqlite3_bind_parameter_count(handle)
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// The columns' names and their numbers. After a change of the schema, they are the new ones only when the first
  /// step has been taken, in which SQLite compiles the statement again.
  var columns: StatementColumns {
    let compilations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    if let knownColumns, knownCompilations == compilations { return knownColumns }
    let columns = StatementColumns(handle)
    knownColumns = columns
    knownCompilations = compilations
    return columns
  }

  // MARK: Running

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  @inline(__always) func step() throws(DatabaseError) -> Bool {
    trace == nil ? try stepUntraced() : try stepTraced()
  }

  private func stepTraced() throws(DatabaseError) -> Bool {
    let begin = ContinuousClock.now
    do {
      let hasRow = try stepUntraced()
      trace?.stepped(since: begin, error: nil)
      return hasRow
    } catch {
      trace?.stepped(since: begin, error: error)
      throw error
    }
  }

  private func stepUntraced() throws(DatabaseError) -> Bool {
    guard !authorizer.isRunning else { throw .reentrance(sql) }
    authorizer.footprint = footprint
    authorizer.isRunning = true
    if authorizer.functionFailure != nil { authorizer.functionFailure = nil }
    let code = sqlite3_step(handle)
    authorizer.isRunning = false
    authorizer.footprint = nil
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      hasFailed = true
      throw error(code)
    }
  }

  private func error(_ code: Int32) -> DatabaseError {
    authorizer.error(code, database, sql: sql, hidesMessage: parameterCount > 0 && Self.quotesValues(code))
  }

  /// Whether SQLite's message can quote a value: a path of JSON or a term of a full-text query, or the path of a file.
  private static func quotesValues(_ code: Int32) -> Bool {
    code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_CANTOPEN
  }

  /// Whether it has begun to write, and has not ended.
  var isWriting: Bool { !isReadOnly && sqlite3_stmt_busy(handle) != 0 }

  /// Ends it for good, as far as its cursor is concerned.
  func endByRollback() {
    sqlite3_reset(handle)
    isRolledBack = true
  }

  /// Ends it, so that it can run again, and releases what is bound.
  ///
  /// - Returns: What fails if it writes and not all of its rows have been taken: outside a transaction, this commits.
  @discardableResult
  func reset() -> DatabaseError? {
    let wasWriting = isWriting
    let code = sqlite3_reset(handle)
    // SQLite repeats what a step has failed with.
    let failure = wasWriting && !hasFailed && code != SQLITE_OK ? error(code) : nil
    hasFailed = false
    reportTrace()
    if parameterCount > 0 { sqlite3_clear_bindings(handle) }
    return failure
  }

  /// Reports what has been measured.
  func reportTrace() {
    guard let trace = trace.take() else { return }
    authorizer.whileRunning { trace.report(sql) }
  }

  // MARK: Parameters

  func bind(
    _ arguments: DatabaseArguments, _ formats: DatabaseFormats = DatabaseFormats()
  ) throws(DatabaseError) {
    switch arguments.storage {
    case .positional(let values):
      guard values.count == Int(parameterCount) else {
        throw .misuse("the statement has \(parameterCount) parameters, but \(values.count) arguments", sql: sql)
      }
      for (index, value) in values.enumerated() { try bind(value.value(formats), at: Int32(index + 1)) }
    case .named(let values):
      for index in 0..<parameterCount {
        guard let name = sqlite3_bind_parameter_name(handle, index + 1) else {
          throw .misuse("the parameter \(index + 1) has no name", sql: sql)
        }
        // Without the character that marks it as a parameter.
        let key = String(cString: name + 1)
        guard let value = values[key] else { throw .misuse("no argument for the parameter \(key)", sql: sql) }
        try bind(value.value(formats), at: index + 1)
      }
    }
  }

  private func bind(_ value: DatabaseValue, at index: Int32) throws(DatabaseError) {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, index)
    case .integer(let number): code = sqlite3_bind_int64(handle, index, number)
    case .real(let number): code = sqlite3_bind_double(handle, index, number)
    case .text(var text):
      code = text.withUTF8 { bytes in
        // SQLite takes a null pointer for NULL.
        guard let start = bytes.baseAddress else { return interflow_bind_text(handle, index, "", 0) }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          interflow_bind_text(handle, index, $0, UInt64(bytes.count))
        }
      }
    case .blob(let blob):
      code = blob.withUnsafeBytes { bytes in
        bytes.count == 0
          ? sqlite3_bind_zeroblob(handle, index, 0)
          : interflow_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
      }
    }
    guard code == SQLITE_OK else { throw DatabaseError(code, database, sql: sql) }
  }
}
