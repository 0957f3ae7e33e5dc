import InterflowTestSupport

/// A schema, queries and changes for it, made at random. They compile in most cases.
struct RandomDatabase {
  struct Table {
    var name: String
    var columns: [String]
    /// Those that an `INSERT` gives values for.
    var written: [String]
    var hasRowID: Bool
  }

  private var random: Random
  private(set) var tables: [Table] = []
  private(set) var views: [Table] = []
  private(set) var statements: [String] = []
  private var fullText: String?
  private var hasBoxes = false
  private var indices = 0

  // Names with keywords in them, and such as need quotes.
  private static let names = ["a", "housing", "natural_b", "replaced", "\"or replace\"", "[using]", "Mixed"]
  private static let columnNames = ["k", "x", "y", "name", "using_it", "\"replace\"", "\"a b\""]

  init(seed: UInt64) {
    random = Random(seed)
    for name in Self.names.shuffled(using: &random).prefix(roll(2...4)) { addTable(name) }
    for _ in 0..<roll(0...3) { addIndex() }
    for _ in 0..<roll(0...2) { addView() }
    for _ in 0..<roll(0...3) { addTrigger() }
    if chance(0.5) { addFullText() }
    if chance(0.2) {
      hasBoxes = true
      statements.append("CREATE VIRTUAL TABLE boxes USING rtree(id, low, high)")
      statements.append("INSERT INTO boxes VALUES (1, 0, 1), (2, 2, 3)")
    }
    for table in tables { for _ in 0..<roll(2...5) { statements.append(insertion(table)) } }
  }

  // MARK: Chance

  private mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  private mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
  private mutating func one<Element>(_ elements: [Element]) -> Element { elements[roll(0...elements.count - 1)] }

  private mutating func value() -> String {
    one(["NULL", "0", "1", "2", "3", "4", "'a'", "'b'", "'c'", "'apple pie'", "1.5"])
  }

  // MARK: The schema

