extension Database {
  /// Runs a closure that sees one state of the database, while writes go on.
  ///
  /// If the task is cancelled before the closure returns, what it returns is dropped, and a `CancellationError` thrown.
  ///
  /// - Parameter body: The closure. It must not keep the connection.
  /// - Returns: What the closure returns.
  public func read<Success: Sendable>(
    _ body: @escaping @Sendable (DatabaseConnection) throws -> Success
  ) async throws -> Success {
    try await readers.run { try $0.read(body).result }
  }

  /// Runs a closure that sees one state of the database, while writes go on. Waits for a connection.
  ///
  /// Inside another access of the same database on the same thread, this runs with the connection of that one, and sees
  /// what that has written without having committed it.
  ///
  /// - Parameter body: The closure. It must not keep the connection.
  /// - Returns: What the closure returns.
  @available(*, noasync, message: "await the method")
  public func read<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    try readBlocking(body)
  }

  /// Runs a closure in a transaction, after those that were begun before.
  ///
  /// The transaction is committed when the closure returns, and rolled back if it throws or the task is cancelled.
  /// Observations learn of it before this returns.
  ///
  /// - Parameter body: The closure. It must not keep the connection.
  /// - Returns: What the closure returns.
  @discardableResult
  public func write<Success: Sendable>(
    _ body: @escaping @Sendable (DatabaseConnection) throws -> Success
  ) async throws -> Success {
    try await writer.run { [observations] in try observations.write($0, body) }
  }

  /// Runs a closure in a transaction, after those that were begun before. Waits for them.
  ///
  /// The transaction is committed when the closure returns, and rolled back if it throws. Observations learn of it
  /// before this returns.
  ///
  /// Inside another access of the same database on the same thread, this throws an error of the kind
  /// ``DatabaseError/Kind-swift.enum/misuse``, because two threads could wait for each other otherwise. An access in a
  /// task for which the closure waits with a semaphore or the like is not seen, and can wait for ever.
  ///
  /// - Parameter body: The closure. It must not keep the connection.
  /// - Returns: What the closure returns.
  @available(*, noasync, message: "await the method")
  @discardableResult
  public func write<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    try writeBlocking { try observations.write($0, body) }
  }

  /// Runs a closure each of whose statements is a transaction of its own, after the writes that were begun before: for
  /// what SQLite does outside of a transaction only, as `VACUUM` and some forms of `PRAGMA`.
  ///
  /// ```swift
  /// try await database.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  /// ```
  ///
  /// ``DatabaseConnection/savepoint(_:)`` makes a transaction of several statements. Observations learn of what has been
  /// committed before this returns or throws. If the task is cancelled, the statement that runs is ended; those before
  /// it stay. What the closure returns is returned also then, because what it has done is not undone: it should not
  /// swallow the errors of its statements. A setting that is changed stays changed for the writes that follow, and in a
  /// file for them alone; ``DatabaseOptions/prepare`` is the place for what all connections need.
  ///
  /// A statement that writes and returns rows is committed when its cursor has come to its end, or is given up before. If
  /// that fails in the second case, this throws the error when the closure has returned.
  ///
  /// - Parameter body: The closure. It must not keep the connection.
  /// - Returns: What the closure returns.
  @discardableResult
  public func writeWithoutTransaction<Success: Sendable>(
    _ body: @escaping @Sendable (DatabaseConnection) throws -> Success
  ) async throws -> Success {
    try await writer.run { [observations] in try observations.writeWithoutTransaction($0, body) }
  }

  /// Runs a closure each of whose statements is a transaction of its own, after the writes that were begun before. Waits
  /// for them.
  ///
  /// Inside another access of the same database on the same thread, this throws an error of the kind
  /// ``DatabaseError/Kind-swift.enum/misuse``, because two threads could wait for each other otherwise. An access in a
  /// task for which the closure waits with a semaphore or the like is not seen, and can wait for ever.
  ///
  /// - Parameter body: The closure. It must not keep the connection.
  /// - Returns: What the closure returns.
  @available(*, noasync, message: "await the method")
  @discardableResult
  public func writeWithoutTransaction<Success>(_ body: (DatabaseConnection) throws -> Success) throws -> Success {
    try writeBlocking { try observations.writeWithoutTransaction($0, body) }
  }
}
