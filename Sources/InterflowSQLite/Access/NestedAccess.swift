// Accesses that synchronous code begins inside another access of the same database, on the same thread.
//
// To wait for a second connection while holding the first one would deadlock with another thread that has them in the
// other order. So a read runs with the connection that the thread has, and a write is refused.

extension Database {
  /// What the current thread has of this database, if it is inside an access.
  private var slotOfCurrentThread: ConnectionSlot? {
    writer.slotOfCurrentThread ?? readers.slotOfCurrentThread
  }

  /// Whether the current thread is inside a write, also in a read that was begun there.
  var isWrittenByCurrentThread: Bool {
    slotOfCurrentThread?.connectionOfCurrentThread?.access.isForWriting == true
  }

  /// Runs a read with the connection of the access that this thread is inside, or with a reader that it waits for.
  func readBlocking<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    guard let slot = slotOfCurrentThread else { return try readers.runBlocking { try $0.read(body).result } }
    return try slot.nestedRead(body)
  }

  /// Runs work with the writer, for which this thread waits. Inside another access, throws.
  func writeBlocking<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    if slotOfCurrentThread != nil { throw DatabaseError.nestedWrite }
    return try writer.runBlocking(body)
  }
}

extension DatabaseError {
  static var nestedWrite: DatabaseError {
    .misuse(
      """
      a write is begun inside another access of the same database, on the same thread: use the connection of a write \
      that is there, or begin with the write instead of a read
      """)
  }
}

extension ConnectionSlot {
  fileprivate func nestedRead<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    guard let connection = connectionOfCurrentThread else {
      throw DatabaseError.misuse(
        "the database is read while a connection of it is prepared: use the connection that the closure receives")
    }
    return try connection.nestedRead(body)
  }
}

extension DatabaseConnection {
  /// Runs a read inside the access that runs, which sees what that has written. It sees one state, and changes nothing.
  /// While a statement outside a transaction writes, its end is the end of that state.
  fileprivate func nestedRead<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    guard !authorizer.isRunning else { throw DatabaseError.reentrance(nil) }
    switch access.mode {
    case .none:
      // Its thread has the connection, but no closure runs: an observer is called, for one.
      return try read(body).result
    case .read: return try body(self)
    case .write, .writeWithoutTransaction, .preparation: break
    }
    let begin = "BEGIN DEFERRED"
    try requireUse(begin)
    try requireTransaction(begin)
    let isWithoutTransaction = isWritingWithoutTransaction
    let isTransaction = !isInTransaction && !isWithoutTransaction
    if isTransaction { try transact(begin) }
    let outer = nest(.read)
    isReadWithoutTransaction = isWithoutTransaction
    defer {
      isReadWithoutTransaction = false
      nest(outer)
      if isTransaction { endNestedTransaction() }
    }
    return try body(self)
  }

  /// Whatever is interrupted.
  private func endNestedTransaction() {
    let interruption = interruption.take()
    defer { self.interruption = interruption }
    if isInTransaction { try? transact("ROLLBACK") }
  }
}
