import Dispatch

/// A database in a file or in memory, which any number of threads and tasks read and write.
///
/// Writes run one after the other, each in a transaction. Reads of a file run beside them and beside each other, and
/// each sees one state of the database, that of the last transaction committed before its first statement. A database in
/// memory has one connection, so its reads wait for writes.
///
/// A file that is opened to be written gets a write-ahead log (WAL), unless ``DatabaseOptions/journalMode`` says
/// otherwise. The page of this module says what that means for its folder and its size.
///
/// ```swift
/// let database = try await Database(path: "/var/lib/pictures.sqlite")
/// try await database.write { db in
///   try db.execute(sql: "INSERT INTO picture VALUES (?, ?)", arguments: [1, "Crab Nebula"])
/// }
/// let titles = try await database.read { db in
///   try db.fetchAll(String.self, sql: "SELECT title FROM picture")
/// }
/// ```
///
/// - Thread: In async code, work runs on threads of the database, so no task keeps one of the threads that tasks share.
///   In synchronous code, it runs on the calling thread, which waits until a connection is free.
/// - Cancellation: If the task is cancelled, work that has not begun does not begin, a statement that runs is ended, and
///   a transaction that has not been committed is rolled back; a `CancellationError` is thrown.
public final class Database: Sendable {
  let writer: ConnectionPool
  let readers: ConnectionPool
  let observations = DatabaseObservations()
  let foreignCommits: ForeignCommits?
  private let file: OpenedFile?

  /// Opens a database in a file, and makes the file if there is none.
  ///
  /// The file must stay where it is. If it is removed, or another one takes its place, writes and reads that need a
  /// further connection throw an error of the kind ``DatabaseError/Kind-swift.enum/replaced``, because they would use
  /// another file than what is open.
  ///
  /// - Parameters:
  ///   - path: The path of the file. `:memory:` makes a database in memory, like ``inMemory(options:)``. An empty path
  ///     and a URI are errors of the kind ``DatabaseError/Kind-swift.enum/misuse``.
  ///   - options: How to open it.
  public convenience init(path: String, options: DatabaseOptions = DatabaseOptions()) async throws {
    self.init(try ConnectionConfiguration.Location(path: path), options)
    try await writer.run { _ in }
  }

  /// Opens a database in a file, and makes the file if there is none. Waits for the file.
  @available(*, noasync, message: "await the initializer")
  public convenience init(path: String, options: DatabaseOptions = DatabaseOptions()) throws {
    self.init(try ConnectionConfiguration.Location(path: path), options)
    try writer.runBlocking { _ in }
  }

  /// Makes an empty database in memory, which ends with its last reference.
  public static func inMemory(options: DatabaseOptions = DatabaseOptions()) -> Database {
    Database(.memory, options)
  }

  private init(_ givenLocation: ConnectionConfiguration.Location, _ options: DatabaseOptions) {
    // Connections are opened when they are needed, and the process may have changed its directory by then.
    let location =
      switch givenLocation {
      case .memory: givenLocation
      case .file(let path): ConnectionConfiguration.Location.file(FileIdentity.absolutePath(path))
      }
    let file: OpenedFile? =
      switch location {
      case .memory: nil
      case .file(let path): OpenedFile(path: path, options)
      }
    self.file = file
    func slot(_ label: String, isWriter: Bool = false) -> ConnectionSlot {
      let configuration = ConnectionConfiguration(location: location, options: options, isWriter: isWriter, file: file)
      return ConnectionSlot(label: label) { try DatabaseConnection(configuration, $0) }
    }
    writer = ConnectionPool([slot("database writer", isWriter: true)])
    switch location {
    case .memory:
      readers = writer
      foreignCommits = nil
    case .file where options.journalMode == .rollback && !options.isReadOnly:
      // Beside a reader, a write could not be committed.
      readers = writer
      foreignCommits = ForeignCommits(ConnectionPool([slot("database look")]), writer, observations)
    case .file:
      readers = ConnectionPool((0..<max(1, options.readerCount)).map { slot("database reader \($0)") })
      foreignCommits = ForeignCommits(ConnectionPool([slot("database look")]), writer, observations)
    }
  }

  // MARK: Closing

  /// Closes the database: work that runs is finished, no other begins, and observations complete. What has been
  /// committed shortly before may not be delivered to them any more.
  ///
  /// Returns when all connections are closed. Without a call of this, the last reference closes them, on the
  /// thread that releases it.
  public func close() async {
    await withCheckedContinuation { continuation in
      startClosing { continuation.resume() }
    }
  }

  /// Closes the database: work that runs is finished, no other begins, and observations complete. What has been
  /// committed shortly before may not be delivered to them any more. Waits for all of this.
  ///
  /// Inside an access of the same database, this is a programming error and traps.
  @available(*, noasync, message: "await the method")
  public func close() {
    precondition(
      !writer.isUsedByCurrentThread && !readers.isUsedByCurrentThread,
      "a database must not be closed inside an access, which the closing would wait for")
    let isClosed = DispatchSemaphore(value: 0)
    startClosing { isClosed.signal() }
    isClosed.wait()
  }

  private func startClosing(_ isClosed: @escaping @Sendable () -> Void) {
    let completion: @Sendable () -> Void = { [file] in
      file?.release()
      isClosed()
    }
    observations.finish()
    // The readers first, so that the writer is the last connection, which moves the log into the file.
    writer.refuse()
    readers.close { [writer, foreignCommits] in
      guard let foreignCommits else { return writer.close(completion) }
      foreignCommits.looks.close { writer.close(completion) }
    }
  }
}
