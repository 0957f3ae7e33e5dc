/// A virtual table of which is known what it reads beside itself.
///
/// Its module prepares statements that are not reported each time. A table of SQLite's full-text search and its R*Tree
/// reads what is written through it, and what a full-text table has been told to take its content from.
struct VirtualTable {
  /// Of the module, in lower case.
  private let module: String
  /// Whether the table is in the schema. Others are functions that return rows.
  private let isInSchema: Bool
  /// The tables with the rows of a full-text table that keeps none itself.
  let content: [String]

  /// A table of the schema, by its definition.
  init?(definition: String) {
    var tokens = SQLTokens(definition)
    while let token = tokens.next(), token != .word("using") {}
    switch tokens.next() {
    case .word(let name): module = name
    case .quoted(let name): module = name.lowercased()
    default: return nil
    }
    isInSchema = true
    content = module.hasPrefix("fts") ? Self.content(tokens, module) : []
  }

  /// A function that returns rows.
  init(function: String) {
    module = function.lowercased()
    isInSchema = false
    content = []
  }

  /// The values of the option `content`, except for the empty one of a table without content. One that is not known to
  /// be a name is an empty text, which no table has as its name.
  private static func content(_ tokens: SQLTokens, _ module: String) -> [String] {
    var found: [String] = []
    var last: (SQLTokens.Token?, SQLTokens.Token?) = (nil, nil)
    var tokens = tokens
    while let token = tokens.next() {
      if case .word(let option) = last.0, isContent(option, module), last.1 == .other(UInt8(ascii: "=")) {
        // A value of FTS4 without quotes goes on to the end of the option.
        var rest = tokens
        let next = rest.next()
        let isWhole = next == .other(UInt8(ascii: ",")) || next == .other(UInt8(ascii: ")"))
        switch token {
        case .word(let name) where isWhole, .quoted(let name) where isWhole: if !name.isEmpty { found.append(name) }
        default: found.append("")
        }
      }
      last = (last.1, token)
    }
    return found
  }

  /// Whether a word is the name of the option `content`, which FTS5 takes abbreviated too.
  private static func isContent(_ word: String, _ module: String) -> Bool {
    module == "fts5" ? "content".hasPrefix(word) : word == "content"
  }

  /// What it reads beside its content; `nil` if that is not known.
  func reads(_ name: String) -> Region? {
    var region = Region()
    switch (module, isInSchema) {
    case ("fts3", true), ("fts4", true), ("fts5", true), ("rtree", true), ("rtree_i32", true), ("geopoly", true):
      region.insert(table: name)
    // These read their arguments.
    case ("json_each", false), ("json_tree", false), ("generate_series", false): break
    case (let function, false) where function.hasPrefix("pragma_"):
      guard Authorizer.isAnsweredBySchema(pragma: String(function.dropFirst("pragma_".count))) else { return nil }
    default: return nil
    }
    return region
  }
}

extension ReadResolution {
  /// The virtual tables of some names. The functions that return rows are not in the schema.
  func virtualTables(among names: some Sequence<String>) throws(DatabaseError) -> [String: VirtualTable] {
    var tables: [String: VirtualTable] = [:]
    for name in names {
      if let known = connection.knowledge.virtualTables[name] {
        tables[name] = known
      } else {
        let table = try virtualTable(name)
        connection.knowledge.virtualTables.updateValue(table, forKey: name)
        tables[name] = table
      }
    }
    return tables
  }

  private func virtualTable(_ name: String) throws(DatabaseError) -> VirtualTable? {
    if name == "sqlite_master" { return nil }
    let rows = try connection.internalRows(
      "SELECT rootpage, type, sql FROM main.sqlite_master WHERE name = ?1 AND type IN ('table', 'view')",
      columns: [0, 1, 2], arguments: [name])
    guard let row = rows.first else { return VirtualTable(function: name) }
    // Without a definition, it is among those that are opened, but not among those that are known.
    guard row[0] == .integer(0), row[1] == .text("table"), case .text(let definition) = row[2] else { return nil }
    return VirtualTable(definition: definition)
  }

  /// The name, as the schema has it, of a table that is neither virtual nor a view.
  func ordinaryTable(_ name: String) throws(DatabaseError) -> String? {
    let rows = try connection.internalRows(
      """
      SELECT name FROM main.sqlite_master WHERE name = ?1 COLLATE NOCASE AND type = 'table' AND rootpage > 0
      """, columns: [0], arguments: [name])
    return rows.first.flatMap { String(databaseValue: $0[0]) }
  }

  /// Whether a view compares columns that are not reported.
  func hasViewThatCompares() throws(DatabaseError) -> Bool {
    if let known = connection.knowledge.hasViewThatCompares { return known }
    let views = try connection.internalRows("SELECT sql FROM main.sqlite_master WHERE type = 'view'", columns: [0])
    let isThere = views.contains {
      guard case .text(let definition) = $0[0] else { return true }
      return definition.hasKeyword("using") || definition.hasKeyword("natural")
    }
    connection.knowledge.hasViewThatCompares = isThere
    return isThere
  }
}
