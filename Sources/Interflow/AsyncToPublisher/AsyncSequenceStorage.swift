import Combine
import InterflowPrimitives

/// The task that pulls elements for one subscriber, as many as it requests, and what the two share.
@usableFromInline
final class AsyncSequenceStorage<Elements: AsyncSequence, Downstream: Subscriber>: @unchecked Sendable
where Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure {
  // A resumption that comes before its task is suspended is passed on inside the runtime, where ThreadSanitizer cannot
  // see it. The checked continuation resumes in there too, so that nothing the sanitizer does see comes before it.
  #if INTERFLOW_SANITIZE_THREAD
    typealias Waiter = CheckedContinuation<Void, Never>
  #else
    typealias Waiter = UnsafeContinuation<Void, Never>
  #endif

  // Guarded by `ledger`: `downstream` (belongs to the task while it delivers, and to whoever ends the subscription
  // otherwise), `iterator` (to whoever starts the task, or ends the subscription before that), and `waiter` (to the
  // task until it is parked, then to whoever wakes it). Guarded by `lock`: `task`.
  @usableFromInline let ledger = PullLedger()
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var iterator: Elements.AsyncIterator?
  @exclusivity(unchecked) var waiter: Waiter?
  let lock = Lock()
  var task: Task<Void, Never>?
  @usableFromInline let priority: TaskPriority?

  // Formed where every type is known, so that the loop is specialised in the sequence and in the subscriber.
  @usableFromInline let run: (AsyncSequenceStorage) async -> Void

  @inlinable
  init(iterator: Elements.AsyncIterator, downstream: Downstream, priority: TaskPriority?) {
    self.iterator = iterator
    self.downstream = downstream
    self.priority = priority
    run = { await $0.pull() }
  }
}

// MARK: - The subscriber's side

extension AsyncSequenceStorage {
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    act(on: ledger.requested(demand))
  }

  /// The subscriber knows its subscription.
  @usableFromInline
  func open() {
    act(on: ledger.opened())
  }

  @usableFromInline
  func cancel() {
    end(ledger.cancelled())
  }

  func abandon() {
    end(ledger.wasAbandoned())
  }

  private func act(on verdict: PullLedger.Verdict) {
    switch verdict {
    case .nothing: break
    case .start: start()
    case .resume: waiter.take()?.resume()
    }
  }

  private func start() {
    let task = startTask(priority: priority) { await self.run(self) }
    lock.lock()
    let isWanted = !ledger.hasEnded
    if isWanted { self.task = task }
    lock.unlock()
    if !isWanted { task.cancel() }
  }

  private func end(_ ending: PullLedger.Ending?) {
    guard let ending else { return }
    takeTask()?.cancel()
    if ending.resumes { waiter.take()?.resume() }
    if ending.releasesSubscriber { downstream = nil }
    if ending.releasesIterator { iterator = nil }
  }

  private func takeTask() -> Task<Void, Never>? {
    lock.lock()
    let task = self.task.take()
    lock.unlock()
    return task
  }
}

// MARK: - The task

extension AsyncSequenceStorage {
  @inlinable
  func pull() async {
    guard var iterator = self.iterator.take() else { return }
    while true {
      var batch = ledger.takeBatch()
      if batch == 0 {
        if ledger.isExhausted { return cancel() }
        await waitForDemand()
      }
      while batch > 0 {
        let element: Elements.Element?
        do {
          element = try await iterator.next(isolation: nil)
        } catch {
          return finish(.failure(error))
        }
        guard let element else { return finish(.finished) }
        guard ledger.beginDelivery() else { return }
        let more = downstream.unsafelyUnwrapped.receive(element)
        guard ledger.endDelivery() else {
          downstream = nil
          return
        }
        batch = PullLedger.batch(batch, afterValueRequesting: more)
      }
    }
  }

  @usableFromInline
  func waitForDemand() async {
    #if INTERFLOW_SANITIZE_THREAD
      await withCheckedContinuation { park($0) }
    #else
      await withUnsafeContinuation { park($0) }
    #endif
  }

  private func park(_ waiter: Waiter) {
    self.waiter = waiter
    if !ledger.parks() { self.waiter.take()?.resume() }
  }

  @usableFromInline
  func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard ledger.finished() else { return }
    _ = takeTask()
    downstream.take()?.receive(completion: completion)
  }
}
