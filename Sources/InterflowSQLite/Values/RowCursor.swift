/// The rows of a query, one at a time.
///
/// It belongs to the access that it was made in: afterwards, ``next()`` throws.
public final class RowCursor {
  private let statement: Statement
  private let connection: DatabaseConnection
  private let access: Int
  private var isDone = false
  /// The columns, as of the first step.
  private var columns: StatementColumns?
  /// A step that was taken before it was asked for.
  private var ahead: Result<Bool, DatabaseError>?

  init(_ statement: Statement, _ connection: DatabaseConnection) {
    self.statement = statement
    self.connection = connection
    access = statement.access
  }

  deinit {
    finish()
  }

  /// The names of the columns.
  ///
  /// Only a statement that has begun to run knows them, so that asking before the first ``next()`` runs it up to its
  /// first row.
  public var columnNames: [String] {
    if let columns { return columns.names }
    precondition(isActive, "ask for the names of the columns before the access ends")
    let result: Result<Bool, DatabaseError>
    do throws(DatabaseError) { result = .success(try step()) } catch { result = .failure(error) }
    ahead = result
    return statement.columns.names
  }

  /// The next row; `nil` after the last. The row before is no longer valid.
  public func next() throws(DatabaseError) -> Row? {
    if isDone { return nil }
    guard isActive else { throw .misuse("the cursor is used after its access has ended", sql: statement.sql) }
    do {
      let hasRow: Bool
      if let ahead = ahead.take() { hasRow = try ahead.get() } else { hasRow = try step() }
      if hasRow { return Row(statement) }
    } catch {
      finish()
      throw error
    }
    finish()
    return nil
  }

  private func step() throws(DatabaseError) -> Bool {
    let hasRow = try statement.step()
    if columns == nil { columns = statement.columns }
    return hasRow
  }

  private var isActive: Bool { access != 0 && statement.access == access }

  private func finish() {
    guard !isDone else { return }
    isDone = true
    if statement.access == access { connection.finish(statement) }
  }
}
