import Dispatch
import Foundation
import InterflowPrimitives

/// A subscription that requests its messages from a server: what it has to send is sent at the outbox's turn, all at once, and
/// what is late is noticed when it should have come.
///
/// `@unchecked Sendable`: the base class's `lock` guards the variables.
class RequestingSubscription<Message: DeliverableMessage>: DeliveringSubscription<Message>, @unchecked Sendable {
  /// Whether the outbox sends, or is about to.
  private var isSending = false
  /// When the next timer ends; `nil` where there is none.
  private var timer: DispatchTime?

  // MARK: For subclasses

  /// Called with the lock.
  var hasMessagesToSend: Bool { false }

  /// Called on the outbox's thread.
  func send(_ handle: ConnectionHandle) {}

  /// When something should have come; `nil` where nothing is waited for. Called with the lock.
  var deadline: DispatchTime? { nil }

  /// Looks for what has not come. Must not block.
  func checkTime(at now: DispatchTime) {}

  // MARK: Sending

  /// Posts to the outbox if there is something to send.
  final func sendSoon() {
    lock.lock()
    let begins = !isSending && hasMessagesToSend
    if begins { isSending = true }
    lock.unlock()
    if begins { connection.outbox.post { self.sendNow($0) } }
  }

  private func sendNow(_ handle: ConnectionHandle) {
    lock.lock()
    // What comes from now on may be posted again.
    isSending = false
    lock.unlock()
    send(handle)
  }

  /// Has a stream store a message that is no value, which is repeated where it fails for a moment only: interruptions are no
  /// failure, nor is a stream without a leader. An attempt whose answer is lost may have stored it, too.
  ///
  /// - Parameter start: Since when servers have answered that nobody stores it, without another error between.
  final func sendOn(
    _ bytes: Data, to subject: String, since start: ContinuousClock.Instant = .now,
    _ stored: @escaping @Sendable () -> Void
  ) {
    let sendAgain = { @Sendable (start: ContinuousClock.Instant) in
      _ = Deadlines.shared.add(after: NATSRetrying.pause) {
        if !self.hasEnded { self.sendOn(bytes, to: subject, since: start, stored) }
      }
    }
    connection.sender.publish(bytes, to: subject, id: nil) { result in
      switch result {
      case .success: stored()
      case .failure(let error) where error.isTransient: sendAgain(.now)
      case .failure(let error) where error.kind == .unavailable:
        Task {
          let patience = NATSRetrying.untilStored.patience
          if start.duration(to: .now) < patience, await self.connection.mayHaveStream(with: subject) {
            sendAgain(start)
          } else {
            self.end(error)
          }
        }
      case .failure(let error): self.end(error)
      }
    }
  }

  final var hasEnded: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isOver
  }

  // MARK: Time

  /// Sets a timer, if there is none that ends as early. To be called when there is a deadline.
  final func updateTimer() {
    lock.lock()
    let next = isOver ? nil : deadline
    let begins = next.map { next in timer.map { next < $0 } ?? true } ?? false
    if begins { timer = next }
    lock.unlock()
    guard begins, let next else { return }
    Deadlines.shared.add(after: .until(next)) { self.timerEnded(next) }
  }

  private func timerEnded(_ time: DispatchTime) {
    lock.lock()
    if timer == time { timer = nil }
    lock.unlock()
    checkTime(at: .now())
    updateTimer()
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
