internal import CSQLite

extension DatabaseConnection {
  /// Runs a closure that sees one state of the database.
  ///
  /// - Returns: What the closure returns, and what it has read if that is wanted.
  func read<Result>(
    isObserved: Bool = false, _ body: (DatabaseConnection) throws -> Result
  ) throws -> (result: Result, region: Region) {
    try transact("BEGIN DEFERRED")
    begin(.read)
    defer {
      end()
      endTransaction()
    }
    let result = try body(self)
    // The closure may have swallowed the error of a statement that was ended.
    if interruption?.isSet == true { throw CancellationError() }
    return (result, isObserved ? try readRegion() : Region())
  }

  /// Runs a closure in a transaction, which is rolled back if the closure throws or the work is interrupted.
  ///
  /// - Parameter commits: Counts it.
  /// - Returns: What the closure returns, and what it has written.
  func write<Result>(
    _ commits: OwnCommits? = nil, _ body: (DatabaseConnection) throws -> Result
  ) throws -> (result: Result, region: Region) {
    try transact("BEGIN IMMEDIATE")
    begin(.write)
    let result: Result
    let written: Region
    do {
      try file?.check()
      result = try body(self)
      written = access.written
      end()
      if interruption?.isSet == true { throw CancellationError() }
      guard isInTransaction else {
        throw DatabaseError(kind: .other, message: "the transaction has been rolled back")
      }
      // From here on, it is committed or fails. A cancellation ends only the wait for a lock, beside a reader of a file
      // without a log.
      commitInterruption = interruption
      defer { commitInterruption = nil }
      interruption = nil
      commits?.begin()
      defer { commits?.end() }
      try transact("COMMIT")
      commitActions.commit()
    } catch {
      commitActions.rollBack(to: 0)
      end()
      endTransaction()
      throw error
    }
    return (result, written)
  }

  /// Runs a closure each of whose statements is a transaction.
  ///
  /// - Returns: What the closure returns or throws, and what it has written by then.
  func writeWithoutTransaction<Success>(
    _ commits: OwnCommits, _ body: (DatabaseConnection) throws -> Success
  ) -> (result: Result<Success, any Error>, region: Region) {
    commits.begin()
    defer { commits.end() }
    begin(.writeWithoutTransaction)
    var result = Result {
      try file?.check()
      return try body(self)
    }
    let written = access.written
    end()
    endTransaction()
    if let unreportedFailure, case .success = result { result = .failure(unreportedFailure) }
    return (result, written)
  }

  /// Runs the closure that prepares each connection.
  func prepareAccess(_ body: (DatabaseConnection) throws -> Void) throws {
    begin(.preparation)
    let interruption = interruption
    defer {
      end()
      endTransaction()
      // The rest of the opening can be cancelled too.
      self.interruption = interruption
    }
    try body(self)
  }

  /// Runs a closure that rolls back what it has done if it throws, and nothing else.
  ///
  /// ```swift
  /// try await database.write { db in
  ///   for picture in pictures {
  ///     // One that is refused leaves the others.
  ///     try? db.savepoint { try insert(picture, with: db) }
  ///   }
  /// }
  /// ```
  ///
  /// Savepoints may be nested. What one has done is committed with the transaction that it is a part of. In
  /// `writeWithoutTransaction`, the outermost savepoint is a transaction, which waits for the lock of a write when it
  /// begins.
  ///
  /// A savepoint neither begins nor ends while a cursor has not taken all rows of a statement that writes, such as
  /// `INSERT … RETURNING`: it throws an error of the kind ``DatabaseError/Kind-swift.enum/misuse``. When a savepoint is
  /// rolled back, such a cursor has no more rows, and throws.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What the closure returns.
  @discardableResult
  public func savepoint<Success>(_ body: () throws -> Success) throws -> Success {
    try requireUse(Savepoint.inner.begin)
    try requireTransaction(Savepoint.inner.begin)
    guard !isWritingWithoutTransaction, !access.isWriting else {
      throw DatabaseError.unendedWrite("begins", Savepoint.inner.begin)
    }
    let savepoint = access.mode == .writeWithoutTransaction && !isInTransaction ? Savepoint.transaction : .inner
    try transact(savepoint.begin)
    savepointCount += 1
    defer { savepointCount -= 1 }
    let mark = access.mark()
    let actionCount = commitActions.count
    do {
      let result = try body()
      try requireTransaction(savepoint.end)
      guard !access.isWriting else { throw DatabaseError.unendedWrite("ends", savepoint.end) }
      try transact(savepoint.end)
      if !isInTransaction { commitActions.commit() }
      return result
    } catch {
      commitActions.rollBack(to: actionCount)
      undo(savepoint, mark)
      throw error
    }
  }

  private struct Savepoint {
    let begin: String
    let end: String
    let undo: String

    static let inner = Savepoint(
      begin: "SAVEPOINT interflow", end: "RELEASE interflow", undo: "ROLLBACK TO interflow; RELEASE interflow")
    // One that began by reading could not write after another connection has.
    static let transaction = Savepoint(begin: "BEGIN IMMEDIATE", end: "COMMIT", undo: "ROLLBACK")
  }

  /// Whatever is interrupted. An error may have rolled back the whole transaction.
  private func undo(_ savepoint: Savepoint, _ mark: ConnectionAccess.Mark) {
    guard isInTransaction else { return }
    let interruption = interruption.take()
    defer { self.interruption = interruption }
    // SQLite ends no savepoint beside a statement that writes: it would stay, and take the place of the one around it.
    access.endWrites()
    guard (try? transact(savepoint.undo)) != nil else {
      // Nothing of it may be committed.
      return endTransaction()
    }
    // What has not been written is not observed.
    if access.mode != .read { access.undo(to: mark) }
  }

  /// Rolls back, whatever is interrupted. It does nothing that can fail as long as the connection is of any use; the
  /// next transaction would tell.
  private func endTransaction() {
    interruption = nil
    if isInTransaction { try? transact("ROLLBACK") }
  }

  /// What the statements of this access have read.
  private func readRegion() throws(DatabaseError) -> Region {
    var region = Region()
    let unresolved = (access.footprints + access.namedRows.map(\.footprint)).filter { !$0.isResolved }
    if !unresolved.isEmpty {
      let resolution = try ReadResolution(self)
      for footprint in unresolved { try resolution.resolve(footprint) }
    }
    for footprint in access.footprints { region.formUnion(footprint.reads) }
    for (footprint, key) in access.namedRows { region.formUnion(footprint.reads.narrowed(toRow: key)) }
    return region
  }

  /// A number that changes when another connection, of this or another process, commits.
  func dataVersion() throws(DatabaseError) -> Int64 {
    guard case .integer(let version) = try internalRows("PRAGMA data_version", columns: [0]).first?.first else {
      return 0
    }
    return version
  }
}
