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

  // Guarded by `lock`: `workers`, `context`, `upstream`, `downstream`, `transform`, `machine`.
  //
  // `priority` is written under `lock`, at most once, when a sink is attached or by the first request, before the first
  // worker is added. A worker is added under `lock` and started afterwards, so `start(_:)` may read `priority` without
  // the lock.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var workers = WorkerList()
  /// The priority of the workers: the one passed to the operator, or that of the task that attaches a sink or makes the
  /// first request.
  @usableFromInline @exclusivity(unchecked) var priority: TaskPriority?
  /// Starts workers with the task-local values of the code that attaches a sink or makes the first request.
  @usableFromInline @exclusivity(unchecked) var context: TaskContext?
  @usableFromInline @exclusivity(unchecked) var upstream: SubscriptionUpstream?
  // Formed where every type is known, so that their code is specialised for the closure and for the subscriber.
  @usableFromInline let body: TaskWorker.Body
  @usableFromInline let specializedRequest: (AnyObject, Int) -> Void
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var transform: Transform?
  @usableFromInline @exclusivity(unchecked) var machine: Machine
  /// Whether the subscriber is a ``PromptSubscriber``.
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
    specializedRequest = { owner, more in unsafeDowncast(owner, to: TaskStorage.self).requested(more) }
  }

  deinit {
    context?.finish()
  }

  @usableFromInline var description: String { machine.policy.name }
  @usableFromInline var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A subscriber that only stores the values that it receives, and calls no closure of the user. Its `receive(_:)`
/// returns so soon that no other worker is started for the time of the call.
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
    let executor = ExecutorPreference.current
    var dropped: Input?
    lock.lock()
    machine.received(input, executor: executor, dropped: &dropped)
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
    var discarded = Machine.Discarded()
    lock.lock()
    let upstream = upstream.take()
    let cancels = machine.upstreamCompleted(completion, &discarded)
    let tasks = cancels ? workers.takeTasksToCancel(after: 0) : []
    lock.unlock()
    for task in tasks { task.cancel() }
    if cancels {
      lock.lock()
      machine.didCancel()
      lock.unlock()
    }
    releaseOutsideLock((upstream, discarded))
  }
}

// MARK: - Downstream

extension TaskStorage {
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    specializedRequest(self, demand.max ?? .max)
  }

  @inlinable
  func requested(_ more: Int) {
    let executor = ExecutorPreference.current
    lock.lock()
    if !machine.hasBegun { captureContextUnlocking() }
    let request = machine.requested(more, executor: executor)
    let worker = machine.needsWorker ? addWorker() : nil
    let upstream = request == .none ? nil : upstream
    lock.unlock()
    if let worker { startInContext(worker) }
    upstream?.requestDemand(request)
    deliver()
  }

  /// Stores the priority and the task-local values of the calling code, with which all closures run.
  @usableFromInline
  func captureContext() {
    lock.lock()
    captureContextUnlocking()
    lock.unlock()
  }

  /// Stores them unless that has been done. Call with the lock held; releases and reacquires it.
  @usableFromInline
  func captureContextUnlocking() {
    lock.assertHeld()
    if priority == nil { priority = .current }
    // The only value arrives during the request, so its worker is started by the code that makes the request.
    guard context == nil, !machine.hasEnded, machine.policy != .deferred else { return }
    lock.unlock()
    let context = TaskContext(priority: priority)
    lock.lock()
    if self.context == nil, !machine.hasBegun, !machine.hasEnded {
      self.context = context
    } else {
      lock.unlock()
      context.finish()
      lock.lock()
    }
  }

  @usableFromInline
  func cancel() {
    var discarded = Machine.Discarded()
    lock.lock()
    machine.cancelled(&discarded)
    let tasks = workers.takeTasksToCancel(after: 0)
    let (upstream, released) = (upstream.take(), (downstream.take(), transform.take()))
    let context = context.take()
    lock.unlock()
    context?.finish()
    upstream?.cancel()
    for task in tasks { task.cancel() }
    releaseOutsideLock((discarded, released))
  }
}

extension TaskPriority {
  /// The priority of the current task; outside a task, the one that a new task gets.
  @inlinable static var current: TaskPriority {
    let priority = Task.currentPriority
    return priority.rawValue == 0 ? .medium : priority
  }
}
