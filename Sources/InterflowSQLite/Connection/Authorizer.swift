internal import CSQLite

/// What SQLite's compiler reports about the statements that it compiles, in the footprint of the statement that is
/// being prepared or run; and what it must not compile for an access.
///
/// SQLite compiles a statement again inside `sqlite3_step` when the schema has changed, so the footprint is set for each
/// step too.
final class Authorizer {
  /// Whoever sets it retains it: counting references would cost as much as a step.
  unowned(unsafe) var footprint: Footprint?
  /// Whether the statement may begin and end transactions, which only the connection itself does.
  var permitsTransactions = false
  /// The access that statements are compiled for.
  var mode = ConnectionAccess.Mode.none
  /// Whether a statement runs, which itself compiles others: `VACUUM` attaches a database for its copy.
  var isRunning = false
  /// What a function that was added has said of its failure in the statement that runs. It contains no value, so it is
  /// reported where SQLite's message could quote one.
  var functionFailure: String?
  /// Why a statement was refused last.
  private var refusal: (kind: DatabaseError.Kind, message: String)?

  /// Installs the authorizer for all statements of a connection, which retains it until it has been closed.
  func install(on handle: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, viewOrTrigger in
        guard let context else { return SQLITE_OK }
        let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
        return authorizer.authorize(action, first, second, isNested: viewOrTrigger != nil)
      }, context)
  }

  /// The error of a statement that has not been compiled, or has not run.
  func error(
    _ code: Int32, _ handle: OpaquePointer, sql: String?, hidesMessage: Bool = false
  ) -> DatabaseError {
    if hidesMessage, code & 0xFF == SQLITE_ERROR, let functionFailure {
      return DatabaseError(kind: .other, code: code, message: functionFailure, sql: sql)
    }
    guard code & 0xFF == SQLITE_AUTH, let refusal else {
      return DatabaseError(code, handle, sql: sql, hidesMessage: hidesMessage)
    }
    return DatabaseError(kind: refusal.kind, code: code, message: refusal.message, sql: sql)
  }

  private func authorize(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, isNested: Bool
  ) -> Int32 {
    switch action {
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH:
      if permitsTransactions || isRunning && mode == .writeWithoutTransaction { return SQLITE_OK }
      return refuse(.misuse, advice(for: action))
    case SQLITE_PRAGMA:
      return authorizePragma(Self.text(first).lowercased(), hasArgument: second != nil)
    default: break
    }
    guard let footprint else { return SQLITE_OK }
    if isNested { footprint.compiledIndirectly() }
    switch action {
    case SQLITE_READ:
      footprint.compiledRead(table: Self.text(first), column: Self.text(second), isNested: isNested)
    case SQLITE_UPDATE:
      footprint.compiledUpdate(table: Self.text(first), column: Self.text(second), isNested: isNested)
    case SQLITE_INSERT:
      footprint.compiledInsert(table: Self.text(first))
    case SQLITE_DELETE:
      footprint.compiledChange(table: Self.text(first))
    case SQLITE_SELECT, SQLITE_RECURSIVE:
      footprint.compiledAnything()
    case SQLITE_FUNCTION:
      footprint.compiledAnything()
      // A query with this function of FTS4 writes, in tables that are not reported. It begins a savepoint, which only a
      // write without a transaction lets it do.
      if Self.text(second).lowercased() == "optimize" { footprint.compiledSchemaChange() }
    default:
      // Everything else creates, alters, drops or analyses.
      footprint.compiledSchemaChange()
    }
    return SQLITE_OK
  }

  // MARK: What is refused

  private func refuse(_ kind: DatabaseError.Kind, _ message: String) -> Int32 {
    refusal = (kind, message)
    return SQLITE_DENY
  }

  private func advice(for action: Int32) -> String {
    switch action {
    case SQLITE_SAVEPOINT:
      return "use savepoint(_:) of the connection instead of SQL: it rolls back when its closure throws"
    case SQLITE_TRANSACTION: break
    default: return "no other database can be attached: observations would not see its changes"
    }
    return switch mode {
    case .write:
      """
      a write is a transaction already, which is committed when its closure returns and rolled back when it throws: \
      SQL must not begin or end one
      """
    case .writeWithoutTransaction, .preparation:
      "SQL must not begin or end a transaction: use savepoint(_:) of the connection, or write(_:) of the database"
    case .read, .none:
      "a read is a transaction already, which ends with its closure: SQL must not begin or end one"
    }
  }

  /// Those whose argument selects what is read, so that nothing is set.
  private static let questions: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
    "quick_check",
    "table_info", "table_list", "table_xinfo",
  ]

  /// Those whose answer stays the same as long as the schema does, and what else every change of the schema is reported
  /// for. The answers of others, such as `page_count`, can change with each commit.
  private static let answeredBySchema: Set<String> = [
    "application_id", "auto_vacuum", "collation_list", "compile_options", "database_list", "encoding",
    "foreign_key_list", "function_list", "index_info", "index_list", "index_xinfo", "journal_mode", "max_page_count",
    "module_list", "page_size", "pragma_list", "schema_version", "table_info", "table_list", "table_xinfo",
    "temp_store", "user_version",
  ]

  static func isAnsweredBySchema(pragma name: String) -> Bool { answeredBySchema.contains(name) }

  /// Those that do something without an argument too.
  private static let actions: Set<String> = ["incremental_vacuum", "optimize", "shrink_memory", "wal_checkpoint"]

  /// Those after which the database contains the same and queries have the same results.
  private static let connectionSettings: Set<String> = [
    "analysis_limit", "cache_size", "cache_spill", "cell_size_check", "checkpoint_fullfsync", "defer_foreign_keys",
    "foreign_keys", "fullfsync", "ignore_check_constraints", "journal_size_limit", "mmap_size", "query_only",
    "recursive_triggers", "secure_delete", "shrink_memory", "soft_heap_limit", "synchronous", "threads",
    "trusted_schema", "wal_autocheckpoint", "wal_checkpoint",
  ]

  private func authorizePragma(_ name: String, hasArgument: Bool) -> Int32 {
    guard hasArgument && !Self.questions.contains(name) || Self.actions.contains(name) else {
      // What a virtual table asks while it is read is covered by what is known of its module.
      if !isRunning, !Self.isAnsweredBySchema(pragma: name) { footprint?.compiledReadOfEverything() }
      return SQLITE_OK
    }
    if name == "busy_timeout" {
      return refuse(.misuse, "set DatabaseOptions.busyTimeout instead: a wait for a lock ends with its task only then")
    }
    if mode == .read {
      return refuse(
        .readOnly, "a read must not change the settings of its connection: that is for DatabaseOptions.prepare")
    }
    if !Self.connectionSettings.contains(name) { footprint?.compiledSchemaChange() }
    return SQLITE_OK
  }

  private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
    bytes.map { String(cString: $0) } ?? ""
  }
}
