import Foundation
import InterflowSQLite

/// The results of runs over any number of folders, in a database.
package struct IndexStore: Sendable {
  /// Marks the file as one of this program, so that no other database is written to: "FIdx".
  static let applicationIdentifier: Int32 = 0x4649_6478

  let database: Database
  private let file: String

  /// Opens a database, and makes its tables if it is empty.
  ///
  /// - Parameters:
  ///   - createsFile: Whether a file that does not exist is made.
  ///   - trace: Called after each statement.
  package init(file: String, createsFile: Bool, trace: TraceHook? = nil) async throws {
    self.file = file
    database = try await Self.explaining(file) {
      var options = DatabaseOptions()
      options.createsFile = createsFile
      options.trace = trace
      try await Self.refuseForeign(file)
      let database = try await Database(path: file, options: options)
      do {
        try await database.migrate(Self.migrations)
      } catch {
        await database.close()
        throw error
      }
      return database
    }
  }

  /// Looks without writing: a database that is opened for writing gets a log, for one.
  private static func refuseForeign(_ file: String) async throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue else { return }
    var options = DatabaseOptions()
    options.isReadOnly = true
    let database = try await Database(path: file, options: options)
    let isForeign: Bool
    do {
      isForeign = try await database.read { db in
        try db.fetchOne(Int32.self, sql: "PRAGMA application_id") != applicationIdentifier
          && db.fetchOne(Int.self, sql: "SELECT count(*) FROM sqlite_master") != 0
      }
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    if isForeign { throw StoreProblem(file: file, reason: "it is the database of another program") }
  }

  /// An entry is a file if it has bytes, else it failed or was skipped for a reason. `run` is that of the last run that
  /// has found it. The times and the like are absent where they cannot be relied on.
  private static let migrations = [
    Migration(1) { db in
      try db.execute(
        sql: """
          PRAGMA application_id = \(SQL(verbatim: "\(applicationIdentifier)"));
          CREATE TABLE folder (
            id INTEGER PRIMARY KEY,
            path BLOB NOT NULL UNIQUE,
            run INTEGER NOT NULL,
            ending TEXT NOT NULL,
            walked INTEGER NOT NULL,
            indexed INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            unchanged INTEGER NOT NULL,
            removed INTEGER NOT NULL,
            seconds REAL NOT NULL
          );
          CREATE TABLE entry (
            folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE,
            path BLOB NOT NULL,
            run INTEGER NOT NULL,
            extension TEXT, bytes INTEGER, lines INTEGER, cksum INTEGER,
            inode INTEGER, size INTEGER, modified INTEGER, changed INTEGER,
            failure TEXT,
            rule TEXT,
            PRIMARY KEY (folder, path)
          ) WITHOUT ROWID;
          """)
    }
  ]

  /// Closes the database.
  package func close() async { await database.close() }

  /// Runs a closure whose errors of the database become problems with the file.
  func explaining<Success>(_ body: () async throws -> Success) async throws -> Success {
    try await Self.explaining(file, body)
  }

  private static func explaining<Success>(
    _ file: String, _ body: () async throws -> Success
  ) async throws -> Success {
    do {
      return try await body()
    } catch let error as DatabaseError {
      throw StoreProblem(file, error)
    }
  }

  // MARK: Runs

  /// Begins a run over a folder, which makes every other run over it fail.
  ///
  /// - Parameter folder: The folder's path, absolute and without links.
  package func beginRun(over folder: EntryPath) async throws -> StoredRun {
    try await explaining {
      try await database.write { db in
        try db.execute(
          sql: """
            INSERT INTO folder VALUES (NULL, \(folder.bytes), 1, \("\(IndexReport.Ending.unfinished)"), 0, 0, 0, 0, 0, 0)
              ON CONFLICT (path) DO UPDATE
              SET run = run + 1, ending = excluded.ending, walked = 0, indexed = 0, failed = 0, unchanged = 0,
                removed = 0, seconds = 0
            """)
        guard
          let row = try db.fetchOne(
            StoredRun.Key.self, sql: "SELECT id AS folder, run FROM folder WHERE path = ?", arguments: [folder.bytes])
        else { throw DatabaseError(kind: .other, message: "a row is gone that was just written") }
        let knows = try db.fetchOne(
          Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM entry WHERE folder = ?)", arguments: [row.folder])
        return StoredRun(store: self, file: file, key: row, knowsEntries: knows == true)
      }
    }
  }

  // MARK: Reports

  /// The report of the last run over a folder, as it is stored; `nil` if there was none.
  ///
  /// - Parameters:
  ///   - folder: The folder's path, absolute and without links.
  ///   - name: How the report names the folder.
  package func report(
    of folder: EntryPath, name: EntryPath
  ) -> @Sendable (DatabaseConnection) throws -> IndexReport? {
    { db in try StoredReport(db, of: folder)?.report(db, name: name) }
  }
}
