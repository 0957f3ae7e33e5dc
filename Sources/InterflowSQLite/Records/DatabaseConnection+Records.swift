internal import CSQLite

// Records are written in a transaction, like what any other statement writes.
extension DatabaseConnection {
  /// Inserts a record.
  ///
  /// A property of the primary key that is nil is left to the database, which numbers the rows of an
  /// `INTEGER PRIMARY KEY`, and gives others the default of their column. Every other property that is nil is stored as
  /// `NULL`. What the database has given comes back with `RETURNING`, which SQLite has since its version 3.35.
  ///
  /// A row that a constraint (`ON CONFLICT IGNORE`) or a trigger (`RAISE(IGNORE)`) of the table ignores is an error of the
  /// kind ``DatabaseError/Kind-swift.enum/constraint``, except where the table is a view. A constraint that is declared
  /// with `ON CONFLICT REPLACE` deletes the rows that are in the way, as it does for every statement.
  ///
  /// - Returns: The record with the values that have been written, and with a key and generated columns that the database
  ///   has given it. It does not have what triggers have changed, nor what the type of a column has made of a value; to
  ///   update such a record later, fetch it by its key.
  @discardableResult
  public func insert<Record: DatabaseRecord>(_ record: Record) throws(DatabaseError) -> Record {
    try insert(record, try RecordValues(record, try table(of: Record.self)))
  }

  /// Updates the row that has the key of a record.
  ///
  /// Columns that are no property of the record stay as they are. Without such a row, throws an error of the kind
  /// ``DatabaseError/Kind-swift.enum/recordNotFound``; if a constraint or a trigger of the table ignores the change, one of
  /// the kind ``DatabaseError/Kind-swift.enum/constraint``.
  public func update<Record: DatabaseRecord>(_ record: Record) throws(DatabaseError) {
    let values = try RecordValues(record, try table(of: Record.self))
    guard try update(values) else {
      throw DatabaseError(
        kind: .recordNotFound, message: "\(values.table.name) has no row with the key of this \(Record.self)")
    }
  }

  /// Inserts a record, or updates the row that has its key, in one statement.
  ///
  /// Only a row with the same primary key is updated: another constraint that is violated is an error, unless the schema
  /// declares it with `ON CONFLICT REPLACE`, which ``insert(_:)`` describes. A record without a key is inserted.
  ///
  /// - Returns: The record with the values that have been written, as ``insert(_:)`` returns it.
  @discardableResult
  public func upsert<Record: DatabaseRecord>(_ record: Record) throws(DatabaseError) -> Record {
    let values = try RecordValues(record, try table(of: Record.self))
    guard try values.key() != nil else { return try insert(record, values) }
    return try store(record, values, (plain: .upsert, returning: .upsertReturning))
  }

  /// Updates the row that has the key of a record, or inserts the record if there is none.
  ///
  /// Other than with ``upsert(_:)``, a row that exists is changed by an `UPDATE`: triggers for insertions do not run, and
  /// columns that are no property of the record need no default.
  ///
  /// - Returns: The record itself, or as ``insert(_:)`` returns it.
  @discardableResult
  public func save<Record: DatabaseRecord>(_ record: Record) throws(DatabaseError) -> Record {
    let values = try RecordValues(record, try table(of: Record.self))
    return try update(values) ? record : try insert(record, values)
  }

