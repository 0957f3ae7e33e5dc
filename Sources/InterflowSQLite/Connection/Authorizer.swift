internal import CSQLite

/// What SQLite's compiler reports about the statements that it compiles, in the footprint of the statement that is
/// being prepared or run.
///
/// SQLite compiles a statement anew inside `sqlite3_step` when the schema has changed, so the footprint is set for each
/// step too.
final class Authorizer {
  /// Whoever sets it retains it: counting references would cost as much as a step.
  unowned(unsafe) var footprint: Footprint?
  /// Whether the statement may begin and end transactions, which only the connection itself does.
  var permitsTransactions = false

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

  private func authorize(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, isNested: Bool
  ) -> Int32 {
    switch action {
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH:
      return permitsTransactions ? SQLITE_OK : SQLITE_DENY
    default: break
    }
    guard let footprint else { return SQLITE_OK }
    switch action {
    case SQLITE_READ:
      footprint.compiledRead(table: Self.text(first), column: Self.text(second), isNested: isNested)
    case SQLITE_UPDATE:
      footprint.compiledUpdate(table: Self.text(first), column: Self.text(second), isNested: isNested)
    case SQLITE_INSERT, SQLITE_DELETE:
      footprint.compiledChange(table: Self.text(first))
    case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE:
      footprint.compiledAnything()
    case SQLITE_PRAGMA:
      if second != nil { footprint.compiledSchemaChange() }
    default:
      // Everything else creates, alters, drops or analyses.
      footprint.compiledSchemaChange()
    }
    return SQLITE_OK
  }

  private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
    bytes.map { String(cString: $0) } ?? ""
  }
}
