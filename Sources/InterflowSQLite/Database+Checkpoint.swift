internal import CSQLite

/// How much of a write-ahead log is moved into the file, and what that waits for.
public enum DatabaseCheckpoint: Sendable, Hashable {
  /// What no read needs any more, without waiting.
  case passive
  /// Everything, after the reads that need an older state.
  case full
  /// Everything, and afterwards the log is empty, after all reads that use it.
  case truncate
}

extension Database {
  /// Moves pages from the write-ahead log into the file.
  ///
  /// Commits do so by themselves from time to time, see ``DatabaseOptions/checkpointPageCount``, as far as no read needs
  /// the state before. So the log grows as long as a read lasts. This is for the moments at which a program knows that it
  /// has time, or that no read runs:
  ///
  /// ```swift
  /// let remaining = try await database.checkpoint(.truncate)
  /// ```
  ///
  /// A read that lasts longer than the busy timeout gives an error of the kind ``DatabaseError/Kind-swift.enum/locked``,
  /// except for ``DatabaseCheckpoint/passive``.
  ///
  /// - Returns: How many pages have not been moved. Zero for a database without a write-ahead log.
  @discardableResult
  public func checkpoint(_ checkpoint: DatabaseCheckpoint = .passive) async throws -> Int {
    try await writer.run { try $0.checkpoint(checkpoint) }
  }

  /// Moves pages from the write-ahead log into the file. Waits for it.
  @available(*, noasync, message: "await the method")
  @discardableResult
  public func checkpoint(_ checkpoint: DatabaseCheckpoint = .passive) throws -> Int {
    try writeBlocking { try $0.checkpoint(checkpoint) }
  }
}

extension DatabaseConnection {
  fileprivate func checkpoint(_ checkpoint: DatabaseCheckpoint) throws(DatabaseError) -> Int {
    let mode =
      switch checkpoint {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .full: SQLITE_CHECKPOINT_FULL
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    // SQLite remembers an interrupt until a statement begins, also that of a task which had the connection before.
    _ = try internalRows("SELECT 1", columns: [], isKept: true)
    var (all, moved): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &all, &moved)
    guard code == SQLITE_OK else { throw DatabaseError(code, handle, sql: nil) }
    return max(0, Int(all - moved))
  }
}
