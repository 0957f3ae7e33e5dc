internal import CSQLite

// Statements of the package itself, which are no part of what an access reads or writes.
extension DatabaseConnection {
  /// The values of some columns of all rows.
  ///
  /// - Parameter isKept: Whether the statement is kept for the next time.
  func internalRows(
    _ sql: String, columns: [Int], arguments: DatabaseArguments = [], isKept: Bool = false
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    guard let statement = try internalStatement(sql, isKept: isKept) else { return [] }
    defer { if isKept { statement.reset() } }
    // The parameters of a query that is only explained stay without values.
    if !arguments.isEmpty { try statement.bind(arguments) }
    return try statement.allRows(columns)
  }

  private func internalStatement(_ sql: String, isKept: Bool) throws(DatabaseError) -> Statement? {
    if isKept, let statement = internalStatements[sql] { return statement }
    let statement = try Statement.prepare(sql, on: handle, authorizer, isTracked: false).statement
    if isKept { internalStatements[sql] = statement }
    return statement
  }

  func internalExecute(_ sql: String) throws(DatabaseError) {
    _ = try internalRows(sql, columns: [])
  }

  /// The program that SQLite makes of a query, as the values of some columns of its instructions, and what compiling it
  /// reports.
  func program(_ sql: String, columns: [Int]) throws(DatabaseError) -> (rows: [[DatabaseValue]], reported: Footprint) {
    guard let statement = try Statement.prepare("EXPLAIN " + sql, on: handle, authorizer).statement else {
      return ([], Footprint(sql: sql))
    }
    return (try statement.allRows(columns), statement.footprint)
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

extension Statement {
  fileprivate func allRows(_ columns: [Int]) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    while try step() { rows.append(columns.map { values.value($0) }) }
    return rows
  }
}
