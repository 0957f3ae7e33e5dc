import Dispatch
import InterflowPrimitives

/// What happens after a time. Nothing here blocks, and nothing waits for subscribers.
extension PullSubscription {
  /// Requests messages again after a while, unless the server says that there is no durable.
  func pause() {
    lock.lock()
    let begins = !isOver && state.pause()
    lock.unlock()
    guard begins else { return }
    Deadlines.shared.add(after: Self.pause) { [self] in
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
    connection.outbox.post { self.current.requestInformation(after: last, $0) }
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
    let last = pulls.last
    // A server that has ended does not keep what others may have.
    let givesUp = whenUnused != nil && lateness == .ask(last) && pulls.giveUp()
    lock.unlock()
    switch lateness {
    case .none: break
    case .ask(let last):
      if givesUp { takeBackUnused(.noMessages(after: .zero)) }
      ask(after: last)
    case .lost:
      takeBackUnused(.noMessages(after: .zero))
      // A request for a durable that has been deleted has no answer.
      ask(after: last)
      sendSoon()
    }
  }
}
