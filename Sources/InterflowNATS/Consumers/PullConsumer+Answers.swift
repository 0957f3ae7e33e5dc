import CNATS
import Dispatch

/// Calls while a cluster chooses a leader. They block.
extension PullConsumer {
  /// How long the first call waits, and the first question; each question after it waits longer, but no longer than that.
  static let firstWait = Duration.milliseconds(250)
  private static let longestWait = Duration.seconds(1)

  /// Calls the library, which waits for an answer.
  ///
  /// What is sent while there is no leader is lost, and the library would wait for its answer until its time is over, also
  /// where there is a leader after a moment. So what is not answered soon is sent again, as soon as anything is answered: it
  /// must change nothing the second time.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for the answer then; `nil` for the connection's time limit.
  ///   - call: Calls the library with these options, which have its time limit.
  func untilAnswered(within limit: Duration? = nil, _ call: (inout jsOptions) -> natsStatus) -> natsStatus {
    let limit = limit ?? connection.requestTimeout
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = min(limit, Self.firstWait).milliseconds
    let status = call(&options)
    guard status == NATS_TIMEOUT, limit > Self.firstWait, isAnswered(within: limit) else { return status }
    options.Wait = limit.milliseconds
    return call(&options)
  }

  /// Asks for the durable until a server answers, whatever it says: that of the durable, or where there is none, the one that
  /// would create it.
  func isAnswered(within limit: Duration) -> Bool {
    let handle = connection.handle.pointer
    guard let inbox = try? connection.newInbox(while: operation) else { return false }
    var created: OpaquePointer?
    guard natsConnection_SubscribeSync(&created, handle, inbox) == NATS_OK, let subscription = created else {
      return false
    }
    defer { natsSubscription_Destroy(subscription) }
    let end = ContinuousClock.now + limit
    var wait = Self.firstWait
    while true {
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero, natsConnection_PublishRequest(handle, informationSubject, inbox, nil, 0) == NATS_OK else {
        return false
      }
      var answer: OpaquePointer?
      let status = natsSubscription_NextMsg(&answer, subscription, min(wait, rest).milliseconds)
      natsMsg_Destroy(answer)
      if status != NATS_TIMEOUT { return status == NATS_OK || status == NATS_NO_RESPONDERS }
      wait = min(wait * 2, Self.longestWait)
    }
  }
}
