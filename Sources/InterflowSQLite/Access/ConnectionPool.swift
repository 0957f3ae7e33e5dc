import Dispatch
import InterflowPrimitives

/// Gives one of a number of connections to each piece of work, in the order of arrival. A pool of one is a serialised
/// writer.
final class ConnectionPool: @unchecked Sendable {
  // Guarded by `lock`: `state`, `afterClosing`.
  private let lock = Lock()
  private var state: PoolState<ConnectionSlot, Waiter>
  private var afterClosing: [@Sendable () -> Void] = []
  private let slots: [ConnectionSlot]

  private struct Waiter {
    let interruption: Interruption
    /// Called once, with no lock held.
    let serve: @Sendable (Result<ConnectionSlot, any Error>) -> Void
  }

  init(_ slots: [ConnectionSlot]) {
    self.slots = slots
    state = PoolState(slots)
  }

  // MARK: Work

  /// Runs work on the queue of a connection, once one is free.
  ///
  /// - Parameters:
  ///   - purpose: Observations do not get the last connection.
  ///   - completion: Called once, on any thread, after the connection has been given back.
  func start<Success>(
    _ interruption: Interruption, for purpose: PoolPurpose = .awaited,
    _ work: @escaping @Sendable (DatabaseConnection) throws -> Success,
    completion: @escaping @Sendable (Result<Success, any Error>) -> Void
  ) {
    acquire(interruption, purpose) { acquired in
      switch acquired {
      case .failure(let error): completion(.failure(error))
      case .success(let slot):
        slot.queue.async {
          let result = Result { try slot.perform(interruption, work) }
          self.giveBack(slot, purpose)
          completion(result)
        }
      }
    }
  }

  /// Runs work on the queue of a connection, once one is free, and waits for it without a thread. If the task is
  /// cancelled, throws a `CancellationError`, and interrupts the work if it runs.
  func run<Success: Sendable>(
    _ work: @escaping @Sendable (DatabaseConnection) throws -> Success
  ) async throws -> Success {
    let interruption = Interruption()
    // ThreadSanitizer does not see the order where the work ends before the task is suspended.
    let address = UInt(bitPattern: Unmanaged.passUnretained(interruption).toOpaque())
    defer { ThreadSanitizer.acquire(address) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        start(interruption, work) {
          ThreadSanitizer.release(address)
          continuation.resume(with: $0)
        }
      }
    } onCancel: {
      interrupt(interruption)
    }
  }

  /// Runs work on this thread, once a connection is free, for which the thread waits.
  func runBlocking<Success>(_ work: (DatabaseConnection) throws -> Success) throws -> Success {
    guard !isUsedByCurrentThread else {
      throw DatabaseError.misuse(
        "an access is begun inside another one that has the connection it needs: use the connection of that one")
    }
    let interruption = Interruption()
    let acquired = Transfer<Result<ConnectionSlot, any Error>>()
    acquire(interruption, .awaited) { acquired.give($0) }
    let slot = try acquired.take().get()
    defer { giveBack(slot, .awaited) }
    return try slot.perform(interruption, work)
  }

  /// Ends the work that was started with an interruption: it is not begun, or SQLite ends it with an error.
  func interrupt(_ interruption: Interruption) {
    interruption.set()
    lock.lock()
    let waiter = state.removeWaiter { $0.interruption === interruption }
    lock.unlock()
    waiter?.serve(.failure(CancellationError()))
  }

  /// Whether the current thread is inside an access.
  var isUsedByCurrentThread: Bool { slotOfCurrentThread != nil }

  /// What the current thread uses in an access.
  var slotOfCurrentThread: ConnectionSlot? { slots.first { $0.isUsedByCurrentThread } }

  // MARK: Closing

  /// Lets no more work begin.
  func refuse() {
    lock.lock()
    let waiters = state.refused()
    lock.unlock()
    for waiter in waiters { waiter.serve(.failure(DatabaseError.closed)) }
  }

  /// Lets no more work begin, and closes the connections when the work that runs has ended.
  ///
  /// - Parameter completion: Called once, when all connections have been closed.
  func close(_ completion: @escaping @Sendable () -> Void) {
    refuse()
    lock.lock()
    let wasClosed = state.openCount == 0
    if !wasClosed { afterClosing.append(completion) }
    let slots = state.closing()
    lock.unlock()
    if wasClosed { completion() }
    for slot in slots { close(slot) }
  }

  private func close(_ slot: ConnectionSlot) {
    slot.queue.async {
      slot.close()
      self.lock.lock()
      let isLast = self.state.closedElement()
      let completions = isLast ? self.afterClosing : []
      if isLast { self.afterClosing = [] }
      self.lock.unlock()
      for completion in completions { completion() }
    }
  }

  /// Whether no more work begins: for tests.
  var isClosed: Bool {
    lock.lock()
    defer { lock.unlock() }
    return state.isClosed
  }

  /// How many connections are free: for tests.
  var idleCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return state.idle.count
  }

  /// How many wait for a connection: for tests.
  var waiterCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return state.waiters.count
  }

  // MARK: Slots

  private func acquire(
    _ interruption: Interruption, _ purpose: PoolPurpose,
    _ serve: @escaping @Sendable (Result<ConnectionSlot, any Error>) -> Void
  ) {
    lock.lock()
    let isInterrupted = interruption.isSet
    let admission = isInterrupted ? .wait : state.requested(purpose)
    if !isInterrupted, case .wait = admission {
      state.wait(Waiter(interruption: interruption, serve: serve), purpose)
    }
    lock.unlock()
    if isInterrupted { return serve(.failure(CancellationError())) }
    switch admission {
    case .use(let slot): serve(.success(slot))
    case .wait: break
    case .closed: serve(.failure(DatabaseError.closed))
    }
  }

  private func giveBack(_ slot: ConnectionSlot, _ purpose: PoolPurpose) {
    lock.lock()
    let action = state.returned(slot, purpose)
    lock.unlock()
    switch action {
    case .none: break
    case .serve(let waiter): waiter.serve(.success(slot))
    case .close: close(slot)
    }
  }
}

/// A value that one thread waits for and another one brings.
private final class Transfer<Value>: @unchecked Sendable {  // `isThere` orders the accesses to `value`.
  private let isThere = DispatchSemaphore(value: 0)
  private var value: Value?

  func give(_ value: Value) {
    self.value = value
    isThere.signal()
  }

  func take() -> Value {
    isThere.wait()
    return value.take().unsafelyUnwrapped
  }
}
