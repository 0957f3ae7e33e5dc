/// What has been found out about a schema, and about queries of it.
///
/// A statement that has left the cache is then only prepared again; and of one that differs from others in a value only,
/// its program is all that has to be looked at. It is valid for one version of the schema, which each connection compares
/// with its own, as SQLite does for the statements that it has compiled.
struct SchemaKnowledge {
  private let version: SchemaVersion?
  /// What queries read, by their SQL.
  var regions = RecentlyUsed<Region>(capacity: 2_000)
  var tablesByRoot: [Int64: String]?
  /// The columns that decide about the order of rows, by table; `nil` if they are not known.
  var columnsOfOrder: [String: Set<String>?] = [:]
  var unreportedWrites: [String: ReadResolution.UnreportedWrites] = [:]
  /// By name; `nil` for tables that are not virtual.
  var virtualTables: [String: VirtualTable?] = [:]
  var hasViewThatCompares: Bool?

  init(version: SchemaVersion? = nil) {
    self.version = version
  }

  /// Forgets what is known of another version.
  mutating func adopt(_ version: SchemaVersion) {
    if version != self.version { self = SchemaKnowledge(version: version) }
  }
}

/// The versions of a connection's schemas: another transaction that has changed one has another version.
struct SchemaVersion: Equatable {
  let main: DatabaseValue?
  /// That of temporary tables, views and triggers, which can stand before others of their name.
  let temporary: DatabaseValue?
}

extension DatabaseConnection {
  func schemaVersion() throws(DatabaseError) -> SchemaVersion {
    SchemaVersion(
      main: try internalRows("PRAGMA main.schema_version", columns: [0], isKept: true).first?.first,
      temporary: try internalRows("PRAGMA temp.schema_version", columns: [0], isKept: true).first?.first)
  }
}

/// The values that were used last, of at most so many. A value is forgotten when as many others as half of them have been
/// used since.
struct RecentlyUsed<Value> {
  private var recent: [SQLText: Value] = [:]
  private var older: [SQLText: Value] = [:]
  private let half: Int

  init(capacity: Int) {
    half = max(1, capacity / 2)
  }

  mutating func value(_ sql: String) -> Value? {
    let key = SQLText(sql)
    if let value = recent[key] { return value }
    guard let value = older[key] else { return nil }
    insert(value, sql)
    return value
  }

  mutating func insert(_ value: Value, _ sql: String) {
    if recent.count >= half {
      older = recent
      recent = [:]
    }
    recent[SQLText(sql)] = value
  }

  /// How many there are: for tests.
  var count: Int { recent.count + older.count }
}
