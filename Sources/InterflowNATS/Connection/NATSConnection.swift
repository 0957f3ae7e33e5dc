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
/// ``status`` says so; what may end it for good is in ``NATSOptions/Reconnection``.
/// What waits for the server waits on a few threads of the process: no task keeps one of the threads that tasks share.
///
/// A call that waits for a server's answer ends within ``NATSOptions/requestTimeout``, from when it is made, with
/// ``NATSError/Kind/timeout``, and at once when its task is cancelled. What it was to do may be done nonetheless: the value
/// of a `send` that has ended so may be stored, also later. What is documented to be tried again consists of several such
/// calls, and so does making a ``NATSValue``, a ``NATSDictionary`` or a ``NATSWork``.
public final class NATSConnection: Sendable {
  /// What a connection is doing.
  public enum Status: Sendable {
    /// A server answers.
    case connected
    /// The connection is interrupted, and the servers are tried one after the other.
    case reconnecting
    /// The connection has ended, for a reason where the program has not closed it.
    case closed(NATSError?)

    var isConnected: Bool { if case .connected = self { true } else { false } }
  }

  let handle: ConnectionHandle
  /// Access to JetStream with the connection's time limit.
  let context: JetStreamContext
  let events: ConnectionEvents
  /// For calls that a caller waits for.
  let queue = ConnectionQueue(maxThreadCount: 2)
  /// For calls that no caller waits for, of which there may be many: they do not delay the others.
  let background = ConnectionQueue(maxThreadCount: 2)
  let outbox: Outbox
  let sender: StreamSender
  let requestTimeout: Duration
  let inboxPrefix: String
  /// What the subjects of requests to JetStream begin with.
  let jetStreamPrefix: String
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

  /// How many bytes a server may count for a message, with what it has beside the payload.
  var largestMessage: Int { min(maxPayload, 1 << 30) + (8 << 10) }

  /// Connects to the first server that answers.
  ///
  /// Each server has ``NATSOptions/connectTimeout`` for its answer. Where none answers, it throws, or tries them again if
  /// ``NATSOptions/retriesFirstConnection`` says so. Cancelling the task ends the wait at once, with
  /// ``NATSError/Kind/cancelled``, and a connection that is made nonetheless is closed.
  ///
  /// For a server that stops in the middle of a TLS handshake, the C library waits for ever. Then this ends with
  /// ``NATSError/Kind/timeout``, six times ``NATSOptions/connectTimeout`` after the beginning, or later where there are
  /// several addresses, of which those behind that server have not been tried. The process has eight threads for connecting,
  /// of which this keeps two at most: where eight attempts hang so, others end with ``NATSError/Kind/timeout``, until one of
  /// these servers ends its connection.
  ///
  /// - Parameters:
  ///   - urls: Addresses such as `nats://user:password@host:4222`, `tls://host` or `host:4222`. More servers of a cluster
  ///     become known from those that answer. Where one begins with `tls://`, all connections have to have TLS.
  ///   - options: How to connect.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/noServer``, ``NATSError/Kind/notAuthorized``,
  ///   ``NATSError/Kind/notSecure`` or ``NATSError/Kind/misuse``, among others. It contains no password.
  public init(urls: [String], options: NATSOptions = NATSOptions()) async throws(NATSError) {
    guard !urls.isEmpty else {
      throw NATSError(kind: .misuse, operation: "preparing a connection", message: "at least one address was expected")
    }
    let operation = "connecting to \(urls.count == 1 ? "a server" : "one of \(urls.count) servers")"
    let prefix = try options.checkedJetStreamPrefix
    // An attempt that hangs keeps its thread: there have to be some for other connections.
    let connecting = ConnectionQueue(maxThreadCount: 2, pool: .connecting)
    (handle, events, context, maxPayload) = try await options.untilConnected {
      () async throws(NATSError) -> (ConnectionHandle, ConnectionEvents, JetStreamContext, Int) in
      try await connecting.run(within: options.connectLimit(of: urls), while: operation) {
        Result { () throws(NATSError) in
          try options.withLibraryOptions(servers: urls) { library throws(NATSError) in
            // Of this attempt: one before it may go on, and its connection be closed, when this one is in use.
            let events = ConnectionEvents(options, urls: urls)
            let handle = try events.connect(library, requiresTLS: options.requiresTLS(urls), while: operation)
            let context = try JetStreamContext(handle, prefix: prefix, timeout: options.requestTimeout)
            return (handle, events, context, Int(clamping: max(0, natsConnection_GetMaxPayload(handle.pointer))))
          }
        }
      }
    }
    outbox = Outbox(handle)
    sender = try StreamSender(handle, outbox, events.acknowledgements, prefix: prefix, timeout: options.requestTimeout)
    requestTimeout = options.requestTimeout
    inboxPrefix = options.inboxPrefix
    jetStreamPrefix = prefix
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
  /// - Thread: Changes are delivered on a queue of the connection. A subscriber that takes long delays the next change, and
  ///   the next of ``errors``. So the status may be an earlier one than that which a call has reported with its error; when
  ///   ``close()`` has returned, the end has been delivered, unless a subscriber takes too long.
  public var status: AnyPublisher<Status, Never> { events.statusForProgram.eraseToAnyPublisher() }

  /// What the connection is doing, for a loop: the current status first, then each change.
  public var statuses: CombineAsyncStream<CurrentValueSubject<Status, Never>> { events.statusForProgram.asyncStream() }

  /// What goes wrong while no call waits for it: a message that the client may not send or receive, messages that were
  /// dropped because they arrived faster than they were taken.
  ///
  /// - Demand: An error for which there is no demand is dropped.
  /// - Completion: It finishes when the connection is closed.
  /// - Thread: Errors are delivered on a queue of the connection. A subscriber that takes long delays the next error, and the
  ///   next change of ``status``.
  public var errors: AnyPublisher<NATSError, Never> { events.errorsForProgram.eraseToAnyPublisher() }

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
  /// most, and what the library has not sent is given up. Subscribers of ``status`` and ``errors`` that block delay it by
  /// another quarter at most.
  public func close() async {
    // In a task that is not cancelled.
    await Task { await closeInTime() }.value
  }
}
