import CNATS
import Foundation

/// A value of a stream, with where it comes from, to be acknowledged by hand.
///
/// A message that is never acknowledged is delivered again after the consumer's
/// ``NATSConsumerSettings/acknowledgementWait``. Acknowledgements are sent without waiting; one that is lost, with the
/// connection, has the same effect as none.
public struct NATSMessage<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value

  let received: ReceivedMessage
  let connection: NATSConnection

  /// The subject to which the value was sent.
  public var subject: String { received.subject }
  /// The value's number in the stream.
  public var sequence: UInt64 { received.origin.sequence }
  /// How often the value has been delivered, with this time: 1 for the first.
  public var deliveryCount: Int { received.origin.deliveries }
  /// When the server stored the value.
  public var date: Date { received.origin.date }
  /// The identifier with which the value was sent.
  public var id: String? { received.header("Nats-Msg-Id") }
  /// The headers, also those with which the server has received or delivered the value. They are read each time.
  public var headers: NATSHeaders { received.allHeaders }

  /// The work is done: the value will not come again.
  public func ack() { received.settle(.ack) }

  /// The work failed: the value comes again, at once or after a pause.
  public func nak(after pause: Duration? = nil) { received.settle(.nak(after: pause)) }

  /// The work goes on: the server waits for the acknowledgement from the beginning.
  public func inProgress() { received.settle(.inProgress) }

  /// The work can never be done: the value will not come again.
  public func term() { received.settle(.term) }

  /// The work is done: returns when the server has confirmed the acknowledgement.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/timeout`` where the server did not answer.
  public func doubleAck() async throws(NATSError) {
    guard let reply = received.reply else { return }
    _ = try await connection.answer(
      to: Data(Settlement.ack.text.utf8), sentTo: reply, while: "acknowledging a message")
    received.settled()
  }
}
