import Dispatch
import InterflowPrimitives

/// What happens after a time. Nothing here blocks, and nothing waits for subscribers.
extension PullSubscription {
  /// Requests messages again after a while, unless the server says that there is no durable.
  func pause() {
    lock.lock()
    let begins = !isPaused && !delivery.isOver
    if begins { isPaused = true }
    lock.unlock()
    guard begins else { return }
    Deadlines.shared.add(after: Self.pause) { [self] in
      lock.lock()
      isPaused = false
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
    missing = 0
    pulls.reported(waiting: waiting, upTo: last, at: .now())
    let deadline = pulls.deadline
    lock.unlock()
    // It is before the one for which the timer has been set.
    guard let deadline else { return }
    Deadlines.shared.add(after: .until(deadline)) { self.check(at: .now()) }
  }

  /// Requests again what a server has ended with, and does not wait for ever for the confirmation of an acknowledgement.
  func startTimer() {
    lock.lock()
    let begins = !hasTimer
    hasTimer = true
    lock.unlock()
    if begins { setTimer() }
  }

  private func setTimer() {
    lock.lock()
    let deadline = delivery.isOver ? nil : pulls.deadline
    hasTimer = deadline != nil
    lock.unlock()
    guard let deadline else { return }
    Deadlines.shared.add(after: .until(deadline)) {
      self.check(at: .now())
      self.setTimer()
    }
  }

  /// Does not block.
  private func check(at now: DispatchTime) {
    lock.lock()
    let lateness = delivery.isOver || !isConnected ? .none : pulls.checkTime(at: now)
    let last = pulls.last
    lock.unlock()
    switch lateness {
    case .none: break
    case .ask(let last): ask(after: last)
    case .lost:
      // A request for a durable that has been deleted has no answer.
      ask(after: last)
      sendSoon()
    }
  }
}

extension Duration {
  /// How long it is until a time, and a little longer.
  fileprivate static func until(_ time: DispatchTime) -> Duration {
    let now = DispatchTime.now()
    let rest = time > now ? time.uptimeNanoseconds - now.uptimeNanoseconds : 0
    return .nanoseconds(Int64(clamping: rest)) + .milliseconds(1)
  }
}
