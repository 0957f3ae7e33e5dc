import Combine
import InterflowPrimitives

// Whoever has the right to call the subscriber keeps it until nothing is left to deliver, but for a limited number of
// results: what is left then is for a worker.

extension TaskStorage {
  /// Delivers what can be delivered, outside any worker.
  @inlinable
  func deliver() {
    lock.lock()
    for _ in 0..<TaskWorker.turn {
      var output = machine.beginDelivery()
      guard case .some = output else {
        if machine.isEndDue { completeUnlocking() } else { lock.unlock() }
        return
      }
      passUnlocking(&output, from: nil)
    }
    let worker = machine.hasWork && machine.seekers == 0 ? addWorker() : nil
    lock.unlock()
    if let worker { startInContext(worker) }
  }

  /// Passes a result on. With the lock, which is free in between.
  ///
  /// - Parameter worker: The worker that does so.
  @inlinable
  func passUnlocking(_ output: inout Downstream.Input?, from worker: TaskWorker?) {
    lock.assertHeld()
    refillUnlocking(byWorker: worker != nil)
    let looksSoon = worker != nil && isSubscriberPrompt
    if looksSoon { machine.lookers &+= 1 }
    var more = Subscribers.Demand.none
    do {
      // Only now, because a cancellation may have come from upstream.
      let downstream = downstream
      // From here on this thread may be the subscriber's for as long as that pleases: somebody else has to look for
      // values.
      let other = machine.needsWorker ? addWorker() : nil
      lock.unlock()
      if let other { worker == nil ? startInContext(other) : start(other) }
      let output = output.take()
      if let downstream, let output { more = downstream.receive(output) }
    }
    lock.lock()
    if looksSoon { machine.lookers &-= 1 }
    machine.endDelivery(adding: more == .none ? 0 : more.max ?? .max)
  }

  /// Requests from upstream what there are free slots for. With the lock, which is free in between.
  @inlinable
  func refillUnlocking(byWorker: Bool) {
    lock.assertHeld()
    guard machine.owed > 0 else { return }
    let request = machine.beginRequest(byWorker: byWorker)
    do {
      let upstream = upstream
      // A value for which the worker inside another request was to look.
      let other = machine.needsWorker ? addWorker() : nil
      lock.unlock()
      if let other { byWorker ? start(other) : startInContext(other) }
      upstream?.request(request)
    }
    lock.lock()
    machine.endRequest()
  }

  /// Passes the completion on. With the lock, which is given back.
  @usableFromInline
  func completeUnlocking() {
    lock.assertHeld()
    let completion = machine.takeEnd()
    // Releases everything first, so that nothing is kept if the subscriber keeps the subscription.
    let (downstream, upstream, transform) = (downstream.take(), upstream.take(), transform.take())
    let context = context.take()
    lock.unlock()
    context?.finish()
    releaseOutsideLock((upstream, transform))
    if let completion { downstream?.receive(completion: completion) }
  }
}
