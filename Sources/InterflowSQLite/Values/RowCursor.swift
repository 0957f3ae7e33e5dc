/// The rows of a query, one at a time.
///
/// It belongs to the access that it was made in, and to its thread: elsewhere and afterwards, ``next()`` throws. Whoever
/// releases it last may do so on any thread and at any time.
public final class RowCursor {
  // What it runs. The access retains both as long as this runs; to retain them for each row would take longer than what
  // is done with them.
  private unowned(unsafe) let statement: Statement
  private unowned(unsafe) let connection: DatabaseConnection
  private let values: ColumnValues
  private let sql: String
  /// Says whether `statement` and `connection` may be touched: only by the thread of the access, as long as that lasts.
  private let identity: AccessIdentity
  private let access: Int
  /// Whether the statement has been given back, after the last row or an error.
  private var isDone = false
  /// Whether a row is being decoded: by code of the program, which may have this cursor.
  private var isDecoding = false
  /// How many steps it has taken, which tells its rows apart.
  private var position = 0
  /// The columns, as of the first step.
  private var columns: StatementColumns?
  /// A step that was taken before it was requested.
  private var ahead: Result<Bool, DatabaseError>?

  init(_ statement: Statement, _ connection: DatabaseConnection) {
    self.statement = statement
    self.connection = connection
    values = statement.values
    sql = statement.sql
    identity = connection.identity
    access = connection.access.number
  }

  deinit {
    // Otherwise the access has given the statement back, or does so at its end.
    if !isDone, identity.isInside(access) { connection.finish(statement) }
  }

  /// The names of the columns.
  ///
  /// Only a statement that has begun to run knows them, so that asking before the first ``next()`` runs it up to its
  /// first row. Asking for the first time after the access has ended, on another thread while it lasts, or inside a
  /// function that the statement calls, is a programming error and traps.
  public var columnNames: [String] {
    guard identity.isInside(access) else {
      precondition(identity.isOver(access), "ask for the names of the columns on the thread of the access")
      guard let columns else { preconditionFailure("ask for the names of the columns before the access ends") }
      return columns.names
    }
    if let columns { return columns.names }
    guard !isDone else { return [] }
    precondition(!connection.authorizer.isRunning, "ask for the names of the columns outside the function")
    if ahead == nil, !isRefused {
      do throws(DatabaseError) {
        ahead = .success(try step())
      } catch {
        ahead = .failure(error)
      }
    }
    return statement.columns.names
  }

  /// The next row; `nil` after the last. The row before is no longer valid.
  ///
  /// While a row of this cursor is decoded, throws an error of the kind ``DatabaseError/Kind-swift.enum/misuse``.
  public func next() throws(DatabaseError) -> Row? {
    guard identity.isInside(access) else { throw identity.misuse(of: "the cursor", sql: sql) }
    guard !isDecoding else {
      throw .misuse("a cursor is to go on while its row is decoded: call next() after that", sql: sql)
    }
    if isDone { return nil }
    do {
      position += 1
      let hasRow: Bool
      if ahead != nil, let ahead = ahead.take() { hasRow = try ahead.get() } else { hasRow = try step() }
      if hasRow { return Row(self, position) }
    } catch {
      // A function that a statement calls must not end it, and what is refused inside a read can go on after that.
      if !connection.authorizer.isRunning, !isRefused { finish() }
      throw error
    }
    finish()
    return nil
  }

  /// Whether it would write, which it does in its first step, in a read inside the access that it was made in.
  private var isRefused: Bool { columns == nil && connection.access.mode == .read && !statement.isReadOnly }

  @inline(__always) private func step() throws(DatabaseError) -> Bool {
    if isRefused { throw .readOnly(sql) }
    try connection.requireTransaction(sql)
    guard !statement.isRolledBack else {
      throw DatabaseError(kind: .other, message: "what the cursor's statement has written was rolled back", sql: sql)
    }
    let hasRow = try statement.step()
    if columns == nil { columns = statement.columns }
    return hasRow
  }

  /// The statement, which is at the row of a position. Otherwise the row is no longer valid, which traps.
  func statement(at position: Int) -> Statement {
    check(position)
    return statement
  }

  /// Decodes the row of a position.
  func decode<Value: Decodable>(_ type: Value.Type, at position: Int) throws(DatabaseError) -> Value {
    guard identity.isInside(access) else { throw identity.misuse(of: "a row", sql: sql) }
    guard isAt(position) else {
      throw .misuse("a row is used after its cursor has gone on: take its values before", sql: sql)
    }
    let statement = statement
    let wasDecoding = isDecoding
    isDecoding = true
    defer {
      isDecoding = wasDecoding
      // The decoder does not retain it, and `init(from:)` can do anything.
      withExtendedLifetime(statement) {}
    }
    return try RowDecoder(statement, connection.options).decode(type)
  }

  /// The values of the row of a position.
  @inline(__always) func values(at position: Int) -> ColumnValues {
    check(position)
    return values
  }

  @inline(__always) private func check(_ position: Int) {
    precondition(
      identity.isInside(access) && isAt(position),
      """
      a row is valid until the cursor's next call, and until the access ends, on the thread of the access: take its \
      values before, or use fetchAll or fetchOne
      """)
  }

  @inline(__always) private func isAt(_ position: Int) -> Bool {
    !isDone && position == self.position && !statement.isRolledBack
  }

  private func finish() {
    isDone = true
    connection.finish(statement)
  }
}
