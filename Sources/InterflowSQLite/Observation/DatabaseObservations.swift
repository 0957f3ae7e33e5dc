import InterflowPrimitives

/// Who is called when a transaction has been committed.
protocol CommitObserver: AnyObject, Sendable {
  /// Whether commits of other processes concern it too.
  var includesForeignCommits: Bool { get }

  /// A transaction that wrote this has been committed. Called with no lock held; commits of several connections can be
  /// announced at the same time.
  func committed(_ written: Region)

  /// The database closes.
  func databaseClosed()
}

/// The observations of a database.
///
/// A change cannot be missed. An observation joins before its first query begins, and a commit is announced after SQLite
/// has made it. So a query that does not see a commit has begun before the commit is announced, and the observation,
/// which remembers what is announced while its query runs, finds out when it knows what the query has read.
final class DatabaseObservations: @unchecked Sendable {
  // Guarded by `lock`: `observers`, `isClosed`.
  private let lock = Lock()
  private var observers: [ObjectIdentifier: any CommitObserver] = [:]
  private var isClosed = false
  let ownCommits = OwnCommits()

  /// - Returns: Whether it joined; not if the database has been closed.
  func join(_ observer: any CommitObserver) -> Bool {
    lock.lock()
    if !isClosed { observers[ObjectIdentifier(observer)] = observer }
    let hasJoined = !isClosed
    lock.unlock()
    return hasJoined
  }

  func leave(_ observer: any CommitObserver) {
    lock.lock()
    let observer = observers.removeValue(forKey: ObjectIdentifier(observer))
    lock.unlock()
    releaseOutsideLock(observer)
  }

  /// How many there are: for tests.
  var count: Int { current.count }

  private var current: [ObjectIdentifier: any CommitObserver] {
    lock.lock()
    let observers = self.observers
    lock.unlock()
    return observers
  }

  /// Runs a transaction, and announces it once it has been committed.
  func write<Success>(
    _ connection: DatabaseConnection, _ body: (DatabaseConnection) throws -> Success
  ) throws -> Success {
    let (result, written) = try connection.write(ownCommits, body)
    announce(written)
    connection.runCommitActions()
    return result
  }

  /// Runs statements that are transactions of their own, and announces them together.
  func writeWithoutTransaction<Success>(
    _ connection: DatabaseConnection, _ body: (DatabaseConnection) throws -> Success
  ) throws -> Success {
    let (result, written) = connection.writeWithoutTransaction(ownCommits, body)
    announce(written)
    connection.runCommitActions()
    return try result.get()
  }

  private func announce(_ written: Region) {
    if written.isEmpty { return }
    for observer in current.values { observer.committed(written) }
  }

  /// Another process has committed; what it has written is not known.
  func foreignCommit() {
    for observer in current.values where observer.includesForeignCommits { observer.committed(.everything) }
  }

  func finish() {
    lock.lock()
    isClosed = true
    let observers = self.observers
    self.observers = [:]
    lock.unlock()
    for observer in observers.values { observer.databaseClosed() }
  }
}
