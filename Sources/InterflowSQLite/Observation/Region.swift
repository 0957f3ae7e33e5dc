/// A part of a database: all of it, or tables, or columns of tables.
///
/// Of what is read, a table with no columns means its set of rows: how many there are. Of what is written, a table with
/// columns means that existing rows change in these, and a whole table means that rows may come and go too.
struct Region: Equatable, Sendable {
  enum Columns: Equatable, Sendable {
    case all
    case only(Set<String>)
  }

  private(set) var isEverything = false
  private(set) var tables: [String: Columns] = [:]

  static var everything: Region { Region(isEverything: true) }

  /// The table in which SQLite counts the rows of others, whose key is `AUTOINCREMENT`.
  static let counts = "sqlite_sequence"

  var isEmpty: Bool { !isEverything && tables.isEmpty }

  mutating func formEverything() { self = .everything }

  mutating func insert(table: String) {
    if !isEverything { tables[table] = .all }
  }

  mutating func insert(table: String, column: String) {
    guard !isEverything else { return }
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
    if !isEverything, tables[table] == nil { tables[table] = .only([]) }
  }

  mutating func formUnion(_ other: Region) {
    if isEverything { return }
    if other.isEverything { return formEverything() }
    tables.merge(other.tables) { mine, others in
      guard case .only(let columns) = mine, case .only(let more) = others else { return .all }
      return .only(columns.union(more))
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
      guard case .only(let mine) = columns, case .only(let theirs) = other else { return true }
      if !mine.isDisjoint(with: theirs) { return true }
    }
    return false
  }
}
