/// What is to be done when the transaction that runs has been committed. A value, without SQLite.
struct CommitActions {
  /// Whether those of a transaction that is committed are dropped.
  var areDropped = false
  private var pending: [() -> Void] = []
  private var due: [() -> Void] = []

  /// How many the transaction has.
  var count: Int { pending.count }

  mutating func append(_ action: @escaping () -> Void) { pending.append(action) }

  /// A part of the transaction, or all of it, has been rolled back.
  ///
  /// - Parameter count: How many there were when that part began.
  mutating func rollBack(to count: Int) {
    if pending.count > count { pending.removeSubrange(count...) }
  }

  mutating func commit() {
    if !areDropped { due += pending }
    pending = []
  }

  mutating func takeDue() -> [() -> Void] {
    defer { due = [] }
    return due
  }
}

extension DatabaseConnection {
  /// Calls a closure once the transaction has been committed; never if it is rolled back, or the savepoint in which this
  /// is called.
  ///
  /// For what must not happen unless the change is in the file: removing a file that a row referred to, or sending a
  /// message.
  ///
  /// ```swift
  /// try await database.write { db in
  ///   try db.delete(photo)
  ///   try db.afterCommit { remove(photo.file) }
  /// }
  /// ```
  ///
  /// The closures of a transaction are called in the order of these calls, and those of different transactions in the
  /// order of the commits: after observations have been notified of the commit, and before the method returns that runs the
  /// transaction. In `writeWithoutTransaction`, this is for savepoints, whose closures are called at the end of the
  /// access.
  ///
  /// - Thread: That of the transaction, which has the connection for writes until the closures have returned. They are
  ///   outside of the transaction: a read sees what has been committed, and a write for which they would wait throws an
  ///   error of the kind ``DatabaseError/Kind-swift.enum/misuse``. To write, begin a task.
  ///
  /// Outside of a transaction that writes, this throws an error of that kind.
  ///
  /// - Parameter body: The closure. It must not use the connection.
  public func afterCommit(_ body: @escaping () -> Void) throws(DatabaseError) {
    try requireUse(nil)
    guard access.mode == .write || access.mode == .writeWithoutTransaction && savepointCount > 0 else {
      throw .misuse(
        "afterCommit(_:) is called outside of a transaction that writes, so that there is no commit to wait for")
    }
    commitActions.append(body)
  }

  /// Calls what the access has left to be done, after it has ended.
  func runCommitActions() {
    for action in commitActions.takeDue() { action() }
  }
}
