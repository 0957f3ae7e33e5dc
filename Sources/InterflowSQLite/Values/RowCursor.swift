/// The rows of a query, one at a time.
///
/// It belongs to the access that it was made in: afterwards, ``next()`` throws.
public final class RowCursor {
  private let statement: Statement
  private let connection: DatabaseConnection
  private let access: Int
  private var isDone = false

  init(_ statement: Statement, _ connection: DatabaseConnection) {
    self.statement = statement
    self.connection = connection
    access = statement.access
  }

  deinit {
    finish()
  }

  /// The names of the columns.
  public var columnNames: [String] { statement.columns.names }

  /// The next row; `nil` after the last. The row before is no longer valid.
  public func next() throws(DatabaseError) -> Row? {
    if isDone { return nil }
    try requireActive()
    do {
      if try statement.step() { return Row(statement) }
    } catch {
      finish()
      throw error
    }
    finish()
    return nil
  }

  private func requireActive() throws(DatabaseError) {
    guard access != 0, statement.access == access else {
      throw .misuse("the cursor is used after its access has ended", sql: statement.sql)
    }
  }

  private func finish() {
    guard !isDone else { return }
    isDone = true
    if statement.access == access { connection.finish(statement) }
  }
}
