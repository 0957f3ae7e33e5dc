import InterflowPrimitives
import Synchronization

extension SubjectCore {
  /// Puts a signal through the gate: now where this thread owns it or nobody does, and by its owner otherwise.
  @usableFromInline
  func perform(_ signal: Signal) {
    let me = currentThreadIdentity()
    var replaced: Output?
    lock.lock()
    guard admit(signal, replacing: &replaced) else {
      lock.unlock()
      return
    }
    while true {
      let word = gate.load(ordering: .relaxed)
      switch word & Gate.owner {
      case 0:
        guard exchange(word, word | me) else { continue }
        lock.unlock()
        process(signal)
        settle()
      case me:
        if signal.concernsOnlyOne || queue.isEmpty && batch.isEmpty {
          lock.unlock()
          process(signal)
        } else {
          enqueue(signal, replaced)
          let ahead = batch.count + queue.count
          lock.unlock()
          drain(ahead)
        }
      default:
        guard exchange(word, word | Gate.queued) else { continue }
        enqueue(signal, replaced)
        lock.unlock()
      }
      return
    }
  }

  /// Decides under the lock whether a signal still counts, and fixes the order of the values by holding each.
  private func admit(_ signal: Signal, replacing replaced: inout Output?) -> Bool {
    switch signal {
    case .value(let value):
      guard gate.load(ordering: .relaxed) & Gate.closed == 0 else { return false }
      if replays {
        replaced = held
        held = value
      }
    case .completion(let completion):
      guard gate.bitwiseOr(Gate.closed, ordering: .relaxed).oldValue & Gate.closed == 0 else {
        return false
      }
      self.completion = completion
    case .join, .ready, .current, .leave:
      break
    }
    return true
  }

  func enqueue(_ signal: Signal, _ replaced: Output?) {
    if replays, case .value = signal {
      if queuedValues == 0 { delivered = replaced }
      queuedValues += 1
    }
    queue.append(signal)
  }

  @inlinable
  func exchange(_ word: UInt, _ next: UInt) -> Bool {
    gate.compareExchange(
      expected: word, desired: next, successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Takes the oldest queued signal, with the value that it replaces as the one delivered last.
  private func dequeue() -> (Signal, Output?)? {
    guard replays else { return dequeuePassed().map { ($0, nil) } }
    lock.lock()
    guard let signal = queue.popFirst() else {
      lock.unlock()
      return nil
    }
    var previous: Output?
    if replays, case .value(let value) = signal {
      previous = delivered
      queuedValues -= 1
      delivered = queuedValues == 0 ? nil : value
    }
    lock.unlock()
    return (signal, previous)
  }

  func drain(_ count: Int) {
    for _ in 0..<count {
      guard let (signal, previous) = dequeue() else { return }
      withExtendedLifetime(previous) { process(signal) }
    }
  }

  /// Takes the oldest queued signal of a subject that holds no value: one lock for all that have come in.
  @inlinable
  func dequeuePassed() -> Signal? {
    if batch.isEmpty {
      lock.lock()
      swap(&batch, &queue)
      lock.unlock()
    }
    return batch.popFirst()
  }

  /// Delivers what others have queued and gives the gate up.
  @inlinable
  @inline(never)
  func settle() {
    while true {
      if mustSweep { sweep() }
      let word = gate.load(ordering: .relaxed)
      if word & Gate.queued == 0 {
        if exchange(word, word & Gate.closed) { return }
      } else {
        deliverQueued()
      }
    }
  }

  /// Delivers what is queued. Apart from ``settle()``, which most often finds nothing, for the metadata it looks up.
  @inlinable
  @inline(never)
  func deliverQueued() {
    if replays {
      deliverQueuedHeld()
    } else {
      while let signal = dequeuePassed() {
        if case .value(let value) = signal { deliver(value) } else { process(signal) }
        if mustSweep { sweep() }
      }
    }
    lock.lock()
    if queue.isEmpty { gate.bitwiseAnd(~Gate.queued, ordering: .relaxed) }
    lock.unlock()
  }

  @usableFromInline
  func deliverQueuedHeld() {
    while let (signal, previous) = dequeue() {
      withExtendedLifetime(previous) { process(signal) }
      sweep()
    }
  }

  /// Lets go of the subscribers that left while signals were delivered.
  @usableFromInline
  func sweep() {
    while mustSweep {
      mustSweep = false
      var leaving: [Member] = []
      swap(&leaving, &departed)
      for member in leaving { dismiss(member) }
    }
  }

  func dismiss(_ member: Member) {
    let occupant = member.takeOccupant()
    roster.remove(member)?.release()
    withExtendedLifetime(occupant) {}
  }

  @usableFromInline
  func process(_ signal: Signal) {
    switch signal {
    case .value(let value):
      if replays { deliverHeld(value) } else { deliver(value) }
    case .completion(let completion):
      complete(completion)
    case .join(let member):
      if replays, let value = latestDelivered() { member.held?.values.append(value) }
      roster.append(member)
    case .ready(let member):
      member.release()
      if member.hasEnded { depart(member) }
    case .current(let member):
      // Not where a delivery is about to bring the value.
      if member.index > reached, member.index < end { return }
      member.offerOwed(latestDelivered())
    case .leave(let member):
      depart(member)
    }
  }

  private func depart(_ member: Member) {
    departed.append(member)
    mustSweep = true
  }

  private func complete(_ completion: Subscribers.Completion<Failure>) {
    for index in 0..<roster.count {
      guard let entry = roster[index]?.takeUnretainedValue() else { continue }
      let member = unsafeDowncast(entry, to: Member.self)
      member.finish(completion)
      if member.hasEnded { depart(member) }
    }
  }

  /// The value that subscribers have been sent last, which is older than the one held while values are queued.
  private func latestDelivered() -> Output? {
    lock.lock()
    let value = queuedValues == 0 ? held : delivered
    lock.unlock()
    return value
  }
}
