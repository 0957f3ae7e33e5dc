/// Completes what the compilation of a query has reported that it reads.
///
/// The authorizer is not called for the columns that `USING` and `NATURAL` compare, and not at all for a table of which
/// nothing else is read; a generated column depends on others that are not reported; and a table whose constraints
/// replace rows loses rows by an update of any column. So the tables are also taken from the program that SQLite has
/// compiled, and columns count only where nothing of this applies.
struct ReadResolution {
  let connection: DatabaseConnection

  func resolve(_ footprint: Footprint) throws(DatabaseError) {
    let reported = footprint.reads
    guard let opened = try openedTables(footprint.sql) else { return footprint.resolve(to: .everything) }
    let needsTables =
      footprint.isNested || footprint.sql.mentions("using") || footprint.sql.mentions("natural")
    var region = Region()
    for table in opened { region.insert(table: table) }
    for (table, columns) in reported.tables {
      if case .only(let columns) = columns, !needsTables, try hasSimpleColumns(table) {
        region.remove(table: table)
        region.insert(rowsOf: table)
        for column in columns { region.insert(table: table, column: column) }
      } else {
        region.insert(table: table)
      }
    }
    if reported.isEverything { region.formEverything() }
    footprint.resolve(to: region)
  }

  /// The tables that the compiled program opens; `nil` if they cannot be known, as those of a virtual table.
  private func openedTables(_ sql: String) throws(DatabaseError) -> Set<String>? {
    var tables: Set<String> = []
    var roots: [Int64: String]?
    let program = try connection.internalRows("EXPLAIN " + sql, columns: [1, 3, 4])
    for row in program {
      guard case .text(let operation) = row[0], case .integer(let root) = row[1], case .integer(let schema) = row[2]
      else { continue }
      switch operation {
      case "OpenRead", "ReopenIdx", "OpenWrite":
        guard schema == 0 else { return nil }
        if roots == nil { roots = try tablesByRoot() }
        guard let table = roots?[root] else { return nil }
        tables.insert(table)
      case "VOpen": return nil
      default: break
      }
    }
    return tables
  }

  private func tablesByRoot() throws(DatabaseError) -> [Int64: String] {
    var tables: [Int64: String] = [1: "sqlite_master"]
    for row in try connection.internalRows("SELECT rootpage, tbl_name FROM main.sqlite_master", columns: [0, 1]) {
      if case .integer(let root) = row[0], root > 0, case .text(let table) = row[1] { tables[root] = table }
    }
    return tables
  }

  /// Whether no column depends on another one, and no constraint of the table replaces rows.
  private func hasSimpleColumns(_ table: String) throws(DatabaseError) -> Bool {
    let rows = try connection.internalRows(
      """
      SELECT (SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden <> 0)
        + (SELECT count(*) FROM main.sqlite_master WHERE name = ?1 AND sql LIKE '%replace%')
      """, columns: [0], arguments: [table])
    return rows.first?.first == .integer(0)
  }
}
