import InterflowPrimitives

extension SubjectCore {
  @inlinable
  func subscribe<S: Subscriber>(_ subscriber: S, of subject: AnyObject)
  where S.Input == Output, S.Failure == Failure {
    let receiver = Receiver<Output, Failure>.of(subscriber)
    attach(Member(of: subject, self, receiver), receiver)
  }

  /// Adds a subscriber and sends it its subscription.
  @usableFromInline
  func attach(_ member: Member, _ receiver: Receiver<Output, Failure>) {
    let me = currentThreadIdentity()
    if turn.tryEnter(me) {
      attachWithTurn(member, receiver)
      if !turn.leave(me, 0) { performWorkAndLeave(me) }
    } else {
      attachBusy(member, receiver, me)
    }
  }

  private func attachWithTurn(_ member: Member, _ receiver: Receiver<Output, Failure>) {
    guard completion == nil else { return completeLateSubscriber(member, receiver) }
    subscribers.append(member)
    // As its superclass, whose metadata need not be looked up.
    receiver.receive(subscription: member as EngineSubscription)
    if replays { member.endFirstCall(of: self) }
  }

  /// Not inlined, since rare code looks up metadata at its beginning.
  @inline(never)
  private func attachBusy(_ member: Member, _ receiver: Receiver<Output, Failure>, _ me: UInt) {
    lock.lock()
    if completion != nil {
      lock.unlock()
      return completeLateSubscriber(member, receiver)
    }
    switch turn.enterOrRequestWork(me) {
    case let previous?:
      lock.unlock()
      if turn.hasWork { appendNewSubscribers() }
      attachWithTurn(member, receiver)
      if previous == 0, !turn.leave(me, 0) { performWorkAndLeave(me) }
    case nil:
      subscriberEvents.append(.subscribed(member))
      let call = beginFirstCall(of: member, me)
      lock.unlock()
      receiver.receive(subscription: member)
      end(call, of: member, me)
    }
  }

  /// Sends a subscriber that subscribes after the completion an empty subscription and the completion.
  @inline(never)
  private func completeLateSubscriber(_ member: Member, _ receiver: Receiver<Output, Failure>) {
    _ = member.end()
    if member.detach() != nil { subject.release() }
    lock.lock()
    let completion = self.completion
    lock.unlock()
    receiver.receive(subscription: Subscriptions.empty)
    if let completion { receiver.receive(completion: completion) }
  }

  // MARK: First calls

  /// With the lock: makes senders wait while this thread calls a subscriber without the turn.
  private func beginFirstCall(of member: Member, _ me: UInt) -> FirstCall {
    lock.assertHeld()
    let call = FirstCall(member, me)
    member.state.set(Member.State.firstCall)
    firstCalls.append(call)
    return call
  }

  private func end(_ call: FirstCall, of member: Member, _ me: UInt) {
    member.endFirstCall(of: self)
    lock.lock()
    firstCalls.removeAll { $0 === call }
    lock.unlock()
    _ = call.turn.leave(me, 0)
  }

  /// The first call that another thread makes of a subscriber, if there is one.
  func firstCallOnOtherThread(of member: Member, _ me: UInt) -> FirstCall? {
    lock.lock()
    let call = firstCalls.first { $0.member === member }
    lock.unlock()
    guard let call else { return nil }
    return call.turn.isOwned(by: me) ? nil : call
  }

  /// Serves the first request of a subscriber to a subject that holds a value.
  @inline(never)
  func serveFirstRequest(of member: Member, _ demand: Subscribers.Demand) {
    let me = currentThreadIdentity()
    lock.lock()
    let word = member.state.load()
    if word & Member.State.firstCall != 0 {
      // The thread that calls the subscriber serves the request: immediately if it is this thread.
      let call = firstCalls.first { $0.member === member }
      let isOnThisThread = call.map { $0.turn.isOwned(by: me) } ?? turn.isOwned(by: me)
      lock.unlock()
      let before = member.add(demand)
      if isOnThisThread {
        member.deliverCurrentValue(of: self)
      } else if before & (Member.State.firstCall | Member.State.ended) == 0 {
        // The call has ended before the demand was added, and has not served it.
        serveLaterRequest(of: member)
      }
      return
    }
    if word & Member.State.hasRequested != 0 {
      // Another thread has made the first request since the caller's check.
      lock.unlock()
      if member.add(demand) & Member.State.lacksCurrentValue != 0 { serveLaterRequest(of: member) }
      return
    }
    if let previous = turn.enterIfFree(me) {
      lock.unlock()
      member.add(demand)
      member.deliverCurrentValue(of: self)
      if previous == 0, !turn.leave(me, 0) { performWorkAndLeave(me) }
      return
    }
    let call = beginFirstCall(of: member, me)
    lock.unlock()
    member.add(demand)
    end(call, of: member, me)
  }

  /// Delivers the current value to a subscriber that has missed it and has now requested it: on this thread, or on the
  /// thread that has the turn.
  @inline(never)
  func serveLaterRequest(of member: Member) {
    let me = currentThreadIdentity()
    lock.lock()
    guard let previous = turn.enterOrRequestWork(me) else {
      subscriberEvents.append(.requested(member))
      return lock.unlock()
    }
    lock.unlock()
    member.deliverCurrentValue(of: self)
    if previous == 0, !turn.leave(me, 0) { performWorkAndLeave(me) }
  }
}

/// A call of a subscriber without the subject's turn, while another thread has the turn. It sends the subscription, or
/// the current value for the first request.
final class FirstCall {
  let turn = Turn()
  unowned let member: SubjectEntry

  /// - Parameter caller: The thread that makes the call. It has the call's turn until the call ends.
  init(_ member: SubjectEntry, _ caller: UInt) {
    self.member = member
    _ = turn.enter(caller)
  }
}
