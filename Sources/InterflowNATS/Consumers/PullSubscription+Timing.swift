import Dispatch
import InterflowPrimitives

/// What happens after a time. Nothing here blocks, and nothing waits for subscribers.
extension PullSubscription {
  /// Requests messages again after a while, unless the server says that there is no durable.
  func pause() {
    lock.lock()
    let pause = isOver ? nil : state.pause()
    lock.unlock()
    guard let pause else { return }
    Deadlines.shared.add(after: pause) { [self] in
      lock.lock()
      state.resume()
      let last = pulls.last
      lock.unlock()
      ask(after: last)
      sendSoon()
    }
  }

  /// Asks the server what it has received.
  private func ask(after last: UInt64) {
    connection.outbox.post { handle in
      self.lock.lock()
      let inbox = self.state.inbox
      self.lock.unlock()
      let consumer = self.current
      consumer.requestInformation(after: last, inbox: consumer.inbox(inbox), handle)
    }
  }

  /// The server has said how many requests it has, of those up to one.
  func reported(waiting: Int, upTo last: UInt64) {
    lock.lock()
    state.reportedPresent()
    pulls.reported(waiting: waiting, upTo: last, at: .now())
    lock.unlock()
    updateTimer()
  }

  /// Requests again what a server has ended with, and does not wait for ever for the confirmation of an acknowledgement.
  func checkLateness(at now: DispatchTime) {
    lock.lock()
    let lateness = isOver || !state.isConnected ? .none : pulls.checkTime(at: now)
    // With the lock: what is requested again from now on is not what is given up.
    let opensInbox = lateness == .lost && state.leaveInbox()
    let last = pulls.last
    // A server that has ended does not keep what others may have.
    let givesUp = whenUnused != nil && lateness == .ask(last) && pulls.giveUp()
    lock.unlock()
    switch lateness {
    case .none: break
    case .ask(let last):
      if givesUp { takeBackUnused(.noMessages(after: .zero)) }
      ask(after: last)
      sendSoon()
    case .unconfirmed: sendSoon()
    case .lost:
      if opensInbox { openInboxSoon() }
      takeBackUnused(.noMessages(after: .zero))
      // A request for a durable that has been deleted has no answer.
      ask(after: last)
      sendSoon()
    }
  }

  /// Ends what has been requested and given up, before it is requested again: a server that had stopped, or that has not seen
  /// the end of a connection, would serve both. Servers drop requests whose answers nobody waits for.
  func openInboxSoon() {
    connection.outbox.post { _ in self.openInbox() }
  }

  /// Runs on the outbox's thread.
  private func openInbox() {
    while true {
      lock.lock()
      let (isOver, isConnected, inbox) = (isOver, state.isConnected, state.inbox)
      lock.unlock()
      // The old one is closed.
      if isOver { return }
      do throws(NATSError) {
        let opened = try subscription(to: inbox)
        // What has arrived there, or is about to, is not lost. Without a connection, nothing is about to.
        if let left = replaceSubscription(with: opened) {
          if isConnected || left.hasWaiting { left.drain() } else { left.end() }
        }
      } catch {
        return end(error)
      }
      lock.lock()
      let isOpen = state.opened(inbox)
      lock.unlock()
      if isOpen { break }
    }
    sendSoon()
  }
}
