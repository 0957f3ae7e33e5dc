import Combine
import InterflowPrimitives
import Synchronization

/// A subscriber that calls closures on an actor, with many values for each switch to it.
///
/// Values that arrive while the actor is busy are buffered, so at most one task at a time is scheduled on it. The
/// task's closure (`work`) retains the sink; the completion and the cancellation release it.
@usableFromInline
final class IsolatedSink<Input, Failure: Error>: Subscriber, IsolatedSteps, @unchecked Sendable {
  @usableFromInline typealias Machine = IsolatedSinkStateMachine<Input, Failure>

  // Guarded by `lock`: `machine`, `upstream`, `work`, `receiveValue`, `receiveCompletion`. `batch` is used only by the
  // current delivery, on the actor.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var machine = Machine()
  @usableFromInline @exclusivity(unchecked) var batch = RingBuffer<Input>()
  @usableFromInline @exclusivity(unchecked) var work: IsolatedWork?
  @usableFromInline @exclusivity(unchecked) var receiveValue: ((Input) -> Void)?
  @usableFromInline var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  private var upstream: (any Subscription)?

  /// Whether to drop the remaining values of a batch. Set under the lock, read before each value without it.
  @usableFromInline let isCancelled = Atomic(false)

  /// The priority of the tasks that deliver: that of the code that subscribes.
  @usableFromInline let priority: TaskPriority

  // Formed where the type of the values is known, so that the loop is specialised.
  @usableFromInline let deliver: (IsolatedSink) -> Void

  @inlinable
  init(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
  ) {
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
    priority = .current
    deliver = { $0.deliverBatch() }
  }
}

// MARK: - Upstream

extension IsolatedSink {
  @usableFromInline
  func receive(subscription: any Subscription) {
    lock.lock()
    let isLinked = machine.linked()
    if isLinked { upstream = subscription }
    lock.unlock()
    if isLinked {
      subscription.request(.unlimited)
    } else {
      subscription.cancel()
    }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    lock.lock()
    guard machine.isOpen else {
      lock.unlock()
      return .none
    }
    machine.pending.append(input)
    let work = machine.beginsDelivery() ? self.work : nil
    lock.unlock()
    if let work { start(work) }
    return .none
  }

  /// Starts a task that delivers. Detached, since any sender may be the one that starts it: the closures must not run
  /// with the task-local values of one sender for the values of another.
  @usableFromInline
  func start(_ work: @escaping IsolatedWork) {
    if let executor = ExecutorPreference.current {
      Task.detached(executorPreference: executor, priority: priority, operation: work)
    } else {
      Task.detached(priority: priority, operation: work)
    }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    lock.lock()
    let upstream = upstream.take()
    let work = machine.completed(completion) ? self.work : nil
    lock.unlock()
    if let work { start(work) }
    releaseOutsideLock(upstream)
  }
}

// MARK: - The actor

extension IsolatedSink {
  @usableFromInline
  func step() { deliver(self) }

  /// Delivers the values that have arrived so far. Those that arrive meanwhile are delivered by another task, so that
  /// other work can run on the actor in between.
  @inlinable
  func deliverBatch() {
    var hasDelivered = false
    while true {
      lock.lock()
      if hasDelivered, !machine.pending.isEmpty {
        let work = self.work
        lock.unlock()
        if let work { start(work) }
        return
      }
      let step = machine.takeBatch(&batch)
      let receiveValue = self.receiveValue
      lock.unlock()
      switch step {
      case .stop:
        return
      case .completion:
        return complete()
      case .values:
        while !isCancelled.load(ordering: .acquiring), let value = batch.popFirst() { receiveValue?(value) }
        if isCancelled.load(ordering: .acquiring) { batch.removeAll() }
        hasDelivered = true
      }
    }
  }

  @usableFromInline
  func complete() {
    lock.lock()
    let completion = machine.completion.take()
    let released = (work.take(), receiveValue.take())
    let receiveCompletion = receiveCompletion.take()
    lock.unlock()
    if let completion { receiveCompletion?(completion) }
    releaseOutsideLock(released)
  }
}

// MARK: - The subscriber

extension IsolatedSink {
  @usableFromInline
  func cancel() {
    lock.lock()
    isCancelled.store(true, ordering: .releasing)
    let old = machine
    machine.cancelled()
    let upstream = upstream.take()
    let released = (work.take(), receiveValue.take(), receiveCompletion.take())
    lock.unlock()
    upstream?.cancel()
    releaseOutsideLock((old, released))
  }
}
