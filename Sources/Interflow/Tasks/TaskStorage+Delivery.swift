import Combine
import InterflowPrimitives

// A thread that delivers a result continues until nothing is left to deliver, or until it has delivered a limited
// number of results. A worker then delivers the rest.

extension TaskStorage {
  /// Delivers what can be delivered. For calls that no worker makes.
  @inlinable
  func deliver() {
    lock.lock()
    for _ in 0..<TaskWorker.batchLimit {
      var output = machine.beginDelivery()
      guard case .some = output else {
        if machine.isEndDue { completeUnlocking() } else { lock.unlock() }
        return
      }
      deliverUnlocking(&output, from: nil)
    }
    let worker = machine.hasWork && machine.workers.seekers == 0 ? addWorker() : nil
    lock.unlock()
    if let worker { startInContext(worker) }
  }

  /// Delivers a result. Call with the lock held; releases and reacquires it.
  ///
  /// - Parameter worker: The worker that delivers; `nil` if another thread does.
  @inlinable
  func deliverUnlocking(_ output: inout Downstream.Input?, from worker: TaskWorker?) {
    lock.assertHeld()
    refillUnlocking(byWorker: worker != nil)
    let returnsPromptly = worker != nil && isSubscriberPrompt
    if returnsPromptly { machine.workers.inPromptCall &+= 1 }
    var more = Subscribers.Demand.none
    do {
      // Read only now: the subscription may have been cancelled during the request to upstream.
      let downstream = downstream
      // The subscriber's call may take any time, so another worker must take the values that are ready.
      let other = machine.needsWorker ? addWorker() : nil
      lock.unlock()
      if let other { worker == nil ? startInContext(other) : start(other) }
      let output = output.take()
      if let downstream, let output { more = downstream.receive(output) }
    }
    lock.lock()
    if returnsPromptly { machine.workers.inPromptCall &-= 1 }
    machine.endDelivery(adding: more == .none ? 0 : more.max ?? .max)
  }

  /// Requests a value from upstream for each free slot. Call with the lock held; releases and reacquires it.
  @inlinable
  func refillUnlocking(byWorker: Bool) {
    lock.assertHeld()
    guard machine.unrequested > 0 else { return }
    let request = machine.beginRequest(byWorker: byWorker)
    do {
      let upstream = upstream
      // For a value that the worker in an outer call of `request` was expected to take.
      let other = machine.needsWorker ? addWorker() : nil
      lock.unlock()
      if let other { byWorker ? start(other) : startInContext(other) }
      upstream?.request(request)
    }
    lock.lock()
    machine.workers.endRequest()
  }

  /// Delivers the completion. Call with the lock held; releases it.
  @usableFromInline
  func completeUnlocking() {
    lock.assertHeld()
    let completion = machine.takeEnd()
    let downstream = downstream.take()
    do {
      // Released before the call, because the subscriber may retain the subscription.
      let (upstream, transform, context) = (upstream.take(), transform.take(), context.take())
      lock.unlock()
      context?.finish()
      releaseOutsideLock((upstream, transform))
    }
    if let completion { downstream?.receive(completion: completion) }
  }
}
