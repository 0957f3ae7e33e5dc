/// The values of a record, for the columns of its table.
struct RecordValues {
  let table: RecordTable
  /// For each column of the table; `nil` where the record has no property.
  private let values: [DatabaseArgument?]
  private let type: any DatabaseRecord.Type

  init<Record: DatabaseRecord>(_ record: Record, _ table: RecordTable) throws(DatabaseError) {
    self.table = table
    type = Record.self
    var values = [DatabaseArgument?](repeating: nil, count: table.columns.names.count)
    for (name, value) in try ArgumentsEncoder.encode(record) {
      guard let column = table.columns.index(of: name, guess: 0) else {
        throw .misuse("\(Record.self) has a property \(name), but \(table.name) has no column of this name")
      }
      values[column] = value
    }
    self.values = values
  }

  /// Whether the database gives the row a part of its key.
  var isKeyMissing: Bool { table.key.contains { values[$0]?.isNull == true } }

  /// Whether a row that is written has values that the record does not have yet.
  var hasGeneratedValues: Bool {
    table.generated.contains { values[$0] != nil } || isKeyMissing
  }

  /// The columns that are written when the row is inserted. The database gives a key that is nil.
  var inserted: [Int] {
    values.indices.filter { column in
      guard let value = values[column], !table.generated.contains(column) else { return false }
      return !value.isNull || !table.key.contains(column)
    }
  }

  /// The columns that are written when the row is updated.
  var updated: [Int] {
    values.indices.filter { values[$0] != nil && !table.generated.contains($0) && !table.key.contains($0) }
  }

  /// The columns of the key.
  ///
  /// - Returns: `nil` if one of them is `NULL`, so that there is no row.
  func key() throws(DatabaseError) -> [Int]? {
    let key = try table.requireKey()
    if let column = key.first(where: { values[$0] == nil }) {
      throw .misuse("\(type) has no property for \(table.columns.names[column]), which is in the key of \(table.name)")
    }
    return key.contains { values[$0]?.isNull == true } ? nil : key
  }

  /// The columns of the key, if the record has a value for each of them.
  var storedKey: [Int]? {
    table.key.isEmpty || table.key.contains { values[$0]?.isNull ?? true } ? nil : table.key
  }

  /// The values of columns that the record has, for the parameters of a statement.
  func arguments(_ columns: [Int]) -> DatabaseArguments {
    DatabaseArguments(positional: columns.map { values[$0] ?? .value(.null) })
  }
}
