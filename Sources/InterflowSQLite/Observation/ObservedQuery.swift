import Combine
import Interflow

/// A query whose result is delivered again whenever it may have changed.
///
/// ```swift
/// let pictures = database.observe { db in
///   try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY date")
/// }
/// let cancellable = pictures.sink { print($0) } receiveValue: { show($0) }
/// for try await list in pictures.values { show(list) }
/// ```
///
/// The query runs again after each committed transaction that may have written a table or column that it has read; this
/// is found out from SQLite's compiler, so triggers, cascades and views count. An update
/// without a matching row does not make it run. A state that is not committed is never seen.
///
/// A slow consumer gets fewer values: transactions that are committed before it can take a value are combined in the
/// next one. The newest state always arrives, unless the database is closed before.
public struct ObservedQuery<Value: Sendable>: Sendable {
  let database: Database
  let body: @Sendable (DatabaseConnection) throws -> Value
  let foreignPolling: ForeignPolling?
  var isDuplicate: (@Sendable (Value, Value) -> Bool)?

  /// A publisher of the query's results, the current one first. It delivers on threads of the database, also to closures
  /// that were written on the main actor; ``sink(scheduling:isolation:receiveCompletion:receiveValue:)`` delivers on the
  /// caller's actor.
  public var publisher: ObservedQueryPublisher<Value> { ObservedQueryPublisher(query: self) }

  /// The query's results as an asynchronous sequence, the current one first. Each `next()` returns the newest, as soon
  /// as it is another than the one before.
  public var values: AsyncValues<ObservedQueryPublisher<Value>> { AsyncValues(publisher) }

  /// The same query, without the results that equal the one delivered before.
  ///
  /// - Parameter areEqual: Whether two results are equal. It is called on a thread of the database.
  public func removeDuplicates(by areEqual: @escaping @Sendable (Value, Value) -> Bool) -> ObservedQuery {
    var query = self
    query.isDuplicate = areEqual
    return query
  }
}

extension ObservedQuery where Value: Equatable {
  /// The same query, without the results that equal the one delivered before.
  public func removeDuplicates() -> ObservedQuery {
    removeDuplicates { $0 == $1 }
  }
}

extension Database {
  /// Observes a query.
  ///
  /// - Parameter query: The query, which must read the database only through the connection. It runs for each
  ///   subscriber. What it throws ends the observation; an error that is no ``DatabaseError`` is inside one.
  public func observe<Value: Sendable>(
    _ query: @escaping @Sendable (DatabaseConnection) throws -> Value
  ) -> ObservedQuery<Value> {
    ObservedQuery(database: self, body: query, foreignPolling: nil)
  }

  /// Observes a query, and runs it again also when another process has changed the database.
  ///
  /// ```swift
  /// let pictures = database.observe(includingOtherProcesses: true) { db in
  ///   try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY date")
  /// }
  /// ```
  ///
  /// Whether another process has committed is looked up at intervals, on one connection for all observations, whose
  /// looks are shared by those with the same interval and clock. Nobody says what has been changed, so every such query
  /// runs again. A database in memory has no other processes.
  ///
  /// - Parameters:
  ///   - includesOthers: Whether commits of other processes count.
  ///   - interval: How often to look, whenever the observation has a subscriber. It must be longer than zero; otherwise
  ///     this is a programming error and traps.
  ///   - clock: What measures the interval.
  ///   - query: The query, as for ``observe(_:)``.
  public func observe<Value: Sendable>(
    includingOtherProcesses includesOthers: Bool, every interval: Duration = .milliseconds(200),
    clock: any Clock<Duration> = ContinuousClock(), _ query: @escaping @Sendable (DatabaseConnection) throws -> Value
  ) -> ObservedQuery<Value> {
    precondition(interval > .zero, "the interval at which to look for commits must be longer than zero")
    let polling = includesOthers ? ForeignPolling(interval: interval, clock: clock) : nil
    return ObservedQuery(database: self, body: query, foreignPolling: polling)
  }

  /// Observes a query, and runs it again also when another process has changed the database, which is looked up at an
  /// interval.
  ///
  /// - Parameters:
  ///   - interval: How often to look, whenever the observation has a subscriber. It must be longer than zero; otherwise
  ///     this is a programming error and traps.
  ///   - clock: What measures the interval.
  ///   - query: The query, as for ``observe(_:)``.
  public func observe<Value: Sendable>(
    includingOtherProcesses interval: Duration, clock: any Clock<Duration> = ContinuousClock(),
    _ query: @escaping @Sendable (DatabaseConnection) throws -> Value
  ) -> ObservedQuery<Value> {
    observe(includingOtherProcesses: true, every: interval, clock: clock, query)
  }
}