  /// Deletes the row that has the key of a record.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func delete<Record: DatabaseRecord>(_ record: Record) throws(DatabaseError) -> Bool {
    let values = try RecordValues(record, try table(of: Record.self))
    guard let key = try values.key() else { return false }
    return try change(values.table.sql(.delete), values.arguments(key), row: row(values, key))
  }

  /// Deletes the row that has a key.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - key: The value of the primary key. There is no row with a key that is nil.
  /// - Returns: Whether there was one.
  @discardableResult
  @_disfavoredOverload
  public func delete<Record: DatabaseRecord>(
    _ type: Record.Type, key: (some DatabaseConvertible)?
  ) throws(DatabaseError) -> Bool {
    try delete(type, key: DatabaseArguments([key]))
  }

  /// Deletes the row that has a key of several columns.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - key: The values of the primary key, in its order or by the names of its columns.
  /// - Returns: Whether there was one.
  @discardableResult
  public func delete<Record: DatabaseRecord>(
    _ type: Record.Type, key: DatabaseArguments
  ) throws(DatabaseError) -> Bool {
    let table = try table(of: type)
    let arguments = try key.inOrder(ofKeyOf: table, type)
    return try change(table.sql(.delete), arguments, row: table.row(arguments, options.formats))
  }

  // MARK: Statements

  private func insert<Record: DatabaseRecord>(
    _ record: Record, _ values: RecordValues
  ) throws(DatabaseError) -> Record {
    try store(record, values, (plain: .insert, returning: .insertReturning))
  }

  private func store<Record: DatabaseRecord>(
    _ record: Record, _ values: RecordValues,
    _ operations: (plain: RecordTable.Operation, returning: RecordTable.Operation)
  ) throws(DatabaseError) -> Record {
    let columns = values.inserted
    let arguments = values.arguments(columns)
    let row = values.storedKey.flatMap { self.row(values, $0) }
    guard values.hasGeneratedValues else {
      let sql = values.table.sql(operations.plain, columns)
      // What triggers of a view change is not counted.
      if try !change(sql, arguments, row: row), try !isView(values.table) { throw Self.ignored(values.table, sql: sql) }
      return record
    }
    let statement = try statement(values.table.sql(operations.returning, columns), arguments, row: row)
    defer { finish(statement) }
    guard try statement.step() else { throw Self.ignored(values.table, sql: statement.sql) }
    // Before code of the record's runs, which may insert other rows.
    let number = sqlite3_last_insert_rowid(handle)
    let stored = try RowDecoder(statement, options).decode(Record.self)
    while try statement.step() {}
    if row == nil, values.isKeyMissing, values.table.hasIndependentRows { statement.row = number }
    return stored
  }

  /// - Returns: Whether there is such a row.
  private func update(_ values: RecordValues) throws(DatabaseError) -> Bool {
    guard let key = try values.key() else { return false }
    // A record that is nothing but its key has nothing to change; whether there is a row is found out nevertheless.
    let columns = values.updated.isEmpty ? key : values.updated
    let sql = values.table.sql(.update, columns)
    let row = self.row(values, key)
    if try change(sql, values.arguments(columns + key), row: row) { return true }
    let statement = try statement(values.table.sql(.fetch), values.arguments(key), row: row)
    defer { finish(statement) }
    guard try !statement.step() else { throw Self.ignored(values.table, sql: sql) }
    return false
  }

  private static func ignored(_ table: RecordTable, sql: String) -> DatabaseError {
    DatabaseError(
      kind: .constraint, message: "a constraint or a trigger of \(table.name) has ignored the row", sql: sql)
  }

  private func isView(_ table: RecordTable) throws(DatabaseError) -> Bool {
    try !internalRows(
      """
      SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?1 COLLATE NOCASE
      UNION ALL SELECT 1 FROM temp.sqlite_master WHERE type = 'view' AND name = ?1 COLLATE NOCASE
      """, columns: [0], arguments: [table.name]
    ).isEmpty
  }

  /// The number of the row that a record is, if it is known.
  private func row(_ values: RecordValues, _ key: [Int]) -> Int64? {
    values.table.row(values.arguments(key), options.formats)
  }

  /// - Parameter row: The number of the only row that may be changed, if it is known.
  /// - Returns: Whether a row was changed.
  private func change(
    _ sql: String, _ arguments: DatabaseArguments, row: Int64?
  ) throws(DatabaseError) -> Bool {
    let statement = try statement(sql, arguments, row: row)
    defer { finish(statement) }
    while try statement.step() {}
    return sqlite3_changes(handle) > 0
  }
}
