extension DatabaseConnection {
  /// The record that has a key.
  ///
  /// An observation that reads nothing else of the table runs again only when this row may have changed, if the key is an
  /// `INTEGER PRIMARY KEY`.
  ///
  /// ```swift
  /// let photo = database.observe { db in
  ///   try db.fetch(Photo.self, key: 7)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - key: The value of the primary key. There is no record with a key that is nil.
  /// - Returns: `nil` if there is no such row.
  @_disfavoredOverload
  public func fetch<Record: DatabaseRecord>(
    _ type: Record.Type = Record.self, key: (some DatabaseConvertible)?
  ) throws(DatabaseError) -> Record? {
    // Disfavored, since a literal `[1, 2]`, which bytes could be too, is a key of several columns.
    try fetch(type, key: DatabaseArguments([key]))
  }

  /// The record that has a key of several columns.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - key: The values of the primary key, in its order or by the names of its columns.
  /// - Returns: `nil` if there is no such row.
  public func fetch<Record: DatabaseRecord>(
    _ type: Record.Type = Record.self, key: DatabaseArguments
  ) throws(DatabaseError) -> Record? {
    let table = try table(of: type)
    let arguments = try key.inOrder(ofKeyOf: table, type)
    let statement = try statement(table.sql(.fetch), arguments, row: table.row(arguments, options.formats))
    defer { finish(statement) }
    return try statement.step() ? try RowDecoder(statement, options).decode(type) : nil
  }

  /// The records that have keys of one column, any number of them.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - keys: The values of the primary key.
  /// - Returns: The records in the order of the keys, without those that do not exist.
  public func fetch<Record: DatabaseRecord>(
    _ type: Record.Type = Record.self, keys: some Sequence<some DatabaseConvertible>
  ) throws(DatabaseError) -> [Record] {
    let table = try table(of: type)
    let sql = table.sql(.fetch)
    _ = try DatabaseArguments([0]).inOrder(ofKeyOf: table, type)
    var records: [Record] = []
    for key in keys {
      // One after the other: the statement is the same for any number, and finds each row by its key.
      let arguments = try DatabaseArguments([key]).inOrder(ofKeyOf: table, type)
      let statement = try statement(sql, arguments, row: table.row(arguments, options.formats))
      defer { finish(statement) }
      guard try statement.step() else { continue }
      records.append(try RowDecoder(statement, options).decode(type))
    }
    return records
  }

  /// All records of a table, in no particular order. For a part of them, or an order, there is
  /// ``fetchAll(_:sql:arguments:)``.
  public func fetchAll<Record: DatabaseRecord>(
    _ type: Record.Type = Record.self
  ) throws(DatabaseError) -> [Record] {
    try fetchAll(type, sql: SQL(verbatim: try table(of: type).sql(.fetchAll)))
  }
}

extension DatabaseArguments {
  /// The values of a key in the order of its columns, in the formats of the record.
  func inOrder(
    ofKeyOf table: RecordTable, _ type: any DatabaseRecord.Type
  ) throws(DatabaseError) -> DatabaseArguments {
    let columns = try table.requireKey()
    func formatted(_ value: DatabaseArgument, _ column: Int) throws(DatabaseError) -> DatabaseArgument {
      guard value.dependsOnFormats, let type = type as? any DatabaseFormatted.Type,
        let formats = type.formats(forColumn: table.columns.names[column])
      else { return value }
      return .value(try value.value(formats))
    }
    switch storage {
    case .positional(let values):
      guard values.count == columns.count else {
        throw .misuse("the key of \(table.name) has \(columns.count) columns, but there are \(values.count) values")
      }
      // Hardly any value depends on formats.
      guard values.contains(where: \.dependsOnFormats) else { return self }
      var ordered: [DatabaseArgument] = []
      for (value, column) in zip(values, columns) { ordered.append(try formatted(value, column)) }
      return DatabaseArguments(positional: ordered)
    case .named(let values):
      let names = StatementColumns(names: Array(values.keys))
      var ordered: [DatabaseArgument] = []
      for column in columns {
        let name = table.columns.names[column]
        guard let index = names.index(of: name, guess: 0), let value = values[names.names[index]] else {
          throw .misuse("there is no value for \(name), which is in the key of \(table.name)")
        }
        ordered.append(try formatted(value, column))
      }
      guard values.count == columns.count else {
        throw .misuse("the key of \(table.name) has \(columns.count) columns, but there are \(values.count) values")
      }
      return DatabaseArguments(positional: ordered)
    }
  }
}
