internal import CSQLite

/// One connection to a database, for the duration of an access.
///
/// The closure of a read or a write of ``Database`` receives it. It is valid until the closure returns, on the thread that
/// runs the closure. Each use outside is refused before it reaches SQLite: methods throw an error of the kind
/// ``DatabaseError/Kind-swift.enum/misuse``, and the two properties, which cannot throw, trap.
public final class DatabaseConnection {
  let handle: OpaquePointer
  let authorizer = Authorizer()
  private var cache: StatementCache
  /// Those of the package itself that are used again and again, by their SQL.
  var internalStatements: [String: Statement] = [:]
  /// What observed reads have found out.
  var knowledge = SchemaKnowledge()
  /// Ends the work that runs with the connection. The progress handler reads it, and it calls
  /// `sqlite3_interrupt` when it is set.
  var interruption: Interruption? {
    didSet {
      oldValue?.detach()
      interruption?.attach(handle)
    }
  }
  /// Ends the wait for a lock of a commit, in which no statement is interrupted any more.
  var commitInterruption: Interruption?
  /// The state of the access that runs.
  var access = ConnectionAccess()
  /// Says whether a thread is inside that access. It outlives the connection, for cursors that do.
  let identity = AccessIdentity()
  private var isClosed = false
  /// How many savepoints are open.
  var savepointCount = 0
  /// What the commit of a statement has failed with whose cursor was given up. The access throws it when it ends.
  var unreportedFailure: DatabaseError?
  /// What is done after the commit.
  var commitActions = CommitActions()
  /// The tables of records that have been used.
  var recordTables = RecordTables()
  /// Whether a read runs inside another access, and without a transaction.
  var isReadWithoutTransaction = false
  /// What is compared before each write.
  let file: OpenedFile?
  let options: DatabaseOptions
  /// What traces name it.
  let source: String
  /// In milliseconds.
  private let busyTimeout: Int64
  /// How often a delay has been slept through for the lock that was waited for last.
  private var waits: Int32 = 0
  /// How many of these were slept through before SQLite began to count its attempts, where a statement is tried again.
  private var earlierWaits: Int32 = 0

  /// Opens a connection.
  ///
  /// - Parameter interruption: What ends the opening, which can wait for a lock.
  init(_ configuration: ConnectionConfiguration, _ interruption: Interruption) throws {
    file = configuration.file
    source = file?.path ?? ":memory:"
    // Before SQLite changes anything. The writer is the first connection, and may have to make the file.
    try file?.check(mayBeMissing: configuration.isWriter)
    handle = try Self.open(configuration)
    cache = StatementCache(capacity: configuration.options.statementCacheCapacity)
    let (seconds, attoseconds) = configuration.options.busyTimeout.components
    // For ever, where that is longer than a number can say.
    busyTimeout = min(max(0, seconds), Int64.max / 2_000) * 1_000 + max(0, attoseconds) / 1_000_000_000_000_000
    options = configuration.options
    self.interruption = interruption
    interruption.attach(handle)
    try prepareConnection(configuration)
    try file?.check()
  }

  deinit {
    close()
  }

  /// Closes the connection, whoever still has a reference. For the thread to which the pool has given it.
  func close() {
    if isClosed { return }
    isClosed = true
    interruption?.detach()
    access.abandon()
    cache.removeAll()
    internalStatements = [:]
    // SQLite may call these while it closes.
    sqlite3_busy_handler(handle, nil, nil)
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_set_authorizer(handle, nil, nil)
    sqlite3_close_v2(handle)
  }

