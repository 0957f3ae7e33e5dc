import Combine
import InterflowPrimitives

/// One subscription to an observed query.
///
/// The query runs on a reader, which is given back before its result is delivered, on one of the threads that all
/// observations of the process share. So a slow subscriber keeps no connection, and of the other subscribers only those
/// for whom no thread is left.
final class QueryObservation<Value: Sendable>: CommitObserver, @unchecked Sendable {
  /// Of unknown type: a call of it is cheap beside a query.
  typealias Downstream = AnySubscriber<Value, DatabaseError>

  // Guarded by `lock`: `machine`, `downstream`, `interruption`, `query`, `isOpen`, `last`, `failureCount`.
  private let lock = Lock()
  private var machine = ObservationMachine()
  private var downstream: Downstream?
  /// What ends the query that runs.
  private var interruption: Interruption?
  /// `nil` when it is over.
  private var query: ObservedQuery<Value>?
  /// Whether the database has it among its observations.
  private var isOpen = false
  /// The value that was delivered last, where equal ones are dropped.
  private var last: Value?
  /// How often the query has failed in a row because something was not available for a while.
  private var failureCount = 0

  /// Delivers one signal at a time.
  private let queue = SerialWork(.observations)

  let includesForeignCommits: Bool

  init(_ query: ObservedQuery<Value>, _ downstream: Downstream) {
    self.query = query
    includesForeignCommits = query.foreignPolling != nil
    self.downstream = downstream
  }

  // MARK: The subscriber

  /// The subscriber has its subscription: other signals may follow.
  func open() {
    lock.lock()
    let query = self.query
    lock.unlock()
    // It may have been cancelled from inside `receive(subscription:)`, and may be at any time.
    guard let query else { return }
    guard query.database.observations.join(self) else { return databaseClosed() }
    if let polling = query.foreignPolling { query.database.foreignCommits?.join(polling) }
    lock.lock()
    isOpen = machine.phase != .over
    let isOpen = self.isOpen
    lock.unlock()
    if isOpen { advance { $0.opened() } } else { leave(query) }
  }

  private func leave(_ query: ObservedQuery<Value>) {
    if let polling = query.foreignPolling { query.database.foreignCommits?.leave(polling) }
    query.database.observations.leave(self)
  }

  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    advance { $0.requested(Self.count(demand)) }
  }

  func abandon() { advance { $0.abandoned() } }

  func cancel() {
    lock.lock()
    guard machine.ended() else { return lock.unlock() }
    let released = release()
    lock.unlock()
    end(released)
  }

  private static func count(_ demand: Subscribers.Demand) -> UInt {
    demand.max.map(UInt.init) ?? PackedDemand.unlimited
  }

  // MARK: The database

  func committed(_ written: Region) { advance { $0.committed(written) } }

  func databaseClosed() {
    queue.async { self.complete(.finished) }
  }

  private func advance(_ event: (inout ObservationMachine) -> ObservationMachine.Action) {
    lock.lock()
    switch event(&machine) {
    case .nothing: lock.unlock()
    case .fetch:
      let interruption = Interruption()
      self.interruption = interruption
      let query = self.query
      lock.unlock()
      if let query { fetch(query, interruption) }
    case .end:
      let released = release()
      lock.unlock()
      end(released)
    }
  }

  private func fetch(_ query: ObservedQuery<Value>, _ interruption: Interruption) {
    let body = query.body
    query.database.readers.start(interruption, for: .observation) { connection in
      try connection.read(isObserved: true, body)
    } completion: { result in
      self.queue.async { self.fetched(result) }
    }
  }

  // MARK: The queue

  private func fetched(_ result: Result<(result: Value, region: Region), any Error>) {
    switch result {
    case .success(let (value, region)): fetched(value, region)
    case .failure(let error as DatabaseError) where error.kind == .closed: complete(.finished)
    case .failure(let error as DatabaseError) where error.isTransient: fetchLater()
    case .failure(let error as DatabaseError): complete(.failure(error))
    case .failure(let error): complete(.failure(DatabaseError(ofQuery: error)))
    }
  }

  /// Runs the query once more, at first soon and then every second.
  private func fetchLater() {
    lock.lock()
    let delay = min(1_000, 10 << min(failureCount, 10))
    failureCount += 1
    lock.unlock()
    queue.async(after: .milliseconds(delay)) { [self] in
      lock.lock()
      let query = machine.phase == .fetching ? self.query : nil
      let interruption = self.interruption
      lock.unlock()
      if let query, let interruption { fetch(query, interruption) }
    }
  }

  private func fetched(_ value: Value, _ region: Region) {
    lock.lock()
    failureCount = 0
    let isWanted = machine.fetched(region)
    let last = self.last
    let isDuplicate = query?.isDuplicate
    lock.unlock()
    guard isWanted else { return }
    if let last, isDuplicate?(last, value) == true { return advance { $0.skipped() } }
    deliver(value)
  }

  private func deliver(_ value: Value) {
    lock.lock()
    guard let downstream, machine.beginsDelivery() else { return lock.unlock() }
    let before = last
    if query?.isDuplicate != nil { last = value }
    lock.unlock()
    releaseOutsideLock(before)
    let more = downstream.receive(value)
    advance { $0.delivered(requesting: more == .none ? 0 : Self.count(more)) }
  }

  private func complete(_ completion: Subscribers.Completion<DatabaseError>) {
    lock.lock()
    guard machine.ended() else { return lock.unlock() }
    let released = release()
    lock.unlock()
    end(released)
    released.downstream?.receive(completion: completion)
  }

  // MARK: The end

  private struct Released {
    var downstream: Downstream?
    var interruption: Interruption?
    var query: ObservedQuery<Value>?
    var isOpen: Bool
    var last: Value?
  }

  private func release() -> Released {
    lock.assertHeld()
    return Released(
      downstream: downstream.take(), interruption: interruption.take(), query: query.take(), isOpen: isOpen,
      last: last.take())
  }

  private func end(_ released: Released) {
    guard let query = released.query else { return }
    if let interruption = released.interruption { query.database.readers.interrupt(interruption) }
    // Otherwise, it finds out when it is opened.
    if released.isOpen { leave(query) }
  }
}

extension DatabaseError {
  /// The failure of an observed query whose closure throws an error.
  init(ofQuery error: any Error) {
    if let error = error as? DatabaseError {
      self = error
      return
    }
    // The error itself can contain values.
    self.init(kind: .query, message: "the query threw an error of the type \(type(of: error))", underlying: error)
  }
}
