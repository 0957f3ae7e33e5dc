import Combine
import InterflowPrimitives

// A worker runs the closure for the value that is next, delivers what its result has made deliverable, and looks for
// the next value; it ends where there is none. So a stream whose closures do not suspend needs no task for each value,
// and one that rests has no task at all.
//
// A worker is started only where values are ready and nobody is about to look for them. One that takes a value while
// more are ready starts the next before it runs its closure, so as many run as there are slots.

extension TaskStorage {
  /// What a worker does next.
  @frozen
  @usableFromInline
  enum Step {
    case run
    case pause
    case end
  }

  // MARK: Start and end

  /// With the lock.
  ///
  /// - Parameter home: Where the worker runs if it is not for a value.
  @usableFromInline
  func addWorker(at home: (any TaskExecutor)? = TaskHome.current) -> TaskWorker {
    lock.assertHeld()
    machine.seekers += 1
    let worker = TaskWorker(home: machine.ready.isEmpty ? home : machine.ready.first?.home, owner: self, body: body)
    roster.add(worker)
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

  /// Starts a worker for whoever sends or requests, whose task-local values are not the ones that it has to have.
  @usableFromInline
  func startInContext(_ worker: TaskWorker) {
    lock.lock()
    let context = context
    lock.unlock()
    if let context { context.start(worker) } else { start(worker) }
  }

  /// A worker ends; another takes its place if there is anything left to do. With the lock, which is given back.
  @usableFromInline
  func endUnlocking(_ worker: TaskWorker) {
    lock.assertHeld()
    roster.remove(worker)
    worker.hasEnded = true
    let task = worker.task.take()
    let next = machine.hasWork && machine.seekers == 0 ? addWorker(at: worker.home) : nil
    lock.unlock()
    releaseOutsideLock(task)
    if let next { start(next) }
  }

  // MARK: Work

  @inlinable
  func work(_ worker: TaskWorker) async {
    worker.priority = Task.currentPriority
    var credit = TaskWorker.turn * 2
    var input: Input?
    lock.lock()
    let transform = transform
    machine.seekers &-= 1
    var step = nextUnlocking(worker, &input, &credit)
    while true {
      switch step {
      case .run:
        do throws(Downstream.Failure) {
          // Nothing of a value is kept here while results of others are delivered.
          var output: Downstream.Input? = try await transform.unsafelyUnwrapped(input.take().unsafelyUnwrapped)
          step = returned(worker, &output, &input, &credit)
        } catch {
          step = failed(worker, error)
        }
      case .pause:
        await Task.yield()
        credit = TaskWorker.turn * 2
        lock.lock()
        machine.seekers &-= 1
        step = nextUnlocking(worker, &input, &credit)
      case .end:
        return
      }
    }
  }

  @inlinable
  func returned(
    _ worker: TaskWorker, _ output: inout Downstream.Input?, _ input: inout Input?, _ credit: inout Int
  ) -> Step {
    let isFresh = worker.isFresh
    lock.lock()
    machine.returned(worker.number, &output)
    worker.number = 0
    if isFresh { return nextUnlocking(worker, &input, &credit) }
    endUnlocking(worker)
    return .end
  }

  /// Delivers what can be delivered, and takes a value. With the lock, which is given back.
  @inlinable
  func nextUnlocking(_ worker: TaskWorker, _ input: inout Input?, _ credit: inout Int) -> Step {
    lock.assertHeld()
    var hasCalledOut = false
    while credit > 0 {
      credit &-= 1
      var output = machine.beginDelivery()
      if case .some = output {
        passUnlocking(&output, from: worker)
        hasCalledOut = true
        continue
      }
      if machine.policy.ignoresResults {
        credit &-= 1
        hasCalledOut = hasCalledOut || machine.owed > 0
        refillUnlocking(byWorker: true)
      }
      if machine.isEndDue {
        finishUnlocking(worker)
        return .end
      }
      // The subscriber or upstream may have cancelled the task, too.
      if hasCalledOut, Task.isCancelled {
        endUnlocking(worker)
        return .end
      }
      input = machine.take(at: worker.home)
      guard case .some = input else { break }
      worker.number = machine.taken
      let next = machine.needsWorker ? addWorker() : nil
      lock.unlock()
      if let next { start(next) }
      return .run
    }
    // Others are for somebody who has started already, where there is such a one.
    if credit > 0 || machine.seekers > 0 || !machine.hasWork {
      endUnlocking(worker)
      return .end
    }
    machine.seekers &+= 1
    lock.unlock()
    return .pause
  }

  /// With the lock, which is given back.
  @usableFromInline
  func finishUnlocking(_ worker: TaskWorker) {
    lock.assertHeld()
    roster.remove(worker)
    worker.hasEnded = true
    let task = worker.task.take()
    completeUnlocking()
    releaseOutsideLock(task)
  }

  @usableFromInline
  func failed(_ worker: TaskWorker, _ error: Downstream.Failure) -> Step {
    let isFresh = worker.isFresh
    var remains = Machine.Remains()
    lock.lock()
    let number = machine.failed(worker.number, error, &remains)
    worker.number = 0
    let tasks = number.map { roster.cancelled(after: $0) } ?? []
    let upstream = number == nil ? nil : upstream.take()
    lock.unlock()
    upstream?.cancel()
    for task in tasks { task.cancel() }
    releaseOutsideLock(remains)
    lock.lock()
    if number != nil { machine.didCancel() }
    if isFresh, machine.isEndDue { finishUnlocking(worker) } else { endUnlocking(worker) }
    return .end
  }
}