  private func prepareConnection(_ configuration: ConnectionConfiguration) throws {
    sqlite3_extended_result_codes(handle, 1)
    _ = interflow_set_defensive(handle, 1)
    installBusyHandler(on: handle)
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      handle, 1_000,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<DatabaseConnection>.fromOpaque(context).takeUnretainedValue()
        return connection.interruption?.isSet == true ? 1 : 0
      }, context)
    authorizer.install(on: handle)
    try internalExecute("PRAGMA foreign_keys = ON")
    if !options.trustsSchema { try internalExecute("PRAGMA trusted_schema = OFF") }
    // Before what the program prepares, which may set it too.
    sqlite3_wal_autocheckpoint(handle, Int32(clamping: options.checkpointPageCount))
    if let prepare = configuration.options.prepare { try prepareAccess(prepare) }
    if configuration.isWriter, !configuration.options.isReadOnly, case .file = configuration.location {
      try setJournalMode(configuration.options)
    }
    // Nothing has been read of the file before; now it is known whether it is a database.
    _ = try internalRows("SELECT count(*) FROM sqlite_master", columns: [0])
  }

  private func setJournalMode(_ options: DatabaseOptions) throws(DatabaseError) {
    switch options.journalMode {
    case .wal:
      // Where the file system has no shared memory, SQLite keeps another mode, and says so in a row only.
      let mode = try journalMode("PRAGMA journal_mode = WAL")
      guard mode == .text("wal") else {
        throw DatabaseError(
          kind: .other, message: "SQLite cannot keep a write-ahead log beside this file, so reads would wait for writes"
        )
      }
    case .rollback: _ = try journalMode("PRAGMA journal_mode = DELETE")
    }
  }

  /// Where another connection is about to write, SQLite does not ask the busy handler, since it has the lock of a read by
  /// then. Where another one has the file for itself, it does.
  private func journalMode(_ sql: String) throws(DatabaseError) -> DatabaseValue? {
    waits = 0
    defer { earlierWaits = 0 }
    while true {
      do throws(DatabaseError) {
        return try internalRows(sql, columns: [0]).first?.first
      } catch {
        earlierWaits = waits
        guard error.kind == .locked, waitForLock(0) else { throw error }
        earlierWaits = waits
      }
    }
  }

  /// Has a connection, this one or one that is used for its work, wait for locks until the work is to be ended.
  func installBusyHandler(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { context, attempts in
        guard let context else { return 0 }
        return Unmanaged<DatabaseConnection>.fromOpaque(context).takeUnretainedValue().waitForLock(attempts) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Waits a little for a lock of another connection.
  ///
  /// - Returns: Whether to try again.
  private func waitForLock(_ attempts: Int32) -> Bool {
    let attempts = earlierWaits + attempts
    guard (interruption ?? commitInterruption)?.isSet != true else { return false }
    // Quick at first, then every 50 ms. The delays are added up, which needs no clock.
    let doublings = min(Int64(attempts), 6)
    let delay: Int64 = min(50, 1 << doublings)
    let waited: Int64 = (1 << doublings) - 1 + (Int64(attempts) - doublings) * 50
    guard waited < busyTimeout else { return false }
    options.waitsForLock?()
    sqlite3_sleep(Int32(min(delay, busyTimeout - waited)))
    waits = attempts + 1
    return true
  }

  // MARK: Accesses

  /// Begins an access: statements run, and those that do are recorded.
  func begin(_ mode: ConnectionAccess.Mode) {
    access.begin(mode)
    unreportedFailure = nil
    authorizer.mode = mode
    identity.begin(access.number)
  }

  /// Goes on in another mode.
  ///
  /// - Returns: The mode before.
  @discardableResult
  func nest(_ mode: ConnectionAccess.Mode) -> ConnectionAccess.Mode {
    authorizer.mode = mode
    return access.nest(mode)
  }

  /// Ends an access: no cursor of it can go on.
  func end() {
    identity.end()
    for statement in access.end() { putBack(statement) }
    authorizer.mode = .none
  }

  // MARK: Statements

  /// Prepares a statement for the access that runs, binds its parameters, and records that it runs.
  ///
  /// - Parameter row: The key of the only row that it names, if that is known.
  func statement(
    _ sql: String, _ arguments: DatabaseArguments, row: Int64? = nil
  ) throws(DatabaseError) -> Statement {
    try requireUse(sql)
    let statement: Statement
    if let cached = cache.take(sql) { statement = cached } else { statement = try prepareOnly(sql) }
    statement.row = row
    do throws(DatabaseError) {
      try use(statement, arguments)
    } catch {
      statement.row = nil
      // What it writes is not known if it was prepared for a read, which refuses it.
      if statement.isReadOnly || access.mode != .read { putBack(statement) }
      throw error
    }
    return statement
  }

  /// A use by the closure of the access, or by what it calls.
  @inline(__always) func requireUse(_ sql: String?) throws(DatabaseError) {
    guard identity.isInside else { throw identity.misuse(of: "the connection", sql: sql) }
    guard !authorizer.isRunning else { throw .reentrance(sql) }
  }

  /// An error can end the transaction. What ran after it would be a transaction of its own, or see another state.
  func requireTransaction(_ sql: String) throws(DatabaseError) {
    guard isInTransaction || !needsTransaction else {
      throw DatabaseError(kind: .other, message: "the transaction has been rolled back", sql: sql)
    }
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether a statement that has not ended writes in a transaction of its own, which ends with it. A transaction that
  /// began now would join it: rolling back would undo what it has written.
  var isWritingWithoutTransaction: Bool { !isInTransaction && interflow_is_writing(handle) != 0 }

  private var needsTransaction: Bool {
    switch access.mode {
    case .read: !isReadWithoutTransaction || savepointCount > 0
    case .write, .none: true
    case .writeWithoutTransaction, .preparation: savepointCount > 0
    }
  }

  func use(_ statement: Statement, _ arguments: DatabaseArguments) throws(DatabaseError) {
    try requireTransaction(statement.sql)
    // What has been told to SQLite counts only for statements that run.
    if interruption?.isSet == true { throw DatabaseError(SQLITE_INTERRUPT, nil, sql: statement.sql) }
    guard access.mode != .read || statement.isReadOnly else {
      throw .readOnly(statement.sql)
    }
    try statement.bind(arguments, options.formats)
    statement.changeCount = changeCount
    if statement.footprint.writes.isEverything, statement.sql.hasKeyword("exists") {
      statement.schemaBefore = try schemaVersion()
    }
    access.use(statement)
    if options.trace != nil { trace(statement, arguments) }
  }

  /// How many rows have been changed since the connection was opened, also by triggers and foreign keys. Only a
  /// difference says something.
  private var changeCount: Int32 { sqlite3_total_changes(handle) }

  /// A statement that was used is done: others may use it.
  ///
  /// - Parameter isKept: Whether it goes back to the cache.
  func finish(_ statement: Statement, isKept: Bool = true) {
    guard statement.access == access.number else { return }
    // SQLite counts what a statement has changed when that has ended.
    reset(statement)
    let hasChangedRows = statement.changeCount != changeCount
    // A row that an insertion has ignored can have been given a number all the same.
    let mayHaveCounted = !hasChangedRows && statement.footprint.inserts && countsRows
    let hasChangedAnything = hasChangedRows || !hasCreatedNothing(statement)
    guard
      access.finish(
        statement, isKept: isKept, hasChangedRows: hasChangedRows, hasChangedAnything: hasChangedAnything,
        mayHaveCounted: mayHaveCounted), isKept
    else { return }
    cache.put(statement)
  }

  /// Whether a statement was to create what there was already.
  private func hasCreatedNothing(_ statement: Statement) -> Bool {
    guard let before = statement.schemaBefore.take() else { return false }
    return (try? schemaVersion()) == before
  }

  /// Whether the schema has a table that counts rows, as it has since the first key that is `AUTOINCREMENT`.
  private var countsRows: Bool {
    sqlite3_table_column_metadata(handle, "main", Region.counts, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  private func putBack(_ statement: Statement) {
    reset(statement)
    cache.put(statement)
  }

  private func reset(_ statement: Statement) {
    if let failure = statement.reset(), unreportedFailure == nil { unreportedFailure = failure }
  }

  private func prepareOnly(_ sql: String) throws(DatabaseError) -> Statement {
    // What it reads is found out when an observation needs it, since that takes time, and a read writes nothing.
    let (statement, rest) = try Statement.prepare(sql, on: handle, authorizer, isTracked: access.mode != .read)
    guard let statement else { throw .misuse("there is no statement", sql: sql) }
    // It is not compiled, since a PRAGMA can have its effect then.
    guard sql.utf8.suffix(rest).isBlankSQL else { throw .misuse("there is more than one statement", sql: sql) }
    return statement
  }
}
