/// Which steps have run in a database.
struct MigrationRecord {
  static let table = "interflow_migration"

  /// All versions up to this one count: the file was there when its record was begun.
  private(set) var base: Int32 = 0
  private(set) var versions: Set<Int32> = []
  private(set) var names: Set<String> = []

  /// - Parameters:
  ///   - rows: What is recorded, each a kind and a value.
  ///   - userVersion: SQLite's `user_version`, which a program may have set that knows versions alone.
  init(_ rows: [[DatabaseValue]], userVersion: Int32) throws(DatabaseError) {
    for row in rows {
      switch (row[0], row[1]) {
      case (.text("base"), .integer(let version)): base = max(base, Int32(clamping: version))
      case (.text("version"), .integer(let version)): versions.insert(Int32(clamping: version))
      case (.text("name"), .text(let name)): names.insert(name)
      default:
        throw DatabaseError(
          kind: .newerSchema, message: "the table \(Self.table) has a record of a kind that is not known")
      }
    }
    guard userVersion > self.userVersion else { return }
    guard names.isEmpty else {
      throw DatabaseError(
        kind: .newerSchema,
        message: "the schema has version \(userVersion), but its record of migrations has \(self.userVersion)")
    }
    base = userVersion
  }

  /// The newest version that has run; zero if none has.
  var newestVersion: Int32 { max(base, versions.max() ?? 0) }

  /// What `user_version` is: a number greater than a program can know that knows versions alone.
  var userVersion: Int32 { Int32(clamping: Int(newestVersion) + names.count) }

  func contains(_ step: Migration) -> Bool {
    guard let version = step.version else { return names.contains(step.name) }
    return version <= base || versions.contains(version)
  }

  mutating func insert(_ step: Migration) {
    if let version = step.version { versions.insert(version) } else { names.insert(step.name) }
  }
}

extension DatabaseConnection {
  /// What has run in the database. In an access or outside.
  func migrationRecord() throws(DatabaseError) -> MigrationRecord {
    guard case .integer(let version) = try internalRows("PRAGMA user_version", columns: [0]).first?.first else {
      return try MigrationRecord([], userVersion: 0)
    }
    let exists =
      try !internalRows(
        "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?", columns: [0],
        arguments: [MigrationRecord.table]
      ).isEmpty
    let rows =
      exists ? try internalRows("SELECT kind, value FROM main.\(MigrationRecord.table)", columns: [0, 1]) : []
    return try MigrationRecord(rows, userVersion: Int32(clamping: version))
  }

  /// Records that a step has run, in the transaction in which it has.
  func add(_ step: Migration, to record: MigrationRecord) throws(DatabaseError) {
    let table = SQLIdentifier(MigrationRecord.table)
    try execute(
      sql: """
        CREATE TABLE IF NOT EXISTS main.\(table) (kind TEXT NOT NULL, value NOT NULL, PRIMARY KEY (kind, value))
        """)
    let insertion: SQL = "INSERT OR IGNORE INTO main.\(table) VALUES (?, ?)"
    if record.base > 0 { try execute(sql: insertion, arguments: ["base", record.base]) }
    if let version = step.version {
      try execute(sql: insertion, arguments: ["version", version])
    } else {
      try execute(sql: insertion, arguments: ["name", step.name])
    }
    var next = record
    next.insert(step)
    try execute(sql: SQL(verbatim: "PRAGMA user_version = \(next.userVersion)"))
  }
}
