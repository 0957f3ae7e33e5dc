internal import CSQLite

/// Completes what the compilation of a query has reported that it reads.
///
/// The authorizer is not called for the columns that `USING` and `NATURAL` compare, and not at all for a table of which
/// nothing else is read; a generated column depends on others that are not reported; a table whose constraints replace
/// rows loses rows by an update of any column; and the order of rows, which a query need not state, comes from keys and
/// indices. Some tables are written without any report. So the tables are also taken from the program that SQLite has
/// compiled, and columns count only where nothing of this applies.
struct ReadResolution {
  let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) throws(DatabaseError) {
    self.connection = connection
    connection.knowledge.adopt(try connection.schemaVersion())
  }

  func resolve(_ footprint: Footprint) throws(DatabaseError) {
    if let known = connection.knowledge.regions.value(footprint.sql) { return footprint.resolve(to: known) }
    let region = try region(of: footprint.sql) ?? .everything
    connection.knowledge.regions.insert(region, footprint.sql)
    footprint.resolve(to: region)
  }

  /// - Returns: `nil` if it cannot be known.
  private func region(of sql: String) throws(DatabaseError) -> Region? {
    guard let (program, footprint) = try program(sql) else { return nil }
    let reported = footprint.reads
    let comparesUnreported = footprint.sql.hasKeyword("using") || footprint.sql.hasKeyword("natural")
    guard !reported.isEverything, let opened = try openedTables(program) else { return nil }
    var region = Region()
    var virtualTables: [String: VirtualTable] = [:]
    if opened.virtualCount > 0 {
      virtualTables = try self.virtualTables(among: reported.tables.keys)
      // One that is not reported has no columns that are read, except by such a comparison.
      guard !comparesUnreported, virtualTables.count == opened.virtualCount else { return nil }
      if footprint.isNested, try hasViewThatCompares() { return nil }
      for (name, table) in virtualTables {
        guard let read = table.reads(name) else { return nil }
        region.formUnion(read)
        for content in table.content {
          guard let content = try ordinaryTable(content) else { return nil }
          region.insert(table: content)
        }
      }
    }
    for table in opened.tables.union(reported.tables.keys) {
      switch try unreportedWrites(of: table) {
      case .none: break
      case .any: return nil
      // While a virtual table is read, it reads those with its content.
      case .by(let owners):
        guard !opened.tables.contains(table), owners.contains(where: { virtualTables[$0] != nil })
        else { return nil }
      }
    }
    for (table, columns) in reported.tables where virtualTables[table] == nil {
      if case .only(let columns) = columns, !comparesUnreported, !footprint.isNested,
        let others = try columnsOfOrder(table)
      {
        region.insert(rowsOf: table)
        for column in columns.union(others) { region.insert(table: table, column: column) }
      } else {
        region.insert(table: table)
      }
    }
    for table in opened.tables where reported.tables[table] == nil { region.insert(table: table) }
    return region
  }

  /// - Returns: `nil` if it does not compile, as a query that has failed may not any more.
  private func program(_ sql: String) throws(DatabaseError) -> (rows: [[DatabaseValue]], reported: Footprint)? {
    do throws(DatabaseError) {
      return try connection.program(sql, columns: [1, 3, 4, 5])
    } catch {
      // What passes says nothing of the query.
      switch error.code & 0xFF {
      case SQLITE_INTERRUPT, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_CANTOPEN: throw error
      default: return nil
      }
    }
  }

  enum UnreportedWrites {
    case none
    case any
    /// By virtual tables.
    case by([String])
  }

  /// Whether SQLite writes to a table without a report: to the one that counts rows, and to those in which a virtual
  /// table keeps its content.
  private func unreportedWrites(of table: String) throws(DatabaseError) -> UnreportedWrites {
    if table == Region.counts { return .any }
    guard table.contains("_") else { return .none }
    if let known = connection.knowledge.unreportedWrites[table] { return known }
    let owners = try connection.internalRows(
      """
      SELECT name FROM main.sqlite_master
        WHERE type = 'table' AND rootpage = 0 AND substr(?1, 1, length(name) + 1) = name || '_'
      """, columns: [0], arguments: [table], isKept: true)
    let writes = owners.isEmpty ? UnreportedWrites.none : .by(owners.compactMap { String(databaseValue: $0[0]) })
    connection.knowledge.unreportedWrites[table] = writes
    return writes
  }

  /// The tables that the compiled program opens, and how many virtual ones it does; `nil` if they cannot be known.
  private func openedTables(
    _ program: [[DatabaseValue]]
  ) throws(DatabaseError) -> (tables: Set<String>, virtualCount: Int)? {
    var tables: Set<String> = []
    // By their addresses.
    var virtualTables: Set<DatabaseValue> = []
    var roots: [Int64: String]?
    for row in program {
      guard case .text(let operation) = row[0], case .integer(let root) = row[1], case .integer(let schema) = row[2]
      else { continue }
      switch operation {
      case "OpenRead", "ReopenIdx", "OpenWrite":
        guard schema == 0 else { return nil }
        if roots == nil { roots = try tablesByRoot() }
        guard let table = roots?[root] else { return nil }
        tables.insert(table)
      case "VOpen": virtualTables.insert(row[3])
      default: break
      }
    }
    return (tables, virtualTables.count)
  }

  private func tablesByRoot() throws(DatabaseError) -> [Int64: String] {
    if let known = connection.knowledge.tablesByRoot { return known }
    var tables: [Int64: String] = [1: "sqlite_master"]
    for row in try connection.internalRows("SELECT rootpage, tbl_name FROM main.sqlite_master", columns: [0, 1]) {
      if case .integer(let root) = row[0], root > 0, case .text(let table) = row[1] { tables[root] = table }
    }
    connection.knowledge.tablesByRoot = tables
    return tables
  }

  private func columnsOfOrder(_ table: String) throws(DatabaseError) -> Set<String>? {
    if let known = connection.knowledge.columnsOfOrder[table] { return known }
    let columns = try findColumnsOfOrder(table)
    connection.knowledge.columnsOfOrder.updateValue(columns, forKey: table)
    return columns
  }

  /// The columns of a table that decide in which order its rows are found: those of its key and of its indices.
  ///
  /// - Returns: `nil` if a column depends on another one, if an index does not say on which columns it depends, or if a
  ///   constraint of the table replaces rows.
  private func findColumnsOfOrder(_ table: String) throws(DatabaseError) -> Set<String>? {
    let rows = try connection.internalRows(
      """
      SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0
      UNION SELECT part.name FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS part
        WHERE part.cid >= 0 AND NOT list.partial
      UNION SELECT NULL FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS part
        WHERE part.cid < -1 OR list.partial
      UNION SELECT NULL FROM pragma_table_xinfo(?1) WHERE hidden <> 0
      """, columns: [0], arguments: [table])
    guard try !replacesRows(table) else { return nil }
    var columns: Set<String> = []
    for row in rows {
      guard case .text(let column) = row[0] else { return nil }
      columns.insert(column)
    }
    return columns
  }

  private func replacesRows(_ table: String) throws(DatabaseError) -> Bool {
    let definitions = try connection.internalRows(
      "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?1", columns: [0], arguments: [table])
    return definitions.contains { String(databaseValue: $0[0])?.replacesRows == true }
  }
}
