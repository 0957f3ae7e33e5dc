import Combine
import InterflowPrimitives

/// The subscriber upstream and the subscription downstream of one subscription to a ``TaskPublisher``.
@usableFromInline
final class TaskStorage<Input: Sendable, UpstreamFailure: Error, Downstream: Subscriber>: Subscriber, Subscription,
  TaskWorkerOwner, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible, @unchecked Sendable
where Downstream.Input: Sendable {
  @usableFromInline typealias Failure = UpstreamFailure
  @usableFromInline typealias Machine = TaskStateMachine<Input, Downstream.Input, Downstream.Failure>
  @usableFromInline typealias Transform = @Sendable (Input) async throws(Downstream.Failure) -> Downstream.Input

  // Guarded by `lock`: `roster`, `priority`, `context`, `upstream`, `downstream`, `transform`, `machine`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var roster = TaskRoster()
  /// That of the task which made the first request, unless the program has named one.
  @usableFromInline @exclusivity(unchecked) var priority: TaskPriority?
  /// Where workers get the task-local values of the first request from.
  @usableFromInline @exclusivity(unchecked) var context: TaskContext?
  @usableFromInline @exclusivity(unchecked) var upstream: SubscriptionUpstream?
  // Formed where every type is known, so that what they do is specialised in the closure and in the subscriber.
  @usableFromInline let body: TaskWorker.Body
  @usableFromInline let serve: (AnyObject, Int) -> Void
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var transform: Transform?
  @usableFromInline @exclusivity(unchecked) var machine: Machine
  /// Whether calling the subscriber takes no time worth another worker.
  @usableFromInline let isSubscriberPrompt: Bool
  @usableFromInline let mapFailure: @Sendable (UpstreamFailure) -> Downstream.Failure

  @inlinable
  init(
    _ downstream: Downstream, _ machine: Machine, priority: TaskPriority?, transform: @escaping Transform,
    mapFailure: @escaping @Sendable (UpstreamFailure) -> Downstream.Failure
  ) {
    self.downstream = downstream
    self.machine = machine
    self.priority = priority
    self.transform = transform
    self.mapFailure = mapFailure
    isSubscriberPrompt = Downstream.self is any PromptSubscriber.Type
    body = { owner, worker in await unsafeDowncast(owner, to: TaskStorage.self).work(worker) }
    serve = { owner, more in unsafeDowncast(owner, to: TaskStorage.self).serve(more) }
  }

  deinit {
    context?.finish()
  }

  @usableFromInline var description: String { machine.policy.name }
  @usableFromInline var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A subscriber that only keeps what it receives, and calls nobody's closure.
@usableFromInline
protocol PromptSubscriber {}

// MARK: - Upstream

extension TaskStorage {
  @usableFromInline
  func receive(subscription: any Subscription) {
    lock.lock()
    guard !machine.isLinked, !machine.hasEnded else {
      lock.unlock()
      subscription.cancel()
      return
    }
    upstream = SubscriptionUpstream(subscription)
    let request = machine.linked()
    let downstream = downstream
    lock.unlock()
    if request != .none { subscription.request(request) }
    downstream?.receive(subscription: self)
    open()
  }

  private func open() {
    lock.lock()
    let request = machine.opened()
    let upstream = upstream
    lock.unlock()
    if request != .none { upstream?.requestDemand(request) }
    deliver()
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let home = TaskHome.current
    var dropped: Input?
    lock.lock()
    machine.received(input, home: home, dropped: &dropped)
    let worker = machine.needsWorker ? addWorker() : nil
    lock.unlock()
    if let worker { startInContext(worker) }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    switch completion {
    case .finished: upstreamCompleted(.finished)
    case .failure(let error): upstreamCompleted(.failure(mapFailure(error)))
    }
    deliver()
  }

  private func upstreamCompleted(_ completion: Subscribers.Completion<Downstream.Failure>) {
    var remains = Machine.Remains()
    lock.lock()
    let upstream = upstream.take()
    let cancels = machine.upstreamCompleted(completion, &remains)
    let tasks = cancels ? roster.cancelled(after: 0) : []
    lock.unlock()
    for task in tasks { task.cancel() }
    if cancels {
      lock.lock()
      machine.didCancel()
      lock.unlock()
    }
    releaseOutsideLock((upstream, remains))
  }
}

// MARK: - Downstream

extension TaskStorage {
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    serve(self, demand.max ?? .max)
  }

  @inlinable
  func serve(_ more: Int) {
    let home = TaskHome.current
    lock.lock()
    if !machine.isWanted { captureContextUnlocking() }
    let request = machine.requested(more, home: home)
    let worker = machine.needsWorker ? addWorker() : nil
    let upstream = request == .none ? nil : upstream
    lock.unlock()
    if let worker { startInContext(worker) }
    upstream?.requestDemand(request)
    deliver()
  }

  /// Every closure runs as if the code that makes the first request had started it. With the lock, which is free in
  /// between.
  @usableFromInline
  func captureContextUnlocking() {
    lock.assertHeld()
    if priority == nil { priority = .current }
    // A single value that comes with the request is worked on where that is made.
    guard context == nil, !machine.hasEnded, machine.policy != .deferred else { return }
    lock.unlock()
    let context = TaskContext(priority: priority)
    lock.lock()
    if self.context == nil, !machine.isWanted, !machine.hasEnded {
      self.context = context
    } else {
      lock.unlock()
      context.finish()
      lock.lock()
    }
  }

  @usableFromInline
  func cancel() {
    var remains = Machine.Remains()
    lock.lock()
    machine.cancelled(&remains)
    let tasks = roster.cancelled(after: 0)
    let (upstream, released) = (upstream.take(), (downstream.take(), transform.take()))
    let context = context.take()
    lock.unlock()
    context?.finish()
    upstream?.cancel()
    for task in tasks { task.cancel() }
    releaseOutsideLock((remains, released))
  }
}

extension TaskPriority {
  /// That of the task that runs, or the one that a task gets outside any.
  @inlinable static var current: TaskPriority {
    let priority = Task.currentPriority
    return priority.rawValue == 0 ? .medium : priority
  }
}
