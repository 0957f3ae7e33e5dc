import InterflowPrimitives
import Synchronization

extension SubjectCore {
  @inlinable
  func subscribe<S: Subscriber>(_ subscriber: S, parent: AnyObject)
  where S.Input == Output, S.Failure == Failure {
    let receiver = Receiver<Output, Failure>.of(subscriber)
    join(Member(core: .passUnretained(self), parent: parent, receiver: receiver), receiver)
  }

  /// Takes a subscriber in, and hands it its subscription.
  @usableFromInline
  func join(_ member: Member, _ receiver: Receiver<Output, Failure>) {
    let me = currentThreadIdentity()
    if enterFree(me) {
      roster.append(member)
      // As its superclass, whose metadata need not be looked up.
      receiver.receive(subscription: member as EngineSubscription)
      leaveGate(me)
    } else {
      joinBusy(member, receiver, me)
    }
  }

  /// Takes the gate, if it is free and the subject is open.
  private func enterFree(_ me: UInt) -> Bool {
    gate.compareExchange(expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
  }

  /// Apart, as is all that seldom runs, for the metadata it looks up before it begins.
  @inline(never)
  private func joinBusy(_ member: Member, _ receiver: Receiver<Output, Failure>, _ me: UInt) {
    var hasDrained = false
    lock.lock()
    while true {
      let word = gate.load(ordering: .relaxed)
      if word & Gate.closed != 0 {
        lock.unlock()
        _ = member.end()
        member.detach()?.release()
        turnAway(receiver)
        return
      }
      switch word & Gate.owner {
      case 0:
        guard exchange(word, word | me) else { continue }
        lock.unlock()
        roster.append(member)
        receiver.receive(subscription: member)
        leaveGate(me)
      case me where !hasDrained && !replays && !(queue.isEmpty && batch.isEmpty):
        // What was sent before is not for this one. The completion may follow from what is ahead. A subject that holds a
        // value has the latest one delivered for it, which what is ahead follows.
        hasDrained = true
        let ahead = batch.count + queue.count
        lock.unlock()
        drain(ahead)
        lock.lock()
        continue
      case me:
        lock.unlock()
        roster.append(member)
        receiver.receive(subscription: member)
      default:
        guard exchange(word, word | Gate.queued) else { continue }
        member.beginHolding()
        enqueue(.join(member), nil)
        lock.unlock()
        receiver.receive(subscription: member)
        perform(.ready(member))
      }
      return
    }
  }

  /// Tells a subscriber that the stream is over.
  private func turnAway(_ receiver: Receiver<Output, Failure>) {
    lock.lock()
    let completion = self.completion
    lock.unlock()
    receiver.receive(subscription: Subscriptions.empty)
    if let completion { receiver.receive(completion: completion) }
  }

  /// Lets go of a subscriber that has cancelled: at once, unless a delivery is under way.
  func leave(_ member: Member) {
    let me = currentThreadIdentity()
    if enterFree(me) {
      dismiss(member)
      leaveGate(me)
    } else {
      leaveBusy(member)
    }
  }

  @inline(never)
  private func leaveBusy(_ member: Member) {
    perform(.leave(member))
  }

  /// Delivers the value held to a subscriber that has not had it, now that it has asked.
  @inline(never)
  func offerCurrent(_ member: Member) {
    perform(.current(member))
  }

  /// The subscriber behind a member, to describe it; `nil` while another thread delivers, which alone may look.
  @inline(never)
  func subscriber(of member: Member) -> Any? {
    let me = currentThreadIdentity()
    let isFree = enterFree(me)
    guard isFree || isOwnedByThisThread else { return nil }
    let receiver = member.held?.receiver ?? member.receiver?.takeUnretainedValue()
    if isFree { leaveGate(me) }
    return receiver?.wrapped
  }

  /// Asks the upstreams for their values, once a subscriber has asked for some.
  func drawFromUpstreams() {
    // Once drawn, always drawn: what comes later is asked when it comes.
    if drawn.load(ordering: .relaxed) { return }
    lock.lock()
    let subscriptions = drawn.load(ordering: .relaxed) ? [] : upstreams
    drawn.store(true, ordering: .relaxed)
    lock.unlock()
    for subscription in subscriptions { subscription.request(.unlimited) }
  }

  @usableFromInline
  func addUpstream(_ subscription: any Subscription) {
    lock.lock()
    // Those that have ended would pile up in a subject that many publishers pass through.
    if upstreams.count >= sweepUpstreamsAt {
      upstreams.removeAll { ($0 as? UpstreamLink)?.hasEnded == true }
      sweepUpstreamsAt = max(8, 2 * upstreams.count)
    }
    upstreams.append(subscription)
    let drawn = self.drawn.load(ordering: .relaxed)
    lock.unlock()
    if drawn { subscription.request(.unlimited) }
  }

  @usableFromInline
  func cancelUpstreams() {
    lock.lock()
    let subscriptions = upstreams
    upstreams = []
    lock.unlock()
    for subscription in subscriptions { subscription.cancel() }
  }

  /// Holds a value in place of another without sending it.
  ///
  /// - Parameter isReplaced: Looks at the value held, under the lock.
  /// - Returns: The value that was replaced, if it was, for the caller to let go of.
  func replaceHeld(with value: Output, where isReplaced: (Output) -> Bool) -> Output? {
    lock.lock()
    defer { lock.unlock() }
    guard queuedValues == 0, let replaced = held, isReplaced(replaced) else { return nil }
    held = value
    return replaced
  }

  /// Whether this thread is the one that delivers.
  var isOwnedByThisThread: Bool { gate.load(ordering: .relaxed) & Gate.owner == currentThreadIdentity() }

  /// The value held.
  @usableFromInline
  var current: Output? {
    lock.lock()
    let value = held
    lock.unlock()
    return value
  }
}
