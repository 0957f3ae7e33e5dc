internal import CSQLite

/// The names of a statement's columns.
struct StatementColumns {
  let names: [String]
  private let indices: [String: Int]

  init(_ statement: OpaquePointer) {
    names = (0..<sqlite3_column_count(statement)).map { index in
      sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
    }
    // Of two columns with one name, the first counts.
    indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The number of a column.
  ///
  /// - Parameter guess: The number that it probably has.
  func index(of name: String, guess: Int) -> Int? {
    if guess < names.count, names[guess] == name { return guess }
    return indices[name]
  }
}
