import Combine
import InterflowPrimitives

/// What a channel shares with its subscriptions: the lock, the state, and the running of rounds.
@usableFromInline
final class AsyncChannelStorage: @unchecked Sendable {  // `lock` guards `machine`, its senders and its members.
  typealias Sender = AsyncChannelSender
  typealias Member = AsyncChannelMember
  typealias Outcome = AsyncChannelSender.Outcome
  typealias Machine = AsyncChannelStateMachine

  private let lock = Lock()
  private var machine = Machine()

  /// How many senders wait. For tests, which have no other way to see that one does.
  var senderCount: Int {
    lock.lock()
    let count = machine.senders.count
    lock.unlock()
    return count
  }

  // MARK: Sending

  /// Queues a value, and delivers what can be delivered now.
  ///
  /// - Returns: Whether this value has been; otherwise, the caller waits for its ``outcome(of:)``.
  func send(_ sender: Sender) throws -> Bool {
    try Task.checkCancellation()
    lock.lock()
    guard machine.sent(sender) else {
      lock.unlock()
      throw AsyncChannelError.finished
    }
    runAndUnlock()
    lock.lock()
    let isDelivered = sender.outcome == .delivered
    lock.unlock()
    return isDelivered
  }

  /// Waits until a value has been delivered, or the task is cancelled. The sender is the storage's by now.
  nonisolated(nonsending) func outcome(of sender: UncheckedTransfer<Sender>) async -> Outcome {
    await withTaskCancellationHandler {
      while true {
        let wake: AsyncChannelSender.Wake = await withUnsafeContinuation { waiter in
          lock.lock()
          if let outcome = sender.value.outcome {
            lock.unlock()
            waiter.resume(returning: .ended(outcome))
          } else {
            sender.value.waiter = waiter
            // Its turn may have come while there was nobody to tell.
            runAndUnlock()
          }
        }
        switch wake {
        case .ended(let outcome):
          return outcome
        case .turn:
          lock.lock()
          runAndUnlock()
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
    // The completion may have waited for this sender.
    runAndUnlock()
    waiter?.resume(returning: .ended(.withdrawn))
    withExtendedLifetime(value) {}
  }

  func send(completion: Machine.Completion) {
    lock.lock()
    machine.completed(completion)
    runAndUnlock()
  }

  // MARK: Members

  /// Takes a subscriber in, unless all that is left to tell is the completion.
  ///
  /// - Parameter accept: Hands the subscriber its subscription.
  @usableFromInline
  func join(_ member: AsyncChannelMember, accept: (any Subscription) -> Void) {
    lock.lock()
    if let completion = machine.joined(member) {
      let downstream = member.downstream.take()
      lock.unlock()
      accept(Subscriptions.empty)
      downstream?.complete(completion)
      return
    }
    lock.unlock()
    accept(member)
    lock.lock()
    member.isOpen = true
    runAndUnlock()
  }

  func request(_ demand: Subscribers.Demand, by member: Member) {
    lock.lock()
    member.demand += demand
    runAndUnlock()
  }

  func leave(_ member: Member) {
    lock.lock()
    let downstream = member.downstream.take()
    if machine.left(member) {
      runAndUnlock()
    } else {
      lock.unlock()
    }
    withExtendedLifetime(downstream) {}
  }

  /// Lets go of the members, because nobody is left who could send.
  func abandon() {
    lock.lock()
    let members = machine.abandoned()
    let downstreams = members.map { $0.downstream.take() }
    lock.unlock()
    withExtendedLifetime((members, downstreams)) {}
  }

  // MARK: Rounds

  /// With the lock, which it gives back: takes the steps that are due, unless somebody does already.
  ///
  /// Where another sender's value can go out next, that sender's task goes on: nobody is kept delivering others' values
  /// for as long as these keep coming.
  private func runAndUnlock() {
    guard machine.mayRun() else {
      lock.unlock()
      return
    }
    while true {
      let step = machine.nextStep()
      lock.unlock()
      switch step {
      case .rest:
        return
      case .deliver(let sender, let members):
        deliver(sender, to: members)
        lock.lock()
        if let next = machine.handsOver() {
          let waiter = next.waiter.take()
          lock.unlock()
          waiter?.resume(returning: .turn)
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
    for member in members {
      guard let more = downstream(of: member)?.deliver(sender), more != .none else { continue }
      lock.lock()
      member.demand += more
      lock.unlock()
    }
    lock.lock()
    sender.outcome = .delivered
    let waiter = sender.waiter.take()
    lock.unlock()
    waiter?.resume(returning: .ended(.delivered))
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
