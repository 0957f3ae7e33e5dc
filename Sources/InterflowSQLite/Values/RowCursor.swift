/// The rows of a query, one at a time.
///
/// It belongs to the access that it was made in: afterwards, ``next()`` throws.
public final class RowCursor {
  // What it runs. The access retains both as long as this runs; to retain them for each row would take longer than what
  // is done with them.
  private unowned(unsafe) let statement: Statement
  private unowned(unsafe) let connection: DatabaseConnection
  private let values: ColumnValues
  private let sql: String
  /// Not from the last row, an error, or the end of the access on. A cursor that outlives its access then touches neither
  /// the connection nor the statement, which others use.
  private var isRunning = true
  private var isDone = false
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
    statement.cursor = self
  }

  deinit {
    finish()
  }

  /// The names of the columns.
  ///
  /// Only a statement that has begun to run knows them, so that asking before the first ``next()`` runs it up to its
  /// first row. Asking for the first time after the access has ended is a programming error and traps.
  public var columnNames: [String] {
    if let columns { return columns.names }
    guard isRunning else {
      preconditionFailure("ask for the names of the columns before the access ends")
    }
    if ahead == nil {
      do throws(DatabaseError) {
        ahead = .success(try step())
      } catch {
        ahead = .failure(error)
      }
    }
    return statement.columns.names
  }

  /// The next row; `nil` after the last. The row before is no longer valid.
  public func next() throws(DatabaseError) -> Row? {
    if isDone { return nil }
    guard isRunning else {
      throw .misuse("the cursor is used after its access has ended", sql: sql)
    }
    do {
      position += 1
      let hasRow: Bool
      if ahead != nil, let ahead = ahead.take() { hasRow = try ahead.get() } else { hasRow = try step() }
      if hasRow { return Row(self, position) }
    } catch {
      finish()
      throw error
    }
    finish()
    return nil
  }

  @inline(__always) private func step() throws(DatabaseError) -> Bool {
    try connection.requireTransaction(sql)
    let hasRow = try statement.step()
    if columns == nil { columns = statement.columns }
    return hasRow
  }

  /// The statement, which is at the row of a position. Otherwise the row is no longer valid, which traps.
  func statement(at position: Int) -> Statement {
    check(position)
    return statement
  }

  /// The values of the row of a position.
  @inline(__always) func values(at position: Int) -> ColumnValues {
    check(position)
    return values
  }

  @inline(__always) private func check(_ position: Int) {
    precondition(
      isRunning && position == self.position,
      """
      a row is valid until the cursor's next call, and until the access ends: take its values before, or use fetchAll or \
      fetchOne
      """)
  }

  /// The access has ended, and gives the statement back itself.
  func accessEnded() { isRunning = false }

  private func finish() {
    isDone = true
    guard isRunning else { return }
    isRunning = false
    connection.finish(statement)
  }
}
