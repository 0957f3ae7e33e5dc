import Combine
import InterflowPrimitives

// A worker takes the next value, runs the closure for it, delivers the results that can be delivered then, and takes
// the next value. It ends when no value is ready. So a stream whose closures do not suspend needs no task for each
// value, and an idle stream has no task.
//
// A worker is started only if values are ready and no other worker will soon take them; `TaskStateMachine` describes
// when. A worker that takes a value while more are ready starts the next worker before it runs the closure, so as many
// closures run as there are slots.

extension TaskStorage {
  /// What a worker does next.
  @frozen
  @usableFromInline
  enum Step {
    case run
    case pause
    /// Delivers the completion. The lock is held.
    case finish
    case end
  }

  // MARK: Start and end

  /// Adds a worker, which the caller starts without the lock. Call with the lock held.
  ///
  /// - Parameter executor: Where the worker runs if no value is ready. Otherwise it runs where the next value must.
  @usableFromInline
  func addWorker(on executor: (any TaskExecutor)? = ExecutorPreference.current) -> TaskWorker {
    lock.assertHeld()
    machine.workers.seekers += 1
    let worker = TaskWorker(
      executor: machine.ready.isEmpty ? executor : machine.ready.first?.executor, owner: self, body: body)
    workers.add(worker)
    return worker
  }

  @usableFromInline
  func start(_ worker: TaskWorker) {
    let task = worker.makeTask(priority: priority)
    lock.lock()
    let isCancelled = worker.isCancelled
    if !isCancelled, !worker.hasEnded { worker.task = task }
    lock.unlock()
    if isCancelled { task.cancel() }
  }

  /// Starts a worker with the task-local values of the context. For calls that no worker makes, since the values
  /// of the calling code may be different.
  @usableFromInline
  func startInContext(_ worker: TaskWorker) {
    lock.lock()
    let context = context
    lock.unlock()
    if let context { context.start(worker) } else { start(worker) }
  }

  /// Ends a worker, and starts another if there is work left. Call with the lock held; releases it.
  @usableFromInline
  func endUnlocking(_ worker: TaskWorker) {
    lock.assertHeld()
    workers.remove(worker)
    worker.hasEnded = true
    let task = worker.task.take()
    let next = machine.hasWork && machine.workers.seekers == 0 ? addWorker(on: worker.executor) : nil
    lock.unlock()
    releaseOutsideLock(task)
    if let next { start(next) }
  }

  // MARK: Work

  @inlinable
  func work(_ worker: TaskWorker) async {
    worker.priority = Task.currentPriority
    var stepsLeft = TaskWorker.batchLimit * 2
    var input: Input?
    lock.lock()
    var transform = transform
    machine.workers.seekers &-= 1
    var step = nextUnlocking(worker, &input, &stepsLeft)
    while true {
      switch step {
      case .run:
        do throws(Downstream.Failure) {
          // Taken, so that neither the value nor its result is retained while results of others are delivered.
          var output: Downstream.Input? = try await transform.unsafelyUnwrapped(input.take().unsafelyUnwrapped)
          step = returned(worker, &output, &input, &stepsLeft)
        } catch {
          step = failed(worker, error)
        }
      case .pause:
        await Task.yield()
        stepsLeft = TaskWorker.batchLimit * 2
        lock.lock()
        machine.workers.seekers &-= 1
        step = nextUnlocking(worker, &input, &stepsLeft)
      case .finish:
        // So that no closure is left when the subscriber gets the completion. The storage retains it until then, so
        // this calls no `deinit` under the lock.
        transform = nil
        return finishUnlocking(worker)
      case .end:
        return
      }
    }
  }

  @inlinable
  func returned(
    _ worker: TaskWorker, _ output: inout Downstream.Input?, _ input: inout Input?, _ stepsLeft: inout Int
  ) -> Step {
    let isReusable = worker.isReusable
    lock.lock()
    machine.returned(worker.number, &output)
    worker.number = 0
    if isReusable { return nextUnlocking(worker, &input, &stepsLeft) }
    endUnlocking(worker)
    return .end
  }

  /// Delivers what can be delivered, and takes a value. Call with the lock held; releases it, unless this returns
  /// `.finish`.
  ///
  /// - Parameter stepsLeft: How many deliveries and values are left before the worker yields.
  @inlinable
  func nextUnlocking(_ worker: TaskWorker, _ input: inout Input?, _ stepsLeft: inout Int) -> Step {
    lock.assertHeld()
    var hasCalledOut = false
    while stepsLeft > 0 {
      stepsLeft &-= 1
      var output = machine.beginDelivery()
      if case .some = output {
        deliverUnlocking(&output, from: worker)
        hasCalledOut = true
        continue
      }
      if machine.policy.ignoresResults {
        stepsLeft &-= 1
        hasCalledOut = hasCalledOut || machine.unrequested > 0
        refillUnlocking(byWorker: true)
      }
      if machine.isEndDue { return .finish }
      // The subscriber or upstream may have cancelled this task, which would cancel the next value's closure.
      if hasCalledOut, Task.isCancelled {
        endUnlocking(worker)
        return .end
      }
      input = machine.take(on: worker.executor)
      guard case .some = input else { break }
      worker.number = machine.taken
      let next = machine.needsWorker ? addWorker() : nil
      lock.unlock()
      if let next { start(next) }
      return .run
    }
    if stepsLeft > 0 || machine.workers.seekers > 0 || !machine.hasWork {
      endUnlocking(worker)
      return .end
    }
    // There is work, and no seeker that will do it: this worker continues after it has yielded.
    machine.workers.seekers &+= 1
    lock.unlock()
    return .pause
  }

  /// Ends a worker, and delivers the completion. Call with the lock held; releases it.
  @usableFromInline
  func finishUnlocking(_ worker: TaskWorker) {
    lock.assertHeld()
    workers.remove(worker)
    worker.hasEnded = true
    let task = worker.task.take()
    completeUnlocking()
    releaseOutsideLock(task)
  }

  @usableFromInline
  func failed(_ worker: TaskWorker, _ error: Downstream.Failure) -> Step {
    let isReusable = worker.isReusable
    var discarded = Machine.Discarded()
    lock.lock()
    let number = machine.failed(worker.number, error, &discarded)
    worker.number = 0
    let tasks = number.map { workers.takeTasksToCancel(after: $0) } ?? []
    let upstream = number == nil ? nil : upstream.take()
    lock.unlock()
    upstream?.cancel()
    for task in tasks { task.cancel() }
    releaseOutsideLock(discarded)
    lock.lock()
    if number != nil { machine.didCancel() }
    if isReusable, machine.isEndDue { return .finish }
    endUnlocking(worker)
    return .end
  }
}
