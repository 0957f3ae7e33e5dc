extension DatabaseConnection {
  /// Makes a full-text table (FTS5) of columns of a table, which follows each change of it.
  ///
  /// ```swift
  /// try db.createFullTextTable("picture_text", synchronizedWith: "picture", columns: ["title", "note"])
  /// ```
  ///
  /// The texts stay in the table; the full-text table has the index alone. It begins with the rows that exist, and
  /// triggers keep it in step, so it is made once, in a migration. `rowid` is the key of a row. To remove it, drop it, and
  /// the triggers whose names are its own with `_insert`, `_update` and `_delete` at the end.
  ///
  /// The table must have an `INTEGER PRIMARY KEY`, since other row numbers can change; without one, this throws an error
  /// of the kind ``DatabaseError/Kind-swift.enum/misuse``. SQLite deletes a row for `REPLACE` without calling triggers,
  /// unless `PRAGMA recursive_triggers` is on: use ``upsert(_:)`` or `ON CONFLICT … DO UPDATE` with such a table.
  ///
  /// - Parameters:
  ///   - name: The name of the full-text table.
  ///   - table: The name of the table that has the texts.
  ///   - columns: The names of its columns to be searched.
  ///   - tokenizer: How texts are taken apart, such as `porter unicode61`; `nil` for SQLite's default.
  public func createFullTextTable(
    _ name: String, synchronizedWith table: String, columns: [String], tokenizer: String? = nil
  ) throws {
    try requireUse(nil)
    let rows = try internalRows(
      "SELECT name, upper(type), pk FROM pragma_table_xinfo(?1)", columns: [0, 1, 2], arguments: [table])
    let keys = rows.filter { $0[2] != .integer(0) }
    guard keys.count == 1, case .text(let key) = keys[0][0], keys[0][1] == .text("INTEGER") else {
      throw DatabaseError.misuse(
        "\(table) has no INTEGER PRIMARY KEY, without which the rows of a full-text table cannot be told apart")
    }
    // SQLite would find out when the table exists already.
    let existing = StatementColumns(names: rows.map { String(databaseValue: $0[0]) ?? "" })
    if let column = columns.first(where: { existing.index(of: $0, guess: 0) == nil }) {
      throw DatabaseError.misuse("\(table) has no column \(column)")
    }
    let (index, content, id) = (SQLIdentifier(name), SQLIdentifier(table), SQLIdentifier(key))
    let names = columns.map(\.quotedAsIdentifier)
    let list = SQL(verbatim: names.joined(separator: ", "))
    var arguments = names + ["content=\(table.quoted("'"))", "content_rowid=\(key.quoted("'"))"]
    if let tokenizer { arguments.append("tokenize=\(tokenizer.quoted("'"))") }

    func values(of row: String) -> SQL { SQL(verbatim: names.map { "\(row).\($0)" }.joined(separator: ", ")) }
    let insertion: SQL = "INSERT INTO \(index) (rowid, \(list)) VALUES (new.\(id), \(values(of: "new")));"
    let deletion: SQL = """
      INSERT INTO \(index) (\(index), rowid, \(list)) VALUES ('delete', old.\(id), \(values(of: "old")));
      """
    func trigger(_ event: String) -> SQLIdentifier { SQLIdentifier("\(name)_\(event)") }
    try savepoint {
      try execute(
        sql: """
          CREATE VIRTUAL TABLE \(index) USING fts5 (\(SQL(verbatim: arguments.joined(separator: ", "))));
          CREATE TRIGGER \(trigger("insert")) AFTER INSERT ON \(content) BEGIN \(insertion) END;
          CREATE TRIGGER \(trigger("update")) AFTER UPDATE ON \(content) BEGIN \(deletion) \(insertion) END;
          CREATE TRIGGER \(trigger("delete")) AFTER DELETE ON \(content) BEGIN \(deletion) END;
          INSERT INTO \(index) (\(index)) VALUES ('rebuild');
          """)
    }
  }
}
