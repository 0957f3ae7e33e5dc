import Combine
import InterflowPrimitives

/// What a channel shares with its subscriptions: the lock, the state, and the running of rounds.
final class AsyncChannelStorage<Output, Failure: Error>: @unchecked Sendable {  // `lock` guards `machine`.
  typealias Member = AsyncChannelSubscription<Output, Failure>
  typealias Machine = AsyncChannelStateMachine<Sender, Member, Failure>

  /// A value on its way and the task that waits for its delivery. Guarded by the storage's `lock`: everything.
  final class Sender: AsyncChannelSender {
    var isWaiting = true
    var value: Output?
    var outcome: Outcome?
    var waiter: UnsafeContinuation<Outcome, Never>?

    init(_ value: Output) {
      self.value = value
    }
  }

  /// How a send has ended.
  enum Outcome {
    case delivered
    case withdrawn
  }

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

  nonisolated(nonsending) func send(_ value: Output) async throws {
    try Task.checkCancellation()
    // Handed over to whoever runs the round; this task only waits for it.
    let sender = UncheckedTransfer(Sender(value))
    lock.lock()
    guard machine.sent(sender.value) else {
      lock.unlock()
      throw AsyncChannelError.finished
    }
    runAndUnlock()
    switch await outcome(of: sender) {
    case .delivered: return
    case .withdrawn: throw CancellationError()
    }
  }

  private nonisolated(nonsending) func outcome(of sender: UncheckedTransfer<Sender>) async -> Outcome {
    lock.lock()
    let outcome = sender.value.outcome
    lock.unlock()
    if let outcome { return outcome }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        lock.lock()
        if let outcome = sender.value.outcome {
          lock.unlock()
          waiter.resume(returning: outcome)
        } else {
          sender.value.waiter = waiter
          lock.unlock()
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
    let value = sender.value.take()
    let waiter = sender.waiter.take()
    // The completion may have waited for this sender.
    runAndUnlock()
    waiter?.resume(returning: .withdrawn)
    withExtendedLifetime(value) {}
  }

  func send(completion: Subscribers.Completion<Failure>) {
    lock.lock()
    machine.completed(completion)
    runAndUnlock()
  }

  // MARK: Members

  func join(_ member: Member, _ subscriber: any Subscriber<Output, Failure>) {
    lock.lock()
    let completion = machine.joined(member)
    lock.unlock()
    if let completion {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: completion)
      return
    }
    subscriber.receive(subscription: member)
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

  // MARK: Rounds

  /// With the lock, which it gives back: takes the steps that are due, unless somebody does already.
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
      case .complete(let completion, let members):
        for member in members { takeDownstream(of: member)?.receive(completion: completion) }
      }
      lock.lock()
    }
  }

  private func deliver(_ sender: Sender, to members: [Member]) {
    lock.lock()
    let value = sender.value.take()
    lock.unlock()
    guard let value else { return }
    for member in members {
      guard let more = downstream(of: member)?.receive(value), more != .none else { continue }
      lock.lock()
      member.demand += more
      lock.unlock()
    }
    lock.lock()
    sender.outcome = .delivered
    let waiter = sender.waiter.take()
    lock.unlock()
    waiter?.resume(returning: .delivered)
  }

  private func downstream(of member: Member) -> (any Subscriber<Output, Failure>)? {
    lock.lock()
    let downstream = member.downstream
    lock.unlock()
    return downstream
  }

  private func takeDownstream(of member: Member) -> (any Subscriber<Output, Failure>)? {
    lock.lock()
    let downstream = member.downstream.take()
    lock.unlock()
    return downstream
  }
}
