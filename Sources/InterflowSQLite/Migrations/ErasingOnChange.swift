internal import CSQLite

// For development: a database whose steps have been changed after they ran is made again.
extension DatabaseConnection {
  /// Deletes everything if the steps that have run would make another schema.
  func eraseIfChanged(_ plan: MigrationPlan, _ observations: DatabaseObservations) throws {
    guard !isReadOnly, try isChanged(plan) else { return }
    try observations.writeWithoutTransaction(self) { connection in
      let version = try connection.schemaVersion().main
      try connection.erase()
      try connection.countSchemas(from: version)
    }
  }

  private func erase() throws {
    let code = interflow_reset_database(handle, 1)
    // Before anything else is written: SQLite would also make the file's header again, without its write-ahead log.
    defer { _ = interflow_reset_database(handle, 0) }
    guard code == SQLITE_OK else { throw DatabaseError(code, handle, sql: nil) }
    try execute(sql: "VACUUM")
  }

  /// After such a VACUUM, SQLite numbers schemas from one on. Another connection that knows an older one by a number which
  /// comes again would take it for the new one.
  private func countSchemas(from version: DatabaseValue?) throws(DatabaseError) {
    guard case .integer(let number) = version else { return }
    // Whatever is cancelled: everything has been deleted.
    interruption = nil
    // Otherwise SQLite ignores it.
    _ = interflow_set_defensive(handle, 0)
    defer { _ = interflow_set_defensive(handle, 1) }
    try internalExecute("PRAGMA main.schema_version = \(Int32(truncatingIfNeeded: number + 1))")
  }

  private var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  private func isChanged(_ plan: MigrationPlan) throws -> Bool {
    let record: MigrationRecord
    do throws(DatabaseError) {
      record = try migrationRecord()
      _ = try plan.next(after: record)
    } catch {
      // Steps that are missing in the list, or come too late.
      guard error.kind == .newerSchema || error.kind == .misuse else { throw error }
      return true
    }
    let done = plan.steps.filter { record.contains($0) }
    return try schema() != freshSchema(of: done)
  }

  /// What the steps make of an empty database.
  private func freshSchema(of steps: [Migration]) throws -> [[DatabaseValue]] {
    let database = Database.inMemory(options: options)
    return try database.writer.runBlocking { connection in
      // What the steps do after their commits is for changes that are in the file.
      connection.commitActions.areDropped = true
      let plan = MigrationPlan(steps)
      while try connection.advance(plan, database.observations) {}
      return try connection.schema()
    }
  }

  private func schema() throws(DatabaseError) -> [[DatabaseValue]] {
    try internalRows(
      """
      SELECT type, name, tbl_name, sql FROM main.sqlite_master
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND tbl_name <> ? ORDER BY type, name
      """, columns: [0, 1, 2, 3], arguments: [MigrationRecord.table])
  }
}
