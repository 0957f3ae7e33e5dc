import Combine
import Foundation
import Interflow

/// A value that a stream holds, with where it comes from.
public struct NATSStoredValue<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value

  let message: ReplayedMessage

  /// The subject to which the value was sent.
  public var subject: String { message.subject }
  /// The value's number in the stream.
  public var sequence: UInt64 { message.sequence }
  /// When the server stored the value.
  public var date: Date { Date(timeIntervalSince1970: Double(message.time) / 1_000_000_000) }
  /// The identifier with which the value was sent.
  public var id: String? { message.headers["Nats-Msg-Id"] }
  /// The headers, also those with which the server has received the value.
  public var headers: NATSHeaders { message.headers }
  /// How many values of the replay the stream held behind this one when it was sent: zero for the last one.
  public var remaining: Int { Int(clamping: message.remaining) }
}

/// The values of a stream in their order, from a place on, without acknowledgements: see ``NATSStream/replay(from:filter:undecodable:)``.
///
/// - Demand: As much is requested from the server as from the publisher, and nothing before.
/// - Failure: A ``NATSError``, where the stream is deleted, or takes no consumer without acknowledgements, or the connection is
///   closed. Interruptions of the connection, and the end of a server of a cluster, are none.
/// - Cancellation: What has arrived and has not been delivered is dropped. The stream keeps it.
/// - Thread: Values are delivered on a queue of the subscription.
public struct NATSReplay<Value: Sendable>: Publisher {
  /// A value with where it comes from.
  public typealias Output = NATSStoredValue<Value>
  /// An error of the connection or the stream.
  public typealias Failure = NATSError

  let stream: NATSStream<Value>
  let start: NATSConsumerSettings.Start
  let filter: String?
  let undecodable: NATSUndecodable

  /// Begins to replay.
  public func receive<Downstream: Subscriber>(
    subscriber downstream: Downstream
  ) where Downstream.Input == NATSStoredValue<Value>, Downstream.Failure == NATSError {
    let operation = "replaying the stream “\(stream.name)”"
    do throws(NATSError) {
      if let filter { try SubjectName.check(filter, wildcards: true, while: operation) }
      try undecodable.check(while: operation)
      try start.check(while: operation)
      let consumer = ReplayConsumer(
        prefix: stream.connection.jetStreamPrefix, stream: stream.name, filter: filter,
        inbox: try stream.connection.newInbox(while: operation))
      let coding = stream.coding
      let subscription = ReplaySubscription(
        stream.connection, consumer, from: start, undecodable,
        ReplaySubscription.Receiver(
          receive: { message throws(NATSError) in
            let value = try coding.value(of: message.bytes, while: operation)
            return downstream.receive(NATSStoredValue(value: value, message: message))
          }, complete: { downstream.receive(completion: $0) }))
      downstream.receive(subscription: subscription)
      subscription.start()
    } catch {
      Fail<NATSStoredValue<Value>, NATSError>(error: error).receive(subscriber: downstream)
    }
  }
}

extension NATSStream {
  /// The values that the stream holds from a place on, and those that are sent later, in their order, each once for each
  /// subscriber, without acknowledgements.
  ///
  /// ```swift
  /// for try await order in orders.replay(from: .all).asyncValues {
  ///   print(order.sequence, order.value.number)  // 1 1, 2 2, 3 3
  ///   if order.remaining == 0 { break }
  /// }
  /// ```
  ///
  /// It is for programs that read a stream as a log: what follows from all values is built again at each start, or from the
  /// number that the program has kept with it. The server remembers nothing of it. Where work is to be shared or survive the
  /// process, there is ``messages(durable:settings:)``.
  ///
  /// No value is missing and none comes twice, also when the connection or a server fails, but for one case below: the replay
  /// goes on behind the last value that has arrived. Values that the stream has removed by then, because of its limits, are
  /// left out. Where one server alone holds the stream and has lost its newest values, those that are stored later follow,
  /// with numbers that were there before.
  ///
  /// The case: such a server has lost values while the connection was interrupted, as many have been stored again, and the
  /// value with the number of the last one that arrived has been removed. The loss cannot be seen then, and new values up to
  /// that number are left out.
  ///
  /// Where there is no value from the start on, none comes, and so none with a ``NATSStoredValue/remaining`` of zero: ask
  /// ``NATSStream/state()`` first where a loop is to end.
  ///
  /// - Parameters:
  ///   - start: Where to begin. A number that the stream has not come to is waited for.
  ///   - filter: Only values sent to this subject, perhaps with wildcards; `nil` for all.
  ///   - undecodable: What happens with a message that is no value of the stream's type. It remains in the stream.
  public func replay(
    from start: NATSConsumerSettings.Start = .all, filter: String? = nil, undecodable: NATSUndecodable = .fail
  ) -> NATSReplay<Output> {
    NATSReplay(stream: self, start: start, filter: filter, undecodable: undecodable)
  }
}
