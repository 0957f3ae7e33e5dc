/// A part of a database: all of it, or tables, or columns of tables.
///
/// Of what is read, a table with no columns means its set of rows: how many there are. Of what is written, a table with
/// columns means that existing rows change in these, and a whole table means that rows may come and go too. Of both, only
/// the rows with certain keys may be meant.
struct Region: Equatable, Sendable {
  enum Columns: Equatable, Sendable {
    case all
    case only(Set<String>)
  }

  private(set) var isEverything = false
  private(set) var tables: [String: Columns] = [:]
  /// The keys of the rows that are meant, of tables of which not all are. Each is among ``tables``.
  private(set) var rows: [String: Set<Int64>] = [:]

  /// Of more rows of a table, which ones is not worth keeping.
  static let mostRows = 1_000

  static var everything: Region { Region(isEverything: true) }

  /// The table in which SQLite counts the rows of others, whose key is `AUTOINCREMENT`.
  static let counts = "sqlite_sequence"

  var isEmpty: Bool { !isEverything && tables.isEmpty }

  mutating func formEverything() { self = .everything }

  mutating func insert(table: String) {
    if isEverything { return }
    tables[table] = .all
    rows[table] = nil
  }

  mutating func insert(table: String, column: String) {
    guard !isEverything else { return }
    rows[table] = nil
    switch tables[table] {
    case .all: break
    case .only(var columns):
      tables[table] = nil  // So that the set is not copied.
      columns.insert(column)
      tables[table] = .only(columns)
    case nil: tables[table] = .only([column])
    }
  }

  /// The set of rows of a table, without any of its columns.
  mutating func insert(rowsOf table: String) {
    if isEverything { return }
    if tables[table] == nil { tables[table] = .only([]) }
    rows[table] = nil
  }

  /// Only the row with a key, of a region that is a part of one table; any other stays as it is: what foreign keys of other
  /// tables change with the row is not known by its key.
  func narrowed(toRow key: Int64) -> Region {
    guard !isEverything, tables.count == 1, let table = tables.keys.first else { return self }
    var region = self
    region.rows = [table: [key]]
    return region
  }

  mutating func formUnion(_ other: Region) {
    if isEverything { return }
    if other.isEverything { return formEverything() }
    if !rows.isEmpty || !other.rows.isEmpty { formUnionOfRows(other) }
    tables.merge(other.tables) { mine, others in
      guard case .only(let columns) = mine, case .only(let more) = others else { return .all }
      return .only(columns.union(more))
    }
  }

  /// Before the tables are merged.
  private mutating func formUnionOfRows(_ other: Region) {
    for table in other.tables.keys {
      let theirs = other.rows[table]
      if tables[table] == nil {
        rows[table] = theirs
      } else if rows[table] != nil {
        // In place: one may be added after the other.
        if let theirs { rows[table]?.formUnion(theirs) } else { rows[table] = nil }
        if let count = rows[table]?.count, count > Self.mostRows { rows[table] = nil }
      }
    }
  }

  /// Whether a change of `written` may change what a query that reads this region finds.
  func isAffected(by written: Region) -> Bool {
    // A change of everything concerns also a query of the schema, which reads no table.
    if written.isEverything { return true }
    if isEverything { return !written.isEmpty }
    let (fewer, others) = tables.count < written.tables.count ? (tables, written.tables) : (written.tables, tables)
    for (table, columns) in fewer {
      guard let other = others[table] else { continue }
      if let mine = rows[table], let theirs = written.rows[table], mine.isDisjoint(with: theirs) { continue }
      guard case .only(let mine) = columns, case .only(let theirs) = other else { return true }
      if !mine.isDisjoint(with: theirs) { return true }
    }
    return false
  }
}
