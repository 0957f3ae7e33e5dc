/// The steps in their order. A value, without SQLite.
struct MigrationPlan: Sendable {
  /// Those with versions first.
  let steps: [Migration]
  private let newestVersion: Int32?
  private let names: Set<String>

  init(_ migrations: [Migration]) {
    let numbered = migrations.filter { $0.version != nil }.sorted { $0.version ?? 0 < $1.version ?? 0 }
    let named = migrations.filter { $0.version == nil }
    steps = numbered + named
    newestVersion = numbered.last?.version
    names = Set(named.map(\.name))
    precondition(
      Set(numbered.map(\.version)).count == numbered.count, "two migrations have the same version")
    precondition(names.count == named.count, "two migrations have the same name")
  }

  /// The next step that a database lacks.
  func next(after record: MigrationRecord) throws(DatabaseError) -> Migration? {
    try checkKnown(record)
    guard let step = steps.first(where: { !record.contains($0) }) else { return nil }
    if let version = step.version {
      guard version > record.newestVersion else {
        throw .misuse(
          """
          the migration to version \(version) has not run, but that to version \(record.newestVersion) has: give it a \
          greater version, or a name
          """)
      }
      guard record.names.isEmpty else {
        throw .misuse(
          "the migration to version \(version) has not run, but some with names have, which come after it: give it a name"
        )
      }
    }
    return step
  }

  private func checkKnown(_ record: MigrationRecord) throws(DatabaseError) {
    if record.newestVersion > newestVersion ?? 0 {
      throw DatabaseError(
        kind: .newerSchema,
        message: "the schema has version \(record.newestVersion), but the newest known is \(newestVersion ?? 0)")
    }
    if let unknown = record.names.subtracting(names).min() {
      throw DatabaseError(
        kind: .newerSchema, message: "the migration \"\(unknown)\" has run in the database, which is not known")
    }
  }
}
