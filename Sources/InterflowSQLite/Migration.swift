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
  /// Foreign keys are not enforced within a step, so that a table can be made anew and the old one be dropped; before a
  /// step is committed, it is checked that all rows have their parents. Where ``DatabaseOptions/prepare`` has switched
  /// them off, neither happens.
  ///
  /// A database with a newer version gives an error of the kind ``DatabaseError/Kind-swift.enum/newerSchema``.
  ///
  /// - Parameter migrations: All steps that there have ever been. Two with one version are a programming error and trap.
  public func migrate(_ migrations: [Migration]) async throws {
    let plan = MigrationPlan(migrations)
    while try await writer.run({ [observations] in try $0.advance(plan, observations) }) {}
  }

  /// Brings the schema to the newest version that the program knows. Waits for it.
  @available(*, noasync, message: "await the method")
  public func migrate(_ migrations: [Migration]) throws {
    let plan = MigrationPlan(migrations)
    while try writeBlocking({ try $0.advance(plan, observations) }) {}
  }
}

extension DatabaseConnection {
  /// Runs the next step that the database lacks.
  ///
  /// - Returns: Whether there was one.
  fileprivate func advance(_ plan: MigrationPlan, _ observations: DatabaseObservations) throws -> Bool {
    let areEnforced = try internalRows("PRAGMA foreign_keys", columns: [0]) == [[.integer(1)]]
    // Also where switching them off is interrupted, which has an effect from its compilation on.
    defer {
      // Whatever is cancelled.
      interruption = nil
      if areEnforced { try? internalExecute("PRAGMA foreign_keys = ON") }
    }
    // Within a transaction, this would have no effect.
    try internalExecute("PRAGMA foreign_keys = OFF")
    return try observations.write(self) { try plan.advance($0, checksForeignKeys: areEnforced) }
  }

  fileprivate func checkForeignKeys(_ version: Int32) throws(DatabaseError) {
    guard let row = try internalRows("PRAGMA foreign_key_check", columns: [0, 2]).first else { return }
    guard case .text(let child) = row[0], case .text(let parent) = row[1] else { return }
    throw DatabaseError(
      kind: .constraint,
      message: "after the migration to version \(version), rows of \(child) lack their parents in \(parent)")
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
  func advance(_ connection: DatabaseConnection, checksForeignKeys: Bool) throws -> Bool {
    let version = try connection.fetchOne(Int32.self, sql: "PRAGMA user_version") ?? 0
    if let newest = steps.last?.version ?? (version > 0 ? 0 : nil), version > newest {
      throw DatabaseError(
        kind: .newerSchema, message: "the schema has version \(version), but the newest known is \(newest)")
    }
    guard let step = steps.first(where: { $0.version > version }) else { return false }
    try step.body(connection)
    if checksForeignKeys { try connection.checkForeignKeys(step.version) }
    try connection.execute(sql: "PRAGMA user_version = \(step.version)")
    return true
  }
}
