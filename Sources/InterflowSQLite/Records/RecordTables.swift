internal import CSQLite

/// The tables that records of a connection are in, for as long as the schema stays the same.
struct RecordTables {
  private var tables: [String: RecordTable] = [:]
  /// The version of the schema that the tables are of.
  private var version: DatabaseValue?
  /// The access that has looked at the version.
  private var access = 0

  /// - Parameter access: The access, if nothing can change the schema for its duration except its own statements.
  func isCurrent(in access: Int?) -> Bool { access != nil && access == self.access }

  mutating func update(to version: DatabaseValue?, access: Int?) {
    if version != self.version { tables = [:] }
    self.version = version
    self.access = access ?? 0
  }

  subscript(name: String) -> RecordTable? {
    get { tables[name] }
    set { tables[name] = newValue }
  }
}

extension DatabaseConnection {
  /// The table of a type of records, as it is now.
  func table(of record: any DatabaseRecord.Type) throws(DatabaseError) -> RecordTable {
    let name = record.databaseTableName
    try requireUse(nil)
    // What such an access has changed can be rolled back, and the version of the schema with it.
    if access.mayChangeSchema { return try readTable(name) }
    // Within a transaction, nobody else changes the schema.
    let access = isInTransaction ? access.number : nil
    if !recordTables.isCurrent(in: access) {
      recordTables.update(to: try internalRows("PRAGMA schema_version", columns: [0]).first?.first, access: access)
    }
    if let table = recordTables[name] { return table }
    let table = try readTable(name)
    recordTables[name] = table
    return table
  }

  private func readTable(_ name: String) throws(DatabaseError) -> RecordTable {
    let rows = try internalRows(
      "SELECT name, pk, hidden FROM pragma_table_xinfo(?1) WHERE hidden <> 1", columns: [0, 1, 2], arguments: [name])
    guard !rows.isEmpty else {
      throw DatabaseError(kind: .other, code: SQLITE_ERROR, message: "no such table: \(name)")
    }
    return RecordTable(
      name: name,
      rows: rows.map { row in
        (
          name: String(databaseValue: row[0]) ?? "", keyPosition: Int64(databaseValue: row[1]) ?? 0,
          isGenerated: row[2] != .integer(0)
        )
      })
  }
}
