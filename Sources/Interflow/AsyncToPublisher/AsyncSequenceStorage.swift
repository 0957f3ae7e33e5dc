import Combine
import InterflowPrimitives

/// One subscription to an ``AsyncSequencePublisher``: the task that pulls elements, and the state that it shares with
/// the subscriber's side.
@usableFromInline
final class AsyncSequenceStorage<Elements: AsyncSequence, Downstream: Subscriber>: @unchecked Sendable
where Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure {
  typealias Waiter = UnsafeContinuation<Void, Never>

  // Guarded by `state`, which gives one thread at a time the right to use them:
  // - `downstream`: the task, while it delivers; otherwise, the code that ends the subscription.
  // - `iterator`: the task, once it has been started; before that, the code that ends the subscription.
  // - `waiter`: the task, until it is parked; then the code that resumes it.
  // Guarded by `lock`: `task`.
  @usableFromInline let state = PullState()
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var iterator: Elements.AsyncIterator?
  @exclusivity(unchecked) var waiter: Waiter?
  let lock = Lock()
  var task: Task<Void, Never>?
  @usableFromInline let priority: TaskPriority?

  // Formed where every type is known, so that the loop is specialised for the sequence and for the subscriber.
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
    perform(state.requested(demand))
  }

  /// The subscriber's `receive(subscription:)` has returned.
  @usableFromInline
  func open() {
    perform(state.opened())
  }

  @usableFromInline
  func cancel() {
    end(state.cancelled())
  }

  func abandon() {
    end(state.wasAbandoned())
  }

  private func perform(_ action: PullState.Action) {
    switch action {
    case .nothing: break
    case .start: start()
    case .resume: waiter.take()?.wake()
    }
  }

  private func start() {
    let task = startTask(priority: priority) { await self.run(self) }
    lock.lock()
    let isActive = !state.hasEnded
    if isActive { self.task = task }
    lock.unlock()
    if !isActive { task.cancel() }
  }

  private func end(_ ending: PullState.Ending?) {
    guard let ending else { return }
    takeTask()?.cancel()
    if ending.resumes { waiter.take()?.wake() }
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
    if let completion = await deliverElements() { finish(completion) }
  }

  /// A function of its own, so that the iterator has been released when the completion is delivered: a subscriber may
  /// start the sequence again.
  ///
  /// - Returns: The completion; `nil` if the subscription has ended in another way.
  @inlinable
  func deliverElements() async -> Subscribers.Completion<Downstream.Failure>? {
    guard var iterator = self.iterator.take() else { return nil }
    var delivered = 0
    while true {
      var batch = state.takeBatch()
      if batch == 0 {
        if state.isExhausted {
          cancel()
          return nil
        }
        await waitForDemand()
      }
      while batch > 0 {
        let element: Elements.Element?
        do {
          element = try await iterator.next(isolation: nil)
        } catch {
          return .failure(error)
        }
        guard let element else { return .finished }
        guard state.beginDelivery() else { return nil }
        let more = downstream.unsafelyUnwrapped.receive(element)
        guard state.endDelivery() else {
          downstream = nil
          return nil
        }
        batch = PullState.batch(batch, afterValueRequesting: more)
        delivered &+= 1
        // Lets other tasks run, though the sequence always has an element.
        if delivered & 1_023 == 0 { await Task.yield() }
      }
    }
  }

  @usableFromInline
  func waitForDemand() async {
    await withUnsafeContinuation { park($0) }
  }

  private func park(_ waiter: Waiter) {
    self.waiter = waiter
    if !state.parks() { self.waiter.take()?.wake() }
  }

  @usableFromInline
  func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard state.finished() else { return }
    _ = takeTask()
    downstream.take()?.receive(completion: completion)
  }
}
