import Combine
import InterflowPrimitives

/// Demand that moves from one subscription to another, whose stream may have messages.
extension PullSubscription {
  /// Why messages are not wanted from a subscription any more.
  enum Unused: Equatable {
    /// There were none.
    ///
    /// - Parameter after: How long the server was to wait for them; no time where nothing is known of the server.
    case noMessages(after: Duration)
    /// The server has not served a request, which does not say whether there are messages.
    case refused
  }

  /// Requests messages, each for no longer than a time.
  func request(_ count: Int, within expiration: Duration) {
    lock.lock()
    pulls.expiration = expiration
    lock.unlock()
    request(.max(count))
  }

  /// What can be wanted elsewhere is not wanted here any more, where nothing will be sent for it.
  func takeBackUnused(_ reason: Unused) {
    lock.lock()
    let whenUnused = whenUnused
    let count = whenUnused == nil ? 0 : pulls.unused(demand: demand, buffered: bufferedCount)
    if count > 0 { withdrawDemand(count) }
    lock.unlock()
    if count > 0 { whenUnused?(count, reason) }
  }
}
