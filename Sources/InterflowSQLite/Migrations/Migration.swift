/// A step from one form of a schema to the next, with a name or a version.
///
/// The file records which steps have run in it, in the table `interflow_migration`, so each runs once.
public struct Migration: Sendable {
  /// The name; that of a step with a version is the number.
  public let name: String

  /// The version of the schema after this step; `nil` for a step with a name.
  public let version: Int32?

  let body: @Sendable (DatabaseConnection) throws -> Void

  /// Makes a step with a name, which must stay the same for as long as there are files in which it has run. An empty
  /// name is a programming error and traps.
  public init(_ name: String, _ body: @escaping @Sendable (DatabaseConnection) throws -> Void) {
    precondition(!name.isEmpty, "a migration needs a name")
    self.name = name
    version = nil
    self.body = body
  }

  /// Makes a step with a version. One that is not greater than zero is a programming error and traps.
  ///
  /// Steps with versions run in the order of these, before those with names.
  public init(_ version: Int32, _ body: @escaping @Sendable (DatabaseConnection) throws -> Void) {
    precondition(version > 0, "a migration needs a version greater than zero, but has \(version)")
    name = "\(version)"
    self.version = version
    self.body = body
  }
}

extension Database {
  /// Brings the schema to the newest form that the program knows: runs the steps that have not run in the database, each
  /// in a transaction.
  ///
  /// ```swift
  /// try await database.migrate([
  ///   Migration("pictures") { try $0.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT)") },
  ///   Migration("dates of pictures") { try $0.execute(sql: "ALTER TABLE picture ADD COLUMN date TEXT") },
  /// ])
  /// ```
  ///
  /// Steps with names run in the order of the list. One that is new among others which have run, as when two branches of
  /// a program are merged, runs too. Steps with versions run before, in the order of these; one that is less than a
  /// version that has run is an error of the kind ``DatabaseError/Kind-swift.enum/misuse``, and so is one that is added
  /// when steps with names have run. Of a file without a record, SQLite's `user_version` says up to which version they
  /// have run. It grows with each step of either kind, for programs that know versions alone.
  ///
  /// Foreign keys are not enforced within a step, so that a table can be made again and the old one be dropped; before a
  /// step is committed, it is checked that all rows have their parents. Where ``DatabaseOptions/prepare`` has switched
  /// them off, neither happens.
  ///
  /// A database in which a step has run that is not in the list gives an error of the kind
  /// ``DatabaseError/Kind-swift.enum/newerSchema``.
  ///
  /// - Parameters:
  ///   - migrations: All steps that there have ever been. Two with one name or version are a programming error and trap.
  ///   - erasesOnChange: Whether everything in the database is deleted, and all steps run, if the steps that have run
  ///     would make another schema today, or are no longer in the list. For use during development: it saves new steps
  ///     for what no user has. A database that is opened to be read is never changed. To find out, the steps that have
  ///     run are run once more in an empty database in memory, without what they have given to
  ///     ``DatabaseConnection/afterCommit(_:)``.
  public func migrate(_ migrations: [Migration], erasesOnChange: Bool = false) async throws {
    let plan = MigrationPlan(migrations)
    if erasesOnChange { try await writer.run { [observations] in try $0.eraseIfChanged(plan, observations) } }
    while try await writer.run({ [observations] in try $0.advance(plan, observations) }) {}
  }

  /// Brings the schema to the newest form that the program knows. Waits for it.
  @available(*, noasync, message: "await the method")
  public func migrate(_ migrations: [Migration], erasesOnChange: Bool = false) throws {
    let plan = MigrationPlan(migrations)
    if erasesOnChange { try writeBlocking { try $0.eraseIfChanged(plan, observations) } }
    while try writeBlocking({ try $0.advance(plan, observations) }) {}
  }
}

extension DatabaseConnection {
  /// Runs the next step that the database lacks.
  ///
  /// - Returns: Whether there was one.
  func advance(_ plan: MigrationPlan, _ observations: DatabaseObservations) throws -> Bool {
    let areEnforced = try internalRows("PRAGMA foreign_keys", columns: [0]) == [[.integer(1)]]
    // Also where switching them off is interrupted, which has an effect from its compilation on.
    defer {
      // Whatever is cancelled.
      interruption = nil
      if areEnforced { try? internalExecute("PRAGMA foreign_keys = ON") }
    }
    // Within a transaction, this would have no effect.
    try internalExecute("PRAGMA foreign_keys = OFF")
    return try observations.write(self) { try $0.runNextStep(of: plan, checksForeignKeys: areEnforced) }
  }

  /// Each step looks at the record again, because another process may have run it meanwhile.
  private func runNextStep(of plan: MigrationPlan, checksForeignKeys: Bool) throws -> Bool {
    let record = try migrationRecord()
    guard let step = try plan.next(after: record) else { return false }
    try step.body(self)
    if checksForeignKeys { try checkForeignKeys(step) }
    try add(step, to: record)
    return true
  }

  private func checkForeignKeys(_ step: Migration) throws(DatabaseError) {
    guard let row = try internalRows("PRAGMA foreign_key_check", columns: [0, 2]).first else { return }
    guard case .text(let child) = row[0], case .text(let parent) = row[1] else { return }
    throw DatabaseError(
      kind: .constraint, message: "after the migration \(step.title), rows of \(child) lack their parents in \(parent)")
  }
}

extension Migration {
  /// How messages refer to it.
  var title: String { version.map { "to version \($0)" } ?? "\"\(name)\"" }
}
