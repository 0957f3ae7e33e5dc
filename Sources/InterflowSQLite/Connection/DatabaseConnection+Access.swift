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
    return (result, isObserved ? try readRegion() : Region())
  }

  /// Runs a closure in a transaction, which is rolled back if the closure throws or the work is interrupted.
  ///
  /// - Returns: What the closure returns, and what it has written.
  func write<Result>(
    _ body: (DatabaseConnection) throws -> Result
  ) throws -> (result: Result, region: Region) {
    try transact("BEGIN IMMEDIATE")
    begin(.write)
    let result: Result
    let written: Region
    do {
      result = try body(self)
      written = access.written
      end()
      if interruption?.isSet == true { throw CancellationError() }
      guard isInTransaction else {
        throw DatabaseError(kind: .other, message: "the transaction has been rolled back")
      }
      // From here on, it is committed or fails, whatever is cancelled.
      interruption = nil
      try transact("COMMIT")
    } catch {
      end()
      endTransaction()
      throw error
    }
    return (result, written)
  }

  /// Rolls back, whatever is interrupted. It does nothing that can fail as long as the connection is of any use; the
  /// next transaction would tell.
  private func endTransaction() {
    interruption = nil
    if isInTransaction { try? transact("ROLLBACK") }
  }

  private var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// What the statements of this access have read.
  private func readRegion() throws(DatabaseError) -> Region {
    let resolution = ReadResolution(connection: self)
    var region = Region()
    for footprint in access.footprints {
      if !footprint.isResolved { try resolution.resolve(footprint) }
      region.formUnion(footprint.reads)
    }
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
