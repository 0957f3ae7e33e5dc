import CNATS
import Combine
import Interflow

/// A connection to a NATS server or to a cluster of them.
///
/// ```swift
/// let connection = try await NATSConnection(urls: ["nats://127.0.0.1:4222"])
/// let cancellable = connection.status.sink { print($0) }
/// await connection.close()
/// ```
///
/// The C library does protocol, reconnection and TLS. It is interrupted and restored without the program's help, and
/// ``status`` says so. What waits for the server waits on a few threads of the connection: no task keeps one of
/// the threads that tasks share.
public final class NATSConnection: Sendable {
  /// What a connection is doing.
  public enum Status: Sendable {
    /// A server answers.
    case connected
    /// The connection is interrupted, and the servers are tried one after the other.
    case reconnecting
    /// The connection has ended, for a reason where the program has not closed it.
    case closed(NATSError?)
  }

  let handle: ConnectionHandle
  let events: ConnectionEvents
  /// For calls that a caller waits for.
  let queue: ConnectionQueue
  /// For calls that no caller waits for, of which there may be many: they do not delay the others.
  let background = ConnectionQueue(maxThreadCount: 4)
  let outbox: Outbox
  let sender: StreamSender
  let requestTimeout: Duration
  let inboxPrefix: String
  // Closing does not wait behind calls that wait for a server.
  private let closing = ConnectionQueue(maxThreadCount: 1)

  /// How many bytes a message may have, according to the server that answered first.
  public let maxPayload: Int

  /// Connects to the first server that answers.
  ///
  /// Each server has ``NATSOptions/connectTimeout`` for its answer. Cancelling the task does not end the attempt.
  ///
  /// - Parameters:
  ///   - urls: Addresses such as `nats://user:password@host:4222`, `tls://host` or `host:4222`. More servers of a cluster
  ///     become known from those that answer. Where one begins with `tls://`, all connections have to have TLS.
  ///   - options: How to connect.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/noServer``, ``NATSError/Kind/notAuthorized``,
  ///   ``NATSError/Kind/notSecure`` or ``NATSError/Kind/misuse``, among others. It contains no password.
  public init(urls: [String], options: NATSOptions = NATSOptions()) async throws(NATSError) {
    let reconnects = if case .never = options.reconnection { false } else { true }
    let events = ConnectionEvents(reconnects: reconnects)
    let queue = ConnectionQueue(maxThreadCount: 4)
    guard !urls.isEmpty else {
      throw NATSError(kind: .misuse, operation: "preparing a connection", message: "at least one address was expected")
    }
    (handle, maxPayload) = try await queue.run {
      Result { () throws(NATSError) in
        try options.withLibraryOptions(servers: urls) { library throws(NATSError) in
          let handle = try events.connect(
            library, requiresTLS: options.requiresTLS(urls),
            while: "connecting to \(urls.count == 1 ? "a server" : "one of \(urls.count) servers")")
          return (handle, Int(clamping: max(0, natsConnection_GetMaxPayload(handle.pointer))))
        }
      }
    }
    self.events = events
    self.queue = queue
    outbox = Outbox(handle)
    sender = try StreamSender(handle, outbox, events.acknowledgements, timeout: options.requestTimeout)
    requestTimeout = options.requestTimeout
    inboxPrefix = options.inboxPrefix
  }

  /// What the connection is doing: the current status first, then each change, and the end when it is closed.
  ///
  /// - Demand: The newest status waits for demand; those before it are dropped.
  /// - Thread: Changes are delivered on a thread of the library. A subscriber that takes long delays the next report.
  public var status: AnyPublisher<Status, Never> { events.status.eraseToAnyPublisher() }

  /// What the connection is doing, for a loop: the current status first, then each change.
  public var statuses: CombineAsyncStream<CurrentValueSubject<Status, Never>> { events.status.asyncStream() }

  /// What goes wrong while no call waits for it: a message that the client may not send or receive, messages that were
  /// dropped because they arrived faster than they were taken.
  ///
  /// - Demand: An error for which there is no demand is dropped.
  /// - Completion: It finishes when the connection is closed.
  /// - Thread: Errors are delivered on a thread of the library.
  public var errors: AnyPublisher<NATSError, Never> { events.errors.eraseToAnyPublisher() }

  /// Returns when a server has read all that was sent before.
  ///
  /// - Throws: A ``NATSError``; ``NATSError/Kind/timeout`` where the server does not answer within
  ///   ``NATSOptions/requestTimeout``.
  public func flush() async throws(NATSError) {
    try await flush(while: "waiting for a server to read")
  }

  func flush(while operation: String) async throws(NATSError) {
    await outbox.finish()
    try await queue.run { [handle, requestTimeout] () -> Result<Void, NATSError> in
      let status = natsConnection_FlushTimeout(handle.pointer, requestTimeout.milliseconds)
      return status == NATS_OK ? .success(()) : .failure(NATSError(status, while: operation))
    }
  }

  /// Ends the connection when what has been sent has reached the server, and what has arrived has been delivered.
  ///
  /// It returns when the connection is closed: when the servers have acknowledged the values that are on their way to
  /// streams, or not within ``NATSOptions/requestTimeout``. Values that are sent later are refused. Closing again does
  /// nothing, and neither does cancelling the task.
  public func close() async {
    let status = events.status.asyncStream()
    await outbox.finish()
    await events.acknowledgements.finish(
      NATSError(kind: .closed, operation: "sending to a stream", message: "the connection is being closed"))
    _ = try? await closing.run { [handle, events, requestTimeout] () -> Result<Void, NATSError> in
      if natsConnection_IsClosed(handle.pointer) { return .success(()) }
      events.programCloses()
      // A connection that is interrupted cannot be drained.
      if natsConnection_DrainTimeout(handle.pointer, requestTimeout.milliseconds) != NATS_OK {
        natsConnection_Close(handle.pointer)
      }
      return .success(())
    }
    // In a task that is not cancelled.
    await Task { for await _ in status {} }.value
  }
}
