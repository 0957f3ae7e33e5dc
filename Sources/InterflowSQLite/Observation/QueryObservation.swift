import Combine
import Dispatch
import InterflowPrimitives

/// One subscription to an observed query.
///
/// The query runs on a reader, which is given back before its result is delivered on the observation's own queue. So a
/// slow subscriber keeps neither a connection nor other subscribers.
final class QueryObservation<Value: Sendable>: CommitObserver, @unchecked Sendable {
  /// Of unknown type: a call of it is cheap beside a query.
  typealias Downstream = AnySubscriber<Value, DatabaseError>

  // Guarded by `lock`: `machine`, `downstream`, `interruption`, `polling`, `last`.
  private let lock = Lock()
  private var machine = ObservationMachine()
  private var downstream: Downstream?
  /// What ends the query that runs.
  private var interruption: Interruption?
  private var polling: Task<Void, Never>?
  /// The value that was delivered last, where equal ones are dropped.
  private var last: Value?

  private let query: ObservedQuery<Value>
  /// Delivers one signal at a time.
  private let queue = DispatchQueue(label: "database observation")

  var includesForeignCommits: Bool { query.foreignPolling != nil }

  init(_ query: ObservedQuery<Value>, _ downstream: Downstream) {
    self.query = query
    self.downstream = downstream
  }

  // MARK: The subscriber

  /// The subscriber has its subscription: other signals may follow.
  func open() {
    guard query.database.observations.join(self) else { return databaseClosed() }
    let polling = query.startPolling()
    lock.lock()
    let isOver = machine.phase == .over
    if !isOver { self.polling = polling }
    lock.unlock()
    if isOver {
      // Cancelled from inside `receive(subscription:)`.
      polling?.cancel()
      query.database.observations.leave(self)
    } else {
      advance { $0.opened() }
    }
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
      lock.unlock()
      fetch(interruption)
    case .end:
      let released = release()
      lock.unlock()
      end(released)
    }
  }

  private func fetch(_ interruption: Interruption) {
    let body = query.body
    query.database.readers.start(interruption) { connection in
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
    case .failure(let error as DatabaseError): complete(.failure(error))
    case .failure(let error):
      // The error itself can contain values.
      let message = "the query threw an error of the type \(type(of: error))"
      complete(.failure(DatabaseError(kind: .query, message: message, underlying: error)))
    }
  }

  private func fetched(_ value: Value, _ region: Region) {
    lock.lock()
    let isWanted = machine.fetched(region)
    let last = self.last
    lock.unlock()
    guard isWanted else { return }
    if let last, query.isDuplicate?(last, value) == true { return advance { $0.skipped() } }
    deliver(value)
  }

  private func deliver(_ value: Value) {
    lock.lock()
    guard let downstream, machine.beginsDelivery() else { return lock.unlock() }
    let before = last
    if query.isDuplicate != nil { last = value }
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
    var polling: Task<Void, Never>?
    var last: Value?
  }

  private func release() -> Released {
    lock.assertHeld()
    return Released(
      downstream: downstream.take(), interruption: interruption.take(), polling: polling.take(), last: last.take())
  }

  private func end(_ released: Released) {
    released.polling?.cancel()
    if let interruption = released.interruption { query.database.readers.interrupt(interruption) }
    query.database.observations.leave(self)
  }
}
