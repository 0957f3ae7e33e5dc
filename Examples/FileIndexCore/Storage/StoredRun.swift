import InterflowSQLite

/// One run over a folder, and what is stored of it.
package struct StoredRun: Sendable {
  /// How many results a transaction has at most. Each transaction waits for the disk; and while one is written, as many
  /// tasks as may read are waiting with their results.
  package static let batchSize = 256

  struct Key: Codable, Sendable {
    var folder: Int64
    var run: Int64
  }

  private let store: IndexStore
  private let file: String
  private let key: Key
  private let knowsEntries: Bool

  init(store: IndexStore, file: String, key: Key, knowsEntries: Bool) {
    self.store = store
    self.file = file
    self.key = key
    self.knowsEntries = knowsEntries
  }

  /// The result of a run before for a file that has not changed since. Blocks while the database is read.
  package func known(_ path: EntryPath, _ stamp: FileStamp) -> IndexedFile? {
    guard knowsEntries else { return nil }
    // If the database cannot be read, the file is read, and storing it brings the error.
    let row = try? store.database.read { db in
      try db.fetchOne(
        StoredFile.self,
        sql: """
          SELECT path, bytes, lines, cksum FROM entry
            WHERE folder = ? AND path = ? AND inode = ? AND size = ? AND modified = ? AND changed = ?
          """,
        arguments: [key.folder, path.bytes, stamp.inode, stamp.size, stamp.modified, stamp.changed])
    }
    return row?.file
  }

  /// The numbers of the run, to be observed.
  package var counts: ObservedQuery<Progress.Counts?> {
    let key = key
    return store.database.observe { db in
      try db.fetchOne(
        StoredCounts.self, sql: "SELECT walked, indexed, failed FROM folder WHERE id = ? AND run = ?",
        arguments: [key.folder, key.run])?.counts
    }
  }

  /// Stores results, in one transaction.
  ///
  /// - Parameters:
  ///   - walked: How many files have been found until now.
  ///   - elapsed: How long the run has taken until now.
  package func store(_ outcomes: [Outcome], walked: Int, elapsed: Duration) async throws {
    try await write { db, key in
      var indexed = 0
      var failed = 0
      var unchanged = 0
      for outcome in outcomes {
        switch outcome {
        case .indexed: indexed += 1
        case .unchanged: unchanged += 1
        case .failed: failed += 1
        case .skipped: break
        }
        try Self.store(outcome, key, db)
      }
      try db.execute(
        sql: """
          UPDATE folder SET walked = ?, seconds = ?, indexed = indexed + ?, failed = failed + ?,
              unchanged = unchanged + ?
            WHERE id = ?
          """,
        arguments: [walked, elapsed / .seconds(1), indexed + unchanged, failed, unchanged, key.folder])
    }
  }

  private static func store(_ outcome: Outcome, _ key: Key, _ db: DatabaseConnection) throws {
    switch outcome {
    case .unchanged(let file):
      try db.execute(
        sql: "UPDATE entry SET run = ? WHERE folder = ? AND path = ?",
        arguments: [key.run, key.folder, file.path.bytes])
    case .indexed(let file): try db.upsert(StoredEntry(file, key))
    case .failed(let entry): try db.upsert(StoredEntry(entry, key))
    case .skipped(let entry): try db.upsert(StoredEntry(entry, key))
    }
  }

  /// Ends the run. If it is complete, what it has not found is removed.
  package func end(_ ending: IndexReport.Ending, walked: Int, elapsed: Duration) async throws {
    try await write { db, key in
      var removed = 0
      if ending == .complete {
        try db.execute(
          sql: "DELETE FROM entry WHERE folder = ? AND run <> ?", arguments: [key.folder, key.run])
        removed = db.changedRowCount
      }
      try db.execute(
        sql: "UPDATE folder SET ending = ?, walked = ?, seconds = ?, removed = ? WHERE id = ?",
        arguments: ["\(ending)", walked, elapsed / .seconds(1), removed, key.folder])
    }
  }

  /// Runs a transaction if this is still the folder's last run.
  private func write(_ body: @escaping @Sendable (DatabaseConnection, Key) throws -> Void) async throws {
    let (key, file) = (key, file)
    try await store.explaining {
      try await store.database.write { db in
        let current = try db.fetchOne(Int64.self, sql: "SELECT run FROM folder WHERE id = ?", arguments: [key.folder])
        guard current == key.run else {
          throw StoreProblem(file: file, reason: "another run over the same folder has begun")
        }
        try body(db, key)
      }
    }
  }
}
