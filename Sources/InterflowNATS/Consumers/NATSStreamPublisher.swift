import Combine

/// The values of a stream that are not acknowledged yet, each acknowledged when the subscriber has received it.
///
/// - Demand: As much is requested from the server as from the publisher, and nothing before.
/// - Failure: A ``NATSError``, where the durable cannot be made, is deleted, or the connection is closed. Interruptions
///   of the connection are none.
/// - Cancellation: Values that have arrived and have not been delivered go back, and reach other consumers of the
///   durable at once. Others that were on their way come again after the wait for acknowledgements. A `sink` ignores what
///   it receives after its cancellation: if another thread than the delivering one cancels it, the value that is delivered
///   at that moment goes back, unless its `receive` has returned before the cancellation arrives here: it may count as
///   received then without having reached the closure. Where that matters, use
///   ``NATSStream/messages(durable:settings:)`` or ``NATSStream/values(durable:settings:prefetch:)``.
/// - Thread: Values are delivered on a queue of the subscription.
public struct NATSStreamPublisher<Output: Sendable>: Publisher {
  /// An error of the connection or the stream.
  public typealias Failure = NATSError

  let stream: NATSStream<Output>
  let durable: String
  let settings: NATSConsumerSettings

  /// Begins to consume.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == Output, Downstream.Failure == NATSError {
    let coding = stream.coding
    let operation = "consuming the stream “\(stream.name)” as “\(durable)”"
    stream.consume(durable, settings, subscriber, .whenReceived) { message throws(NATSError) in
      try coding.value(of: message.bytes, while: operation)
    }
  }
}

/// The values of a stream that are not acknowledged yet, to be acknowledged by hand.
///
/// - Demand: As much is requested from the server as from the publisher, and nothing before. It sends no more than
///   ``NATSConsumerSettings/maxUnacknowledged`` that are not acknowledged.
/// - Failure: A ``NATSError``, where the durable cannot be made, is deleted, or the connection is closed. Interruptions
///   of the connection are none.
/// - Cancellation: Values that have arrived and have not been delivered go back, and reach other consumers of the
///   durable at once. Others that were on their way come again after the wait for acknowledgements. Those that have been
///   delivered can still be acknowledged.
/// - Thread: Values are delivered on a queue of the subscription.
public struct NATSMessagePublisher<Value: Sendable>: Publisher {
  /// A value, and what is needed to acknowledge it.
  public typealias Output = NATSMessage<Value>
  /// An error of the connection or the stream.
  public typealias Failure = NATSError

  let stream: NATSStream<Value>
  let durable: String
  let settings: NATSConsumerSettings
  /// Whether a message goes back when it is released without an acknowledgement.
  var returnsWhenReleased = false
  /// Whether the durable is of one subscription alone.
  var isTemporary = false

  /// Begins to consume.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == NATSMessage<Value>, Downstream.Failure == NATSError {
    let coding = stream.coding
    let connection = stream.connection
    let operation = "consuming the stream “\(stream.name)” as “\(durable)”"
    stream.consume(
      durable, settings, subscriber, returnsWhenReleased ? .byHandOrReturned : .byHand, isTemporary: isTemporary
    ) { message throws(NATSError) in
      NATSMessage(
        value: try coding.value(of: message.bytes, while: operation), received: message, connection: connection)
    }
  }
}

extension NATSStream {
  /// The values that a durable consumer has not acknowledged, each acknowledged when the subscriber's `receive` has
  /// returned.
  ///
  /// **With `receive(on:)`, `buffer`, `task` or other operators behind it that keep values, “has returned” is before the
  /// work is done**: a value that they hold when the process ends is lost. Use ``messages(durable:settings:)`` there,
  /// and acknowledge by hand.
  ///
  /// ```swift
  /// let cancellable = orders.publisher(durable: "billing")
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { bill($0) })
  /// ```
  ///
  /// - Parameters:
  ///   - durable: The consumer's name. All that use it, in any process, share the values.
  ///   - settings: Where the consumer begins, and what happens with values that are not acknowledged.
  public func publisher(
    durable: String, settings: NATSConsumerSettings = NATSConsumerSettings()
  ) -> NATSStreamPublisher<Output> {
    NATSStreamPublisher(stream: self, durable: durable, settings: settings)
  }

  /// The values that a durable consumer has not acknowledged, to be acknowledged by hand.
  ///
  /// ```swift
  /// let cancellable = orders.messages(durable: "billing")
  ///   .task(maxPublishers: .max(4)) { message in
  ///     await bill(message.value)
  ///     message.ack()
  ///   }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: {})
  /// ```
  ///
  /// - Parameters:
  ///   - durable: The consumer's name. All that use it, in any process, share the values.
  ///   - settings: Where the consumer begins, and what happens with values that are not acknowledged.
  public func messages(
    durable: String, settings: NATSConsumerSettings = NATSConsumerSettings()
  ) -> NATSMessagePublisher<Output> {
    NATSMessagePublisher(stream: self, durable: durable, settings: settings)
  }

  func consume<Downstream: Subscriber>(
    _ durable: String, _ settings: NATSConsumerSettings, _ downstream: Downstream,
    _ acknowledgement: PullSubscription.Acknowledgement, isTemporary: Bool = false,
    _ opening: @escaping (ReceivedMessage) throws(NATSError) -> Downstream.Input
  ) where Downstream.Failure == NATSError {
    do throws(NATSError) {
      let consumer = try PullConsumer(
        connection, stream: name, durable: durable, settings: settings, isTemporary: isTemporary)
      let receiver = PullSubscription.Receiver(
        receive: { message throws(NATSError) in downstream.receive(try opening(message)) },
        complete: { downstream.receive(completion: $0) })
      let subscription = PullSubscription(consumer, receiver, acknowledgement)
      downstream.receive(subscription: subscription)
      subscription.start()
    } catch {
      Fail<Downstream.Input, NATSError>(error: error).receive(subscriber: downstream)
    }
  }
}
