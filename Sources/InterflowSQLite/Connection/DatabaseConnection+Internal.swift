internal import CSQLite

// Statements of the package itself, which are no part of what an access reads or writes.
extension DatabaseConnection {
  /// The values of some columns of all rows.
  func internalRows(
    _ sql: String, columns: [Int], arguments: DatabaseArguments = []
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    guard let statement = try Statement.prepare(sql, on: handle, authorizer, isTracked: false).statement else {
      return []
    }
    // The parameters of a query that is only explained stay without values.
    if !arguments.isEmpty { try statement.bind(arguments) }
    var rows: [[DatabaseValue]] = []
    while try statement.step() { rows.append(columns.map { statement.values.value($0) }) }
    return rows
  }

  func internalExecute(_ sql: String) throws(DatabaseError) {
    _ = try internalRows(sql, columns: [])
  }

  /// Begins or ends a transaction.
  func transact(_ sql: String) throws(DatabaseError) {
    authorizer.permitsTransactions = true
    defer { authorizer.permitsTransactions = false }
    try tracingTransaction(sql) { () throws(DatabaseError) in
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
        throw DatabaseError(sqlite3_extended_errcode(handle), handle, sql: sql)
      }
    }
  }
}
