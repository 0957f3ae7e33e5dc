import Interflow

/// How a database is opened.
public struct DatabaseOptions: Sendable {
  /// Whether nothing may be changed. The file must exist then.
  public var isReadOnly = false

  /// Whether a file that does not exist is made.
  public var createsFile = true

  /// How the file is kept consistent while it is written.
  public enum JournalMode: Sendable, Hashable {
    /// A write-ahead log: reads run beside writes. The file is accompanied by two others, whose names end with `-wal` and
    /// `-shm`, as long as it is open, and its folder must be writable, also for programs that only read it.
    case wal
    /// A journal for rolling back: the file is alone except while it is written. All accesses of the database have one
    /// connection, so that reads wait for writes, and another process waits for this one's reads when it writes.
    case rollback
  }

  /// How the file is kept consistent while it is written.
  ///
  /// A file that is opened to be written gets this mode, and keeps it. A file that is opened with ``isReadOnly`` is left as
  /// it is.
  public var journalMode = JournalMode.wal

  /// How many pages the write-ahead log has before a commit moves them into the file. Zero leaves that to
  /// `checkpoint(_:)` of the database. A `PRAGMA wal_autocheckpoint` in ``prepare`` takes precedence.
  public var checkpointPageCount = 1_000

  /// Whether nobody changes the file as long as it is open, so that no locks are needed: for files in folders that
  /// cannot be written. Only together with ``isReadOnly``. A file that this process has open to be written, or that has
  /// a write-ahead log or the journal of a transaction that has not ended, is refused with an error of the kind
  /// ``DatabaseError/Kind-swift.enum/misuse``; if another process changes it, queries return wrong results.
  public var isImmutable = false

  /// How long an access waits for a lock that another process holds before it fails.
  public var busyTimeout: Duration = .seconds(5)

  /// How many reads can run at the same time. At least one; a database in memory has one connection for everything.
  ///
  /// Queries that are observed use all of them except one, if there are several, so that a read does not wait for them.
  public var readerCount = 4

  /// How many prepared statements each connection keeps, of which each takes a few kilobytes. A statement that is not
  /// kept is prepared when it is used again, which takes many times as long as to run a small one; what observations have
  /// found out about it is kept for more than that.
  public var statementCacheCapacity = 1_000

  /// What a property that may be nil is where a row has no column of its name.
  public enum MissingColumns: Sendable, Hashable {
    /// It is nil, as `Codable` has it for keys that are absent.
    case decodeAsNil
    /// An error of the kind ``DatabaseError/Kind-swift.enum/decoding``, so that a name which is misspelled is found.
    case `throw`
  }

  /// What a property that may be nil is where a row has no column of its name. Names are compared as SQLite does, without
  /// the case of ASCII letters.
  public var missingColumns = MissingColumns.decodeAsNil

  /// How dates, UUIDs and decimal numbers are stored. A type of rows that is ``DatabaseFormatted`` can choose others.
  public var formats = DatabaseFormats()

  /// Whether the views, triggers, indices, constraints and generated columns of the file may call functions that can do
  /// harm, as SQLite permits by default: set it to `false` for files that come from somebody else. Functions of one's own
  /// that the schema uses then need ``DatabaseConnection/FunctionUse/anySchema``.
  public var trustsSchema = true

  /// Called with each statement that has run, and each beginning and end of a transaction, with its duration.
  ///
  /// ```swift
  /// options.trace = TraceHook { event in
  ///   if event.duration > .milliseconds(100) { print(event.source, event.message, event.duration) }
  /// }
  /// ```
  ///
  /// The duration is the time that SQLite has worked: what a program does between two rows does not count. The values of
  /// parameters are left out unless the hook asks for payloads. The hook is called with the connection in use: a use of
  /// it is refused, and so is a read or write of the database that the thread would wait for.
  public var trace: TraceHook?

  /// Makes each connection ready before it is used for the first time: sets what a `PRAGMA` sets, and adds functions and
  /// collations.
  ///
  /// ```swift
  /// options.prepare = { db in
  ///   try db.execute(sql: "PRAGMA cache_size = -65536")
  ///   try db.addFunction("reversed", argumentCount: 1) { arguments in
  ///     guard case .text(let text) = arguments[0] else { return nil }
  ///     return String(text.reversed())
  ///   }
  /// }
  /// ```
  ///
  /// A database in a file has a connection for writes, and others for reads, which are opened when they are needed. So
  /// this may be called at any time, on any thread that uses the database, and must not change what the database
  /// contains. What it throws is thrown by the access that needs the connection, and the next one tries again. It runs
  /// before the file is read for the first time, after foreign keys have been switched on.
  public var prepare: (@Sendable (DatabaseConnection) throws -> Void)?

  /// Called when a connection begins to wait for a lock, and each time that it has not got it: for tests.
  var waitsForLock: (@Sendable () -> Void)?

  /// The usual options.
  public init() {}
}
