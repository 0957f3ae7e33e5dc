import Combine
import InterflowPrimitives

/// The part of a channel that its subscriptions share: the lock, the state machine, and the delivery.
@usableFromInline
final class AsyncChannelStorage: @unchecked Sendable {  // `lock` guards `machine`, its senders and its members.
  typealias Sender = AsyncChannelSender
  typealias Member = AsyncChannelMember
  typealias Outcome = AsyncChannelSender.Outcome
  typealias Machine = AsyncChannelStateMachine

  private let lock = Lock()
  private var machine = Machine()

  /// How many senders wait: for tests.
  var senderCount: Int {
    lock.lock()
    let count = machine.senders.count
    lock.unlock()
    return count
  }

  // MARK: Sending

  /// Queues a value, and delivers what can be delivered now.
  ///
  /// - Returns: Whether this value has been delivered; otherwise, the caller waits for its ``outcome(of:)``.
  func send(_ sender: Sender) throws -> Bool {
    try Task.checkCancellation()
    lock.lock()
    guard machine.sent(sender) else {
      lock.unlock()
      throw AsyncChannelError.finished
    }
    deliverUnlocking()
    lock.lock()
    let isDelivered = sender.outcome == .delivered
    lock.unlock()
    return isDelivered
  }

  /// Waits until a value has been delivered, or the task is cancelled.
  nonisolated(nonsending) func outcome(of sender: UncheckedTransfer<Sender>) async -> Outcome {
    await withTaskCancellationHandler {
      while true {
        var address: UInt = 0
        let wake: AsyncChannelSender.Wake = await withUnsafeContinuation { waiter in
          address = waiter.address
          lock.lock()
          if let outcome = sender.value.outcome {
            lock.unlock()
            waiter.wake(returning: .ended(outcome))
          } else {
            sender.value.waiter = waiter
            // It may have become deliverable before the continuation was there.
            deliverUnlocking()
          }
        }
        ThreadSanitizer.acquire(address)
        switch wake {
        case .ended(let outcome):
          return outcome
        case .deliver:
          lock.lock()
          deliverUnlocking()
        }
      }
    } onCancel: {
      withdraw(sender.value)
    }
  }

  private func withdraw(_ sender: Sender) {
    lock.lock()
    guard machine.withdrew(sender) else {
      lock.unlock()
      return
    }
    sender.outcome = .withdrawn
    let value = sender.takePayload()
    let waiter = sender.waiter.take()
    // A completion may have been waiting for this sender.
    deliverUnlocking()
    waiter?.wake(returning: .ended(.withdrawn))
    releaseOutsideLock(value)
  }

  func send(completion: Machine.Completion) {
    lock.lock()
    machine.completed(completion)
    deliverUnlocking()
  }

  // MARK: Members

  /// Adds a subscriber; after the completion, delivers that.
  ///
  /// - Parameter sendSubscription: Sends the subscriber its subscription.
  @usableFromInline
  func join(_ member: AsyncChannelMember, sendSubscription: (any Subscription) -> Void) {
    lock.lock()
    if let completion = machine.joined(member) {
      let downstream = member.downstream.take()
      lock.unlock()
      sendSubscription(Subscriptions.empty)
      downstream?.complete(completion)
      return
    }
    lock.unlock()
    sendSubscription(member)
    lock.lock()
    member.isOpen = true
    deliverUnlocking()
  }

  func request(_ demand: Subscribers.Demand, for member: Member) {
    lock.lock()
    member.demand += demand
    deliverUnlocking()
  }

  func remove(_ member: Member) {
    lock.lock()
    let downstream = member.downstream.take()
    if machine.left(member) {
      deliverUnlocking()
    } else {
      lock.unlock()
    }
    releaseOutsideLock(downstream)
  }

  /// Releases the members, because the channel was deallocated and nothing more will be sent.
  func abandon() {
    lock.lock()
    let members = machine.abandoned()
    let downstreams = members.map { $0.downstream.take() }
    lock.unlock()
    releaseOutsideLock((members, downstreams))
  }

  // MARK: Delivery

  /// Delivers what can be delivered, unless another thread does already. Call with the lock held; releases it.
  ///
  /// If another sender's value can be delivered next, that sender's task continues, so that no task has to deliver the
  /// values of others for an unlimited time.
  private func deliverUnlocking() {
    lock.assertHeld()
    guard machine.beginsDelivery() else {
      lock.unlock()
      return
    }
    while true {
      let step = machine.nextStep()
      lock.unlock()
      switch step {
      case .stop:
        return
      case .deliver(let sender, let members):
        deliver(sender, to: members)
        lock.lock()
        if let next = machine.nextDeliverer() {
          let waiter = next.waiter.take()
          lock.unlock()
          waiter?.wake(returning: .deliver)
          return
        }
        continue
      case .complete(let completion, let members):
        for member in members { takeDownstream(of: member)?.complete(completion) }
      }
      lock.lock()
    }
  }

  private func deliver(_ sender: Sender, to members: [Member]) {
    var isReceived = false
    for member in members {
      guard let downstream = downstream(of: member) else { continue }
      let more = downstream.deliver(sender)
      if more != nil { isReceived = true }
      if more == Subscribers.Demand.none { continue }
      lock.lock()
      // One that has not taken the value has ended, and is about to cancel.
      if let more { member.demand += more } else { _ = machine.left(member) }
      lock.unlock()
    }
    lock.lock()
    if !isReceived, machine.putBack(sender) {
      lock.unlock()
      return
    }
    let outcome = isReceived ? Outcome.delivered : .withdrawn
    sender.outcome = outcome
    let value = isReceived ? nil : sender.takePayload()
    let waiter = sender.waiter.take()
    lock.unlock()
    waiter?.wake(returning: .ended(outcome))
    releaseOutsideLock(value)
  }

  private func downstream(of member: Member) -> Member.Downstream? {
    lock.lock()
    let downstream = member.downstream
    lock.unlock()
    return downstream
  }

  private func takeDownstream(of member: Member) -> Member.Downstream? {
    lock.lock()
    let downstream = member.downstream.take()
    lock.unlock()
    return downstream
  }
}
