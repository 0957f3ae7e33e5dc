internal import CSQLite

extension DatabaseConnection {
  /// Runs statements that return no rows, or whose rows are not wanted.
  ///
  /// Without arguments, the text may contain several statements, separated by semicolons.
  ///
  /// - Parameters:
  ///   - sql: The statements.
  ///   - arguments: The values for the parameters of the one statement.
  public func execute(sql: SQL, arguments: DatabaseArguments = []) throws(DatabaseError) {
    if !sql.values.isEmpty || !arguments.isEmpty || !sql.text.utf8.dropLast().contains(0x3B) {
      let statement = try statement(sql, arguments)
      defer { finish(statement) }
      while try statement.step() {}
    } else {
      _ = try sql.arguments(or: [])
      try executeAll(sql.text)
    }
  }

  /// Several statements, none of which is kept.
  private func executeAll(_ sql: String) throws(DatabaseError) {
    try requireUse(sql)
    var script = try Script(sql)
    while let statement = try script.next(on: handle, authorizer) {
      try use(statement, [])
      defer { finish(statement, isKept: false) }
      while try statement.step() {}
    }
  }

  /// All rows of a query, decoded.
  ///
  /// A type with several properties is decoded from the columns of the same names; one that is stored in a single
  /// column, such as `Int` or `String`, from the first column. Names of columns are compared without the case of ASCII
  /// letters, as SQLite compares them. A property without a column is an error, unless it may be nil; see
  /// ``DatabaseOptions/missingColumns``.
  ///
  /// A property that is a structure itself has the columns whose names begin with its name and a period, as
  /// `"author.name"`. A column whose name ends with a period is a heading, unless it is a column of a table with a type. It
  /// puts its name before those of all columns up to the next heading, so that a row of a join is a structure of structures:
  ///
  /// ```swift
  /// struct Credit: Decodable {
  ///   var picture: Picture
  ///   var author: Author?
  /// }
  /// let credits = try db.fetchAll(
  ///   Credit.self,
  ///   sql: """
  ///     SELECT NULL AS "picture.", picture.*, NULL AS "author.", author.*
  ///       FROM picture LEFT JOIN author ON author.id = picture.author ORDER BY picture.id
  ///     """)
  /// ```
  ///
  /// Such a property that may be nil is nil if all of its columns are `NULL`, as where an outer join finds no row.
  ///
  /// ```swift
  /// let pictures = try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY date")
  /// ```
  public func fetchAll<Row: Decodable>(
    _ type: Row.Type = Row.self, sql: SQL, arguments: DatabaseArguments = []
  ) throws(DatabaseError) -> [Row] {
    let statement = try statement(sql, arguments)
    defer { finish(statement) }
    guard try statement.step() else { return [] }
    if let single = type as? any DatabaseConvertible.Type, let rows = try firstColumn(type, statement, single) {
      return rows
    }
    let decoder = RowDecoder(statement, options)
    var rows: [Row] = []
    repeat { rows.append(try decoder.decode(type)) } while try statement.step()
    return rows
  }

  /// The first row of a query, decoded as by ``fetchAll(_:sql:arguments:)``; `nil` if there is none.
  ///
  /// For a type that is ``DatabaseConvertible``, the result is `nil` also if the first column is `NULL`, as that of
  /// `SELECT max(size) FROM a` is for an empty table, unless the type makes a value of `NULL`.
  public func fetchOne<Row: Decodable>(
    _ type: Row.Type = Row.self, sql: SQL, arguments: DatabaseArguments = []
  ) throws(DatabaseError) -> Row? {
    let statement = try statement(sql, arguments)
    defer { finish(statement) }
    guard try statement.step() else { return nil }
    let row = try decodeRow(type, statement)
    // Outside a transaction, its end is the commit of what it writes, which can fail.
    if !statement.isReadOnly { while try statement.step() {} }
    return row
  }

  @inline(__always) private func decodeRow<Row: Decodable>(
    _ type: Row.Type, _ statement: Statement
  ) throws(DatabaseError) -> Row? {
    if let single = type as? any DatabaseConvertible.Type {
      if statement.values.isNull(0) { return single.init(databaseValue: .null) as? Row }
      if let row = try firstColumnOfRow(type, statement, single) { return row }
    }
    return try RowDecoder(statement, options).decode(type)
  }

  /// The rows of a query, one at a time.
  ///
  /// ```swift
  /// let rows = try db.fetchCursor(sql: "SELECT id, title FROM picture")
  /// while let row = try rows.next() { print(row.value(0), row.value(1)) }
  /// ```
  public func fetchCursor(sql: SQL, arguments: DatabaseArguments = []) throws(DatabaseError) -> RowCursor {
    RowCursor(try statement(sql, arguments), self)
  }

  /// How many rows the last statement that inserts, updates or deletes has changed itself.
  ///
  /// Outside the access, this is a programming error and traps.
  public var changedRowCount: Int {
    precondition(identity.isInside, Self.outsideMessage)
    return Int(sqlite3_changes(handle))
  }

  /// The row number of the last row that was inserted into a table that has row numbers.
  ///
  /// Outside the access, this is a programming error and traps.
  public var lastInsertedRowID: Int64 {
    precondition(identity.isInside, Self.outsideMessage)
    return sqlite3_last_insert_rowid(handle)
  }

  private static let outsideMessage =
    "a connection is used outside its access: ask inside the closure that receives it, on the thread that runs it"
}