  private mutating func addTable(_ name: String) {
    var columns = Array(Self.columnNames.shuffled(using: &random).prefix(roll(2...4)))
    let hasRowID = chance(0.8)
    let hasID = !hasRowID || chance(0.7)
    var parts: [String] = []
    if hasID {
      parts.append(
        hasRowID ? "id INTEGER PRIMARY KEY" + (chance(0.15) ? " AUTOINCREMENT" : "") : "id INTEGER NOT NULL PRIMARY KEY"
      )
    }
    for column in columns {
      var part = "\(column) \(one(["", "INTEGER", "TEXT", "REAL", "NUMERIC"]))"
      if chance(0.15) { part += " UNIQUE" + one(["", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE"]) }
      if chance(0.15) { part += " DEFAULT 2" }
      if chance(0.1) { part += " COLLATE NOCASE" }
      if chance(0.2), let other = tables.filter({ $0.columns.contains("id") }).randomElement(using: &random) {
        part += " REFERENCES \(other.name)(id) ON DELETE \(one(["CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION"]))"
        part += " ON UPDATE \(one(["CASCADE", "SET NULL", "NO ACTION"]))"
      }
      parts.append(part)
    }
    let written = (hasID ? ["id"] : []) + columns
    if chance(0.25) {
      parts.append("made AS (coalesce(\(columns[0]), 0) + 1) \(one(["STORED", "VIRTUAL"]))")
      columns.append("made")
    }
    if hasID { columns.append("id") }
    statements.append("CREATE TABLE \(name) (\(parts.joined(separator: ", ")))\(hasRowID ? "" : " WITHOUT ROWID")")
    tables.append(Table(name: name, columns: columns, written: written, hasRowID: hasRowID))
  }

  private mutating func addIndex() {
    indices += 1
    let table = one(tables)
    let unique = chance(0.2) ? "UNIQUE " : ""
    let key = chance(0.2) ? "length(\(one(table.columns)))" : one(table.columns) + (chance(0.3) ? " DESC" : "")
    let second = chance(0.4) ? ", \(one(table.columns))" : ""
    let part = chance(0.3) ? " WHERE \(one(table.columns)) > 1" : ""
    statements.append("CREATE \(unique)INDEX i\(indices) ON \(table.name)(\(key)\(second))\(part)")
  }

  private mutating func addView() {
    let first = one(tables)
    let second = one(tables)
    let column = one(first.columns)
    let common = first.columns.filter { second.columns.contains($0) }
    let name = "v\(views.count)"
    let query: String =
      switch roll(0...3) {
      case 0 where !common.isEmpty && first.name != second.name:
        "SELECT \(first.name).\(column) AS value FROM \(first.name) JOIN \(second.name) USING (\(one(common)))"
      case 1: "SELECT \(column) AS value FROM \(first.name) WHERE \(one(first.columns)) IS NOT NULL"
      case 2: "SELECT count(*) AS value FROM \(first.name) NATURAL JOIN \(second.name)"
      default:
        "SELECT \(column) AS value FROM \(first.name) UNION ALL SELECT \(one(second.columns)) FROM \(second.name)"
      }
    statements.append("CREATE VIEW \(name) AS \(query)")
    views.append(Table(name: name, columns: ["value"], written: ["value"], hasRowID: false))
    if chance(0.3) {
      statements.append(
        "CREATE TRIGGER w\(views.count) INSTEAD OF UPDATE ON \(name) BEGIN \(change(of: one(tables))); END")
    }
  }

  private mutating func addTrigger() {
    indices += 1
    let table = one(tables)
    let event = one(["INSERT", "DELETE", "UPDATE", "UPDATE OF \(one(table.columns))"])
    let body = one([change(of: one(tables)), insertion(one(tables))])
    statements.append(
      "CREATE TRIGGER g\(indices) \(one(["AFTER", "BEFORE"])) \(event) ON \(table.name) BEGIN \(body); END")
  }

  private mutating func addFullText() {
    let table = one(tables)
    guard chance(0.6), table.hasRowID else {
      fullText = "word"
      statements.append("CREATE VIRTUAL TABLE words USING \(one(["fts5", "fts4"]))(word)")
      return statements.append("INSERT INTO words VALUES ('apple'), ('pear')")
    }
    // Its rows are those of another table, and nothing keeps them in step: what is found depends on both.
    let column = one(table.columns)
    fullText = column
    statements.append("CREATE VIRTUAL TABLE words USING fts5(\(column), content=\(quoted(table.name)))")
    statements.append("INSERT INTO words(rowid, \(column)) VALUES (1, 'apple'), (2, 'pear')")
  }

  private mutating func quoted(_ name: String) -> String {
    name.hasPrefix("\"") || name.hasPrefix("[") ? name : one([name, "'\(name)'", "\"\(name)\""])
  }

  // MARK: Changes

  private mutating func insertion(_ table: Table) -> String {
    let values = table.written.map { $0 == "id" ? "\(roll(1...9))" : value() }
    return "INSERT OR \(one(["IGNORE", "REPLACE"])) INTO \(table.name) (\(table.written.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", ")))"
  }

  private mutating func change(of table: Table) -> String {
    let column = one(table.written)
    let condition = chance(0.7) ? " WHERE \(one(table.columns)) \(one(["= \(value())", "IS NULL", "> 1", "< 3"]))" : ""
    return switch roll(0...5) {
    case 0: "DELETE FROM \(table.name)\(condition)"
    case 1: "UPDATE OR REPLACE \(table.name) SET \(column) = \(value())\(condition)"
    case 2: "UPDATE OR IGNORE \(table.name) SET \(column) = \(column) + 1\(condition)"
    default: "UPDATE OR IGNORE \(table.name) SET \(column) = \(value())\(condition)"
    }
  }

  mutating func change() -> String {
    let table = one(tables)
    switch roll(0...24) {
    case 0: return insertion(table) + " RETURNING \(one(table.columns))"
    case 1 where table.written.contains("id"):
      let column = one(table.written)
      return "INSERT INTO \(table.name) (id, \(column == "id" ? table.written[1] : column)) VALUES (\(roll(1...4)), 5) "
        + "ON CONFLICT DO UPDATE SET \(column) = \(value())"
    case 2 where !views.isEmpty: return "UPDATE \(one(views).name) SET value = 1"
    case 3 where fullText != nil:
      return one([
        "INSERT INTO words (rowid, \(fullText ?? "")) VALUES (\(roll(1...6)), '\(one(["apple", "fig", "pear"]))')",
        "DELETE FROM words", "DELETE FROM words WHERE rowid = 1",
      ])
    case 4 where hasBoxes: return one(["INSERT INTO boxes VALUES (\(roll(3...9)), 1, 2)", "DELETE FROM boxes"])
    case 5: return "ALTER TABLE \(table.name) ADD COLUMN more DEFAULT 5"
    case 6: return "DROP INDEX IF EXISTS i\(roll(1...3))"
    case 7: return one(["PRAGMA user_version = \(roll(1...9))", "DROP TRIGGER IF EXISTS g\(roll(1...5))"])
    case 8: return "CREATE INDEX late ON \(table.name)(\(one(table.columns)))"
    case 9: return "CREATE TABLE late AS SELECT * FROM \(table.name)"
    case 10...13: return insertion(table)
    case 14: return "UPDATE \(table.name) SET \(one(table.written)) = s.\(one(table.columns)) FROM \(table.name) AS s"
    case 15 where table.hasRowID: return "UPDATE \(table.name) SET rowid = rowid + 20"
    default: return change(of: table)
    }
  }

  // MARK: Queries

  private mutating func expression(_ table: Table) -> String {
    let column = one(table.columns)
    return one([
      column, column, "count(*)", "max(\(column))", "group_concat(\(column))", "typeof(\(column))", "1",
      table.hasRowID ? "rowid" : column, "length(\(column)) > 1",
    ])
  }

  private mutating func condition(_ table: Table) -> String {
    let column = one(table.columns)
    let other = one(tables)
    return one([
      "1", "\(column) > 1", "\(column) IS NULL", "\(column) IN (SELECT \(one(other.columns)) FROM \(other.name))",
      "EXISTS (SELECT 1 FROM \(other.name) WHERE \(one(other.columns)) = 1)", "\(column) LIKE 'a%'",
    ])
  }

  mutating func query() -> String {
    let table = chance(0.2) && !views.isEmpty ? one(views) : one(tables)
    let other = one(tables)
    let common = table.columns.filter { other.columns.contains($0) }
    switch roll(0...13) {
    case 0 where !common.isEmpty && table.name != other.name:
      return "SELECT \(one(["count(*)", one(common)])) FROM \(table.name) \(one(["", "LEFT "]))JOIN \(other.name) "
        + "USING (\(one(common)))"
    case 1: return "SELECT count(*) FROM \(table.name) NATURAL JOIN \(other.name)"
    case 2:
      return "SELECT \(one(table.columns)) FROM \(table.name) UNION SELECT \(one(other.columns)) FROM \(other.name)"
    case 3: return "WITH c AS (SELECT \(one(table.columns)) AS v FROM \(table.name)) SELECT count(v), sum(v) FROM c"
    case 4 where fullText != nil, 11 where fullText != nil:
      let match = "WHERE words MATCH '\(one(["apple", "pear OR fig", "pie"]))'"
      return one([
        "SELECT rowid FROM words \(match)", "SELECT * FROM words", "SELECT count(*) FROM words",
        "SELECT \(expression(table)) FROM \(table.name) WHERE EXISTS (SELECT 1 FROM words \(match))",
        "WITH w AS (SELECT rowid AS id FROM words \(match)) SELECT count(*) FROM w, \(other.name)",
        "SELECT count(*) FROM words NATURAL JOIN \(other.name)",
      ])
    case 5 where hasBoxes: return "SELECT id FROM boxes WHERE low <= \(roll(0...3))"
    case 6:
      return "SELECT value FROM json_each((SELECT json_group_array(\(one(table.columns))) FROM \(table.name)))"
    case 7:
      return one([
        "PRAGMA table_info(\(table.name))", "SELECT name FROM sqlite_schema ORDER BY 1", "PRAGMA page_count",
        "PRAGMA user_version", "SELECT * FROM pragma_page_count", "SELECT count(*) FROM pragma_index_list('a')",
        "PRAGMA freelist_count", "SELECT seq FROM sqlite_sequence",
      ])
    case 8: return "SELECT \(one(table.columns)) FROM \(table.name) ORDER BY \(one(table.columns)) LIMIT 2"
    case 9: return "SELECT \(one(table.columns)), count(*) FROM \(table.name) GROUP BY 1"
    case 10: return "SELECT \(one(table.columns)) FROM \(table.name) LIMIT 1"
    default: return "SELECT \(expression(table)) FROM \(table.name) WHERE \(condition(table))"
    }
  }
}
