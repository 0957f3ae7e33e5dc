import CNATS

/// What a stream holds.
public struct NATSStreamState: Sendable, Hashable {
  /// How many values the stream holds.
  public let messageCount: Int
  /// How many bytes they have, with what the server stores beside them.
  public let byteCount: Int
  /// The number of the first value that the stream holds.
  public let firstSequence: UInt64
  /// The number of the last value that was sent; 0 before the first.
  public let lastSequence: UInt64
  /// How many consumers the stream has.
  public let consumerCount: Int
}

/// How far a durable consumer is.
public struct NATSConsumerState: Sendable, Hashable {
  /// How many values have been delivered and not acknowledged.
  public let unacknowledgedCount: Int
  /// How many values have not been delivered yet.
  public let undeliveredCount: Int
  /// How many of the unacknowledged values have been delivered more than once.
  public let redeliveredCount: Int
}

/// What a server says about a stream.
private struct StreamInformation: Decodable {
  struct State: Decodable {
    let messages: UInt64
    let bytes: UInt64
    let first_seq: UInt64
    let last_seq: UInt64
    let consumer_count: UInt64
  }
  let state: State
}

/// What a server says about a consumer.
private struct ConsumerInformation: Decodable {
  let num_ack_pending: UInt64
  let num_pending: UInt64
  let num_redelivered: UInt64
}

extension NATSStream {
  /// What the stream holds.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where the stream has been deleted.
  public func state() async throws(NATSError) -> NATSStreamState {
    let operation = "reading the state of the stream “\(name)”"
    let information = try await connection.jetStream(StreamInformation.self, "STREAM.INFO.\(name)", while: operation)
    let state = information.state
    return NATSStreamState(
      messageCount: Int(clamping: state.messages), byteCount: Int(clamping: state.bytes),
      firstSequence: state.first_seq, lastSequence: state.last_seq,
      consumerCount: Int(clamping: state.consumer_count))
  }

  /// How far a durable consumer is.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where there is no such consumer.
  public func state(ofConsumer durable: String) async throws(NATSError) -> NATSConsumerState {
    let operation = "reading the state of the consumer “\(durable)”"
    try SubjectName.checkPart(durable, of: "durable", while: operation)
    let state = try await connection.jetStream(
      ConsumerInformation.self, "CONSUMER.INFO.\(name).\(durable)", while: operation)
    return NATSConsumerState(
      unacknowledgedCount: Int(clamping: state.num_ack_pending), undeliveredCount: Int(clamping: state.num_pending),
      redeliveredCount: Int(clamping: state.num_redelivered))
  }

  /// Removes all values that the stream holds. Consumers go on with those that are sent later.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``.
  public func removeAll() async throws(NATSError) {
    try await request("removing the values of the stream “\(name)”") { [name] context, code, report in
      report = ()
      return js_PurgeStream(context, name, nil, &code)
    }
  }

  /// Deletes the stream, with its values and its consumers, which fail.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where it has been deleted before.
  public func delete() async throws(NATSError) {
    try await request("deleting the stream “\(name)”") { [name] context, code, report in
      report = ()
      return js_DeleteStream(context, name, nil, &code)
    }
  }

  /// Deletes a durable consumer. Those that use it fail with ``NATSError/Kind/notFound``.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where there is no such consumer.
  public func deleteConsumer(_ durable: String) async throws(NATSError) {
    let operation = "deleting the consumer “\(durable)”"
    try SubjectName.checkPart(durable, of: "durable", while: operation)
    try await request(operation) { [name] context, code, report in
      report = ()
      return js_DeleteConsumer(context, name, durable, nil, &code)
    }
  }

  /// Changes the settings of a durable consumer, for all that use it.
  ///
  /// Those that use it go on with the new settings, and those that begin later have to say them. A server does not change
  /// where a durable begins, which is a ``NATSError/Kind/conflict``.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where there is no such consumer.
  public func updateConsumer(_ durable: String, settings: NATSConsumerSettings) async throws(NATSError) {
    let consumer = try PullConsumer(connection, stream: name, durable: durable, settings: settings)
    try await connection.call("changing the consumer “\(durable)”") {
      consumer.update().map { .failure($0) } ?? .success(())
    }
  }

  /// Calls the library where that may block. The call sets its answer where it succeeds.
  private func request<Answer: Sendable>(
    _ operation: String, _ call: @escaping @Sendable (OpaquePointer, inout jsErrCode, inout Answer?) -> natsStatus
  ) async throws(NATSError) -> Answer {
    let context = connection.context
    return try await connection.call(operation) {
      var code = jsErrCode(0)
      var answer: Answer?
      let status = call(context.pointer, &code, &answer)
      guard status == NATS_OK, let answer else {
        return .failure(NATSError(status, jetStream: code, while: operation))
      }
      return .success(answer)
    }
  }
}
