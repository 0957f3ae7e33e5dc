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
/// ``status`` says so. What waits for the server waits on a few threads of the process: no task keeps one of the threads
/// that tasks share.
///
/// A call that waits for a server's answer ends within ``NATSOptions/requestTimeout``, from when it is made, with
/// ``NATSError/Kind/timeout``, and at once when its task is cancelled. What it was to do may be done nonetheless: the value
/// of a `send` that has ended so may be stored, also later. What is documented to be tried again consists of several such
/// calls.
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
  /// Access to JetStream with the connection's time limit.
  let context: JetStreamContext
  let events: ConnectionEvents
  /// For calls that a caller waits for.
  let queue: ConnectionQueue
  /// For calls that no caller waits for, of which there may be many: they do not delay the others.
  let background = ConnectionQueue(maxThreadCount: 2)
  let outbox: Outbox
  let sender: StreamSender
  let requestTimeout: Duration
  let inboxPrefix: String
  let requests: Requests
  let versions: ServerVersions
  /// Whether values are changed that old servers may lose.
  let allowsUnsafeUpdates: Bool
  /// For flushes, of which the library can do one at a time.
  let flushes = ConnectionQueue(maxThreadCount: 1)
  // Closing does not wait behind calls that wait for a server.
  let closing = ConnectionQueue(maxThreadCount: 1)

  /// How many bytes a message may have, according to the server that answered first.
  public let maxPayload: Int

  /// Connects to the first server that answers.
  ///
  /// Each server has ``NATSOptions/connectTimeout`` for its answer. Cancelling the task ends the wait
  /// at once, with ``NATSError/Kind/cancelled``, and a connection that is made nonetheless is closed.
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
    let queue = ConnectionQueue(maxThreadCount: 2)
    guard !urls.isEmpty else {
      throw NATSError(kind: .misuse, operation: "preparing a connection", message: "at least one address was expected")
    }
    let operation = "connecting to \(urls.count == 1 ? "a server" : "one of \(urls.count) servers")"
    (handle, context, maxPayload) = try await queue.run(while: operation) {
      Result { () throws(NATSError) in
        try options.withLibraryOptions(servers: urls) { library throws(NATSError) in
          let handle = try events.connect(
            library, requiresTLS: options.requiresTLS(urls), while: operation)
          let context = try JetStreamContext(handle, timeout: options.requestTimeout)
          return (handle, context, Int(clamping: max(0, natsConnection_GetMaxPayload(handle.pointer))))
        }
      }
    }
    self.events = events
    self.queue = queue
    outbox = Outbox(handle)
    sender = try StreamSender(handle, outbox, events.acknowledgements, timeout: options.requestTimeout)
    requestTimeout = options.requestTimeout
    inboxPrefix = options.inboxPrefix
    requests = Requests(
      handle, outbox, events, inbox: try Self.newInbox(options.inboxPrefix, while: "preparing a connection"))
    allowsUnsafeUpdates = options.allowsUnsafeUpdates
    versions = ServerVersions(
      handle, events, requiresTLS: options.requiresTLS(urls),
      timeout: min(options.connectTimeout, options.requestTimeout / 4))
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
  ///   ``NATSOptions/requestTimeout``, and ``NATSError/Kind/interrupted`` where the connection is interrupted meanwhile.
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  public func flush() async throws(NATSError) {
    try await flush(while: "waiting for a server to read")
  }

  /// Ends the connection when what has been sent has reached the server, and what has arrived has been delivered.
  ///
  /// It returns when the connection is closed: when the servers have acknowledged the values that are on their way to
  /// streams, or not within ``NATSOptions/requestTimeout``. Values that are sent later are refused. Closing again does
  /// nothing, and neither does cancelling the task. Where the server has stopped, it returns a quarter of that time later at
  /// most, and what the library has not sent is given up.
  public func close() async {
    // In a task that is not cancelled.
    await Task { await closeInTime() }.value
  }
}
