/// Completes what the compilation of a query has reported that it reads.
///
/// The authorizer is not called for the columns that `USING` and `NATURAL` compare, and not at all for a table of which
/// nothing else is read; a generated column depends on others that are not reported; a table whose constraints replace
/// rows loses rows by an update of any column; and the order of rows, which a query need not state, comes from keys and
/// indices. Some tables are written without any report. So the tables are also taken from the program that SQLite has
/// compiled, and columns count only where nothing of this applies.
struct ReadResolution {
  let connection: DatabaseConnection

  func resolve(_ footprint: Footprint) throws(DatabaseError) {
    let reported = footprint.reads
    let needsTables =
      footprint.isNested || footprint.sql.mentions("using") || footprint.sql.mentions("natural")
    guard !reported.isEverything, let opened = try openedTables(footprint.sql) else {
      return footprint.resolve(to: .everything)
    }
    for table in opened.union(reported.tables.keys) where try isWrittenUnreported(table) {
      return footprint.resolve(to: .everything)
    }
    var region = Region()
    for (table, columns) in reported.tables {
      if case .only(let columns) = columns, !needsTables, let others = try columnsOfOrder(table) {
        region.insert(rowsOf: table)
        for column in columns.union(others) { region.insert(table: table, column: column) }
      } else {
        region.insert(table: table)
      }
    }
    for table in opened where reported.tables[table] == nil { region.insert(table: table) }
    footprint.resolve(to: region)
  }

  /// Whether SQLite writes to a table without a report: to the one that counts rows, and to those in which a virtual
  /// table keeps its content.
  private func isWrittenUnreported(_ table: String) throws(DatabaseError) -> Bool {
    if table == "sqlite_sequence" { return true }
    guard table.contains("_") else { return false }
    let owners = try connection.internalRows(
      """
      SELECT 1 FROM main.sqlite_master
        WHERE type = 'table' AND rootpage = 0 AND substr(?1, 1, length(name) + 1) = name || '_'
      """, columns: [0], arguments: [table])
    return !owners.isEmpty
  }

  /// The tables that the compiled program opens; `nil` if they cannot be known, as those of a virtual table.
  private func openedTables(_ sql: String) throws(DatabaseError) -> Set<String>? {
    var tables: Set<String> = []
    var roots: [Int64: String]?
    // A query that has failed may not compile any more.
    guard let program = try? connection.internalRows("EXPLAIN " + sql, columns: [1, 3, 4]) else { return nil }
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

  /// The columns of a table that decide in which order its rows are found: those of its key and of its indices.
  ///
  /// - Returns: `nil` if a column depends on another one, if an index does not say on which columns it depends, or if a
  ///   constraint of the table replaces rows.
  private func columnsOfOrder(_ table: String) throws(DatabaseError) -> Set<String>? {
    let rows = try connection.internalRows(
      """
      SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0
      UNION SELECT part.name FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS part
        WHERE part.cid >= 0 AND NOT list.partial
      UNION SELECT NULL FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS part
        WHERE part.cid < -1 OR list.partial
      UNION SELECT NULL FROM pragma_table_xinfo(?1) WHERE hidden <> 0
      UNION SELECT NULL FROM main.sqlite_master WHERE name = ?1 AND instr(lower(sql), 'replace') > 0
      """, columns: [0], arguments: [table])
    var columns: Set<String> = []
    for row in rows {
      guard case .text(let column) = row[0] else { return nil }
      columns.insert(column)
    }
    return columns
  }
}
