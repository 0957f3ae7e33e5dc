/// A step from one version of a schema to the next.
public struct Migration: Sendable {
  /// The version of the schema after this step, which is greater than zero. It is stored as SQLite's `user_version`.
  public let version: Int32

  let body: @Sendable (DatabaseConnection) throws -> Void

  /// Makes a step. A version that is not greater than zero is a programming error and traps.
  public init(_ version: Int32, _ body: @escaping @Sendable (DatabaseConnection) throws -> Void) {
    precondition(version > 0, "a migration needs a version greater than zero, but has \(version)")
    self.version = version
    self.body = body
  }
}

extension Database {
  /// Brings the schema to the newest version that the program knows: runs the steps that the database lacks, in the
  /// order of their versions, each in a transaction.
  ///
  /// ```swift
  /// try await database.migrate([
  ///   Migration(1) { try $0.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT)") },
  ///   Migration(2) { try $0.execute(sql: "ALTER TABLE picture ADD COLUMN date TEXT") },
  /// ])
  /// ```
  ///
  /// A database with a newer version gives an error of the kind ``DatabaseError/Kind-swift.enum/newerSchema``.
  ///
  /// - Parameter migrations: All steps that there have ever been. Two with one version are a programming error and trap.
  public func migrate(_ migrations: [Migration]) async throws {
    let plan = MigrationPlan(migrations)
    while try await write({ try plan.advance($0) }) {}
  }

  /// Brings the schema to the newest version that the program knows. Waits for it.
  @available(*, noasync, message: "await the method")
  public func migrate(_ migrations: [Migration]) throws {
    let plan = MigrationPlan(migrations)
    while try write({ try plan.advance($0) }) {}
  }
}

/// The steps in their order.
private struct MigrationPlan: Sendable {
  private let steps: [Migration]

  init(_ migrations: [Migration]) {
    steps = migrations.sorted { $0.version < $1.version }
    precondition(Set(steps.map(\.version)).count == steps.count, "two migrations have the same version")
  }

  /// Runs the next step that the database lacks. Each looks at the version again, because another process may have run
  /// it meanwhile.
  ///
  /// - Returns: Whether there was one.
  func advance(_ connection: DatabaseConnection) throws -> Bool {
    let version = try connection.fetchOne(Int32.self, sql: "PRAGMA user_version") ?? 0
    if let newest = steps.last?.version ?? (version > 0 ? 0 : nil), version > newest {
      throw DatabaseError(
        kind: .newerSchema, message: "the schema has version \(version), but the newest known is \(newest)")
    }
    guard let step = steps.first(where: { $0.version > version }) else { return false }
    try step.body(connection)
    try connection.execute(sql: "PRAGMA user_version = \(step.version)")
    return true
  }
}
