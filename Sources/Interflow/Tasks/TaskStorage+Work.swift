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
  func end(_ worker: TaskWorker) {
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
    let priority = Task.currentPriority
    var credit = TaskWorker.turn * 2
    var input: Input?
    lock.lock()
    let transform = transform
    machine.seekers &-= 1
    var step = next(worker, &input, &credit)
    while true {
      switch step {
      case .run:
        do throws(Downstream.Failure) {
          // Nothing of a value is kept here while results of others are delivered.
          var output: Downstream.Input? = try await transform.unsafelyUnwrapped(input.take().unsafelyUnwrapped)
          // The closure may have cancelled its task, or somebody raised its priority: that is not for other values.
          let isFresh = !Task.isCancelled && Task.currentPriority == priority
          step = returned(worker, &output, isFresh, &input, &credit)
        } catch {
          step = failed(worker, error, isFresh: !Task.isCancelled && Task.currentPriority == priority)
        }
      case .pause:
        await Task.yield()
        credit = TaskWorker.turn * 2
        lock.lock()
        machine.seekers &-= 1
        step = next(worker, &input, &credit)
      case .end:
        return
      }
    }
  }

  @inlinable
  func returned(
    _ worker: TaskWorker, _ output: inout Downstream.Input?, _ isFresh: Bool, _ input: inout Input?,
    _ credit: inout Int
  ) -> Step {
    lock.lock()
    machine.returned(worker.number, &output)
    worker.number = 0
    if isFresh { return next(worker, &input, &credit) }
    end(worker)
    return .end
  }

  /// Delivers what can be delivered, and takes a value. With the lock, which is given back.
  @inlinable
  func next(_ worker: TaskWorker, _ input: inout Input?, _ credit: inout Int) -> Step {
    while credit > 0 {
      credit &-= 1
      var output = machine.beginDelivery()
      if case .some = output {
        pass(&output, from: worker)
        continue
      }
      if machine.policy.ignoresResults {
        credit &-= 1
        refill()
      }
      if machine.isEndDue {
        finish(worker)
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
      end(worker)
      return .end
    }
    machine.seekers &+= 1
    lock.unlock()
    return .pause
  }

  /// With the lock, which is given back.
  @usableFromInline
  func finish(_ worker: TaskWorker) {
    roster.remove(worker)
    worker.hasEnded = true
    let task = worker.task.take()
    complete()
    releaseOutsideLock(task)
  }

  @usableFromInline
  func failed(_ worker: TaskWorker, _ error: Downstream.Failure, isFresh: Bool) -> Step {
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
    if isFresh, machine.isEndDue { finish(worker) } else { end(worker) }
    return .end
  }
}
