/// What the schema says about a table of records, and the SQL for its records, which is made once.
final class RecordTable {
  let name: String
  let quotedName: String
  /// All columns, also generated ones.
  let columns: StatementColumns
  private let quotedColumns: [String]
  /// The columns of the primary key, in its order.
  let key: [Int]
  /// The columns that SQLite computes, which cannot be written.
  let generated: Set<Int>
  /// Whether its key is the number of the row, and a change of a row changes no other one but by triggers.
  let hasIndependentRows: Bool
  private var texts: [Shape: String] = [:]

  /// What a statement depends on, beside the table.
  private struct Shape: Hashable {
    let operation: Operation
    let columns: [Int]
  }

  enum Operation {
    case insert
    case insertReturning
    case update
    case upsert
    case upsertReturning
    case delete
    case fetch
    case fetchAll
  }

  /// - Parameter rows: Of each column its name, its place in the primary key or zero, and whether it is generated.
  init(name: String, rows: [(name: String, keyPosition: Int64, isGenerated: Bool)], hasIndependentRows: Bool = false) {
    self.name = name
    self.hasIndependentRows = hasIndependentRows
    quotedName = name.quotedAsIdentifier
    columns = StatementColumns(names: rows.map(\.name))
    quotedColumns = rows.map(\.name.quotedAsIdentifier)
    key = rows.indices.filter { rows[$0].keyPosition > 0 }.sorted { rows[$0].keyPosition < rows[$1].keyPosition }
    generated = Set(rows.indices.filter { rows[$0].isGenerated })
  }

  /// The SQL of an operation.
  ///
  /// - Parameter columns: Those that are written.
  func sql(_ operation: Operation, _ columns: [Int] = []) -> String {
    let shape = Shape(operation: operation, columns: columns)
    if let text = texts[shape] { return text }
    // A record that encodes other columns each time must not fill the memory.
    if texts.count > 100 { texts = [:] }
    let text = makeSQL(operation, columns)
    texts[shape] = text
    return text
  }

  private func makeSQL(_ operation: Operation, _ columns: [Int]) -> String {
    switch operation {
    case .insert: insertion(columns)
    case .insertReturning: insertion(columns) + " RETURNING *"
    case .update: "UPDATE \(quotedName) SET \(assignments(columns) { _ in "?" })" + condition
    case .upsert: upsert(columns)
    case .upsertReturning: upsert(columns) + " RETURNING *"
    case .delete: "DELETE FROM \(quotedName)" + condition
    case .fetch: "SELECT * FROM \(quotedName)" + condition
    case .fetchAll: "SELECT * FROM \(quotedName)"
    }
  }

  private func insertion(_ columns: [Int]) -> String {
    guard !columns.isEmpty else { return "INSERT INTO \(quotedName) DEFAULT VALUES" }
    let parameters = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    return "INSERT INTO \(quotedName) (\(list(columns))) VALUES (\(parameters))"
  }

  private func upsert(_ columns: [Int]) -> String {
    let others = columns.filter { !key.contains($0) }
    // Without a change there would be no row to return.
    let changed = others.isEmpty ? key : others
    return insertion(columns)
      + " ON CONFLICT (\(list(key))) DO UPDATE SET \(assignments(changed) { "excluded." + self.quotedColumns[$0] })"
  }

  private var condition: String {
    " WHERE " + key.map { "\(quotedColumns[$0]) = ?" }.joined(separator: " AND ")
  }

  private func assignments(_ columns: [Int], _ value: (Int) -> String) -> String {
    columns.map { "\(quotedColumns[$0]) = \(value($0))" }.joined(separator: ", ")
  }

  private func list(_ columns: [Int]) -> String { columns.map { quotedColumns[$0] }.joined(separator: ", ") }

  /// The number of the row that values of the key stand for; `nil` where it is not known, or says too little about what
  /// changes.
  func row(_ key: DatabaseArguments, _ formats: DatabaseFormats) -> Int64? {
    guard hasIndependentRows, case .positional(let values) = key.storage, values.count == 1,
      case .integer(let number) = try? values[0].value(formats)
    else { return nil }
    return number
  }

  /// The columns of the primary key, if there is one.
  func requireKey() throws(DatabaseError) -> [Int] {
    guard !key.isEmpty else {
      throw .misuse("\(name) has no primary key, which tells its rows apart: use SQL with a condition of your own")
    }
    return key
  }
}
