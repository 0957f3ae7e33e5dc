internal import CSQLite

/// The tables that records of a connection are in, for as long as the schema stays the same.
struct RecordTables {
  private var tables: [String: RecordTable] = [:]
  /// The version of the schema that the tables are of.
  private var version: SchemaVersion?
  /// The access that has looked at the version.
  private var access = 0

  /// - Parameter access: The access, if nothing can change the schema for its duration except its own statements.
  func isCurrent(in access: Int?) -> Bool { access != nil && access == self.access }

  mutating func update(to version: SchemaVersion, access: Int?) {
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
      recordTables.update(to: try schemaVersion(), access: access)
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
      }, hasIndependentRows: try hasIndependentRows(name))
  }

  /// Whether the key of a table is the number of its rows, for which there is no index, and neither a constraint that
  /// replaces rows nor a foreign key of the table's to itself lets a change of one row change others.
  private func hasIndependentRows(_ name: String) throws(DatabaseError) -> Bool {
    let rows = try internalRows(
      """
      SELECT sql FROM main.sqlite_master
        WHERE type = 'table' AND name = ?1 COLLATE NOCASE
          AND (SELECT count(*) = 1 AND max(upper(type)) = 'INTEGER' FROM pragma_table_xinfo(?1) WHERE pk > 0)
          AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk')
          AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_list(?1) WHERE "table" = ?1 COLLATE NOCASE)
          AND NOT EXISTS (SELECT 1 FROM temp.sqlite_master WHERE name = ?1 COLLATE NOCASE)
      """, columns: [0], arguments: [name])
    guard let definition = rows.first?.first else { return false }
    return String(databaseValue: definition)?.replacesRows == false
  }
}
