import CNATS
import Combine
import Dispatch
import Interflow
import InterflowPrimitives
import Synchronization

/// What the library reports about a connection, on its own threads, one report at a time.
///
/// The library has its number, by which reports find it from before it connects until the connection is closed. Those that
/// come later find nothing.
///
/// Its state is constant, atomic, or in parts that are `Sendable`, and in subjects, which any thread may use: that they
/// are `Sendable` is not said in Apple's Combine.
final class ConnectionEvents: @unchecked Sendable {
  private static let registered = NumberedObjects<ConnectionEvents>()

  let acknowledgements = Acknowledgements()
  /// For the module, whose subscribers do not block: the thread that reports it is that of all connections of the process.
  let status = CurrentValueSubject<NATSConnection.Status, Never>(.connected)
  /// For the program, on a queue of the connection.
  let statusForProgram = CurrentValueSubject<NATSConnection.Status, Never>(.connected)
  let errorsForProgram = PassthroughSubject<NATSError, Never>()
  private let queue = SerialQueue(.deliveries)
  let trace: MessageTrace?
  /// Where the library gets a token for each connection; `nil` where it has what it needs.
  private let tokens: TokenSource?
  /// What says when servers may be tried again that have refused the credentials; `nil` where the library is to give up.
  private let credentials: CredentialCheck?
  /// Whether the library restores a connection that is interrupted.
  private let reconnects: Bool
  // The end is reported once: by the library, or where that takes too long.
  private let hasEnded = Atomic(false)
  private let ended = ConnectionEnd()
  // Closing interrupts the connection, too.
  private let isClosedByProgram = Atomic(false)
  private let programHasClosed = DispatchSemaphore(value: 0)
  /// Whether a server has refused the credentials since all of them were last waited for.
  private let isRefused = Atomic(false)
  private let interruptionCount = Atomic(0)
  private let restorationCount = Atomic(0)
  private let discoveryCount = Atomic(0)

  init(_ options: NATSOptions, urls: [String]) {
    reconnects = if case .never = options.reconnection { false } else { true }
    tokens = if case .tokens(let token) = options.credentials { TokenSource(token) } else { nil }
    credentials = CredentialCheck(options, urls: urls)
    trace = options.trace.map { MessageTrace($0, options) }
  }

  /// Connects, and from then on gets the library's reports.
  ///
  /// A server that ends while a connection is being secured looks like one that refuses to. It does not the second time.
  ///
  /// - Parameter requiresTLS: Whether the connection is secured before anything is sent.
  func connect(
    _ options: OpaquePointer, requiresTLS: Bool, while operation: String
  ) throws(NATSError) -> ConnectionHandle {
    do throws(NATSError) {
      return try connectOnce(options, requiresTLS: requiresTLS, while: operation)
    } catch {
      if error.kind != .notSecure { throw error }
      return try connectOnce(options, requiresTLS: requiresTLS, while: operation)
    }
  }

  private func connectOnce(
    _ options: OpaquePointer, requiresTLS: Bool, while operation: String
  ) throws(NATSError) -> ConnectionHandle {
    let number = Self.registered.add(self)
    do throws(NATSError) {
      try setCallbacks(of: options, UnsafeMutableRawPointer(bitPattern: number))
      var connection: OpaquePointer?
      let status = natsConnection_Connect(&connection, options)
      guard status == NATS_OK, let connection else {
        let error = NATSError(status, while: operation)
        throw tokens?.error ?? (requiresTLS ? error.explainedBehindHandshake : error)
      }
      let handle = ConnectionHandle(connection, self)
      if let error = tokens?.error { throw error }
      return handle
    } catch {
      Self.registered.remove(number)
      throw error
    }
  }

  /// Called before the program closes the connection.
  func programCloses() {
    isClosedByProgram.store(true, ordering: .releasing)
    programHasClosed.signal()
  }

  private func setCallbacks(of options: OpaquePointer, _ closure: UnsafeMutableRawPointer?) throws(NATSError) {
    func set(_ status: natsStatus) throws(NATSError) {
      try NATSError.check(status, while: "preparing a connection")
    }
    try set(
      natsOptions_SetDisconnectedCB(options, { _, events in ConnectionEvents.from(events)?.interrupted() }, closure))
    try set(
      natsOptions_SetReconnectedCB(
        options, { _, events in ConnectionEvents.from(events)?.restored() }, closure))
    try set(
      natsOptions_SetDiscoveredServersCB(options, { _, events in ConnectionEvents.from(events)?.discovered() }, closure)
    )
    if tokens != nil {
      try set(natsOptions_SetTokenHandler(options, { ConnectionEvents.from($0)?.nextToken() }, closure))
    }
    if credentials != nil {
      try set(
        natsOptions_SetCustomReconnectDelay(
          options, { connection, _, events in ConnectionEvents.from(events)?.pause(connection) ?? 1_000 }, closure))
    }
    // Without a callback, the library prints errors.
    try set(
      natsOptions_SetErrorHandler(
        options,
        { connection, subscription, error, events in
          ConnectionEvents.from(events)?.reported(NATSError(reported: error, connection, subscription))
        }, closure))
    try set(
      natsOptions_SetClosedCB(
        options,
        { connection, events in
          ConnectionEvents.from(events)?.closed(connection)
          ConnectionEvents.registered.remove(UInt(bitPattern: events))
        }, closure))
  }

  private func nextToken() -> UnsafePointer<CChar>? {
    guard let tokens else { return nil }
    let token = tokens.next()
    if let error = tokens.error { report(error) }
    return token
  }

  /// Waits where servers have refused the credentials, until they do not any more or the program closes the connection.
  ///
  /// The library calls this on the connection's thread that connects, and holds no lock. Between two calls, it tries each
  /// server once, and it gives up when one has refused twice: so this waits after any refusal.
  ///
  /// - Returns: How many milliseconds the library waits before it tries the next server.
  private func pause(_ connection: OpaquePointer?) -> Int64 {
    guard let credentials, let connection else { return 0 }
    note(NATSError(lastOf: connection, while: "restoring a connection"))
    // Here, not in the library: a refusal by a server before the last one is reported on another thread meanwhile.
    let interval = min(max(credentials.pause, .milliseconds(10)), .seconds(1 << 30))
    func wait() {
      // Not all clients of a server at the same time.
      waitForClosing(interval + .milliseconds(.random(in: 0...100)))
    }
    wait()
    while isRefused.load(ordering: .acquiring), !isClosedByProgram.load(ordering: .acquiring),
      credentials.isRefused(by: ServerVersions.addresses(of: connection))
    {
      wait()
    }
    isRefused.store(false, ordering: .releasing)
    return 0
  }

  private func waitForClosing(_ time: Duration) {
    if isClosedByProgram.load(ordering: .acquiring) { return }
    _ = programHasClosed.wait(timeout: .now() + time.dispatchInterval)
  }

  private func note(_ error: NATSError) {
    if error.status == NATS_CONNECTION_AUTH_FAILED.rawValue { isRefused.store(true, ordering: .releasing) }
  }

  private func reported(_ error: NATSError) {
    note(error)
    report(error)
  }

  private static func from(_ number: UnsafeMutableRawPointer?) -> ConnectionEvents? {
    registered[UInt(bitPattern: number)]
  }

  /// How often the library has reported that the connection was interrupted.
  var interruptions: Int { interruptionCount.load(ordering: .acquiring) }

  /// How often the library has reported that the connection was restored.
  var restorations: Int { restorationCount.load(ordering: .acquiring) }

  /// Whether the connection is interrupted, and may be restored.
  var isInterrupted: Bool { if case .reconnecting = status.value { true } else { false } }

  /// The error of what needs the connection; `nil` where its end has not been reported.
  func endError(while operation: String) -> NATSError? {
    guard case .closed(let reason) = status.value else { return nil }
    return .closed(reason, while: operation)
  }

  /// How often servers have said that there are others.
  var discoveries: Int { discoveryCount.load(ordering: .acquiring) }

  private func discovered() {
    discoveryCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  /// Reports an error for which no call waits.
  func report(_ error: NATSError) {
    queue.async { self.errorsForProgram.send(error) }
  }

  private func report(_ status: NATSConnection.Status) {
    self.status.send(status)
    queue.async { self.statusForProgram.send(status) }
  }

  private func restored() {
    restorationCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    isRefused.store(false, ordering: .releasing)
    report(.connected)
  }

  private func interrupted() {
    // Before the status, which a program may see and send something.
    interruptionCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    if reconnects, !isClosedByProgram.load(ordering: .acquiring) { report(.reconnecting) }
  }

  private func closed(_ connection: OpaquePointer?) {
    // The last error may be that of an interruption long ago.
    let last =
      isClosedByProgram.load(ordering: .acquiring)
      ? nil : NATSError(lastOf: connection, while: "the connection was closed")
    isClosed(reason: last.flatMap { $0.status == NATS_OK.rawValue ? nil : $0 })
  }

  /// Calls a closure when the program has got what has been reported until now.
  func whenDelivered(_ body: @escaping @Sendable () -> Void) { queue.async(body) }

  /// Calls a closure when the end has been reported, at once where it has.
  func whenClosed(_ body: @escaping @Sendable () -> Void) { ended.whenOver(body) }

  /// Reports the end, unless it has been reported.
  ///
  /// - Parameter reason: Why the connection was closed, unless by the program.
  func isClosed(reason: NATSError?) {
    if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
    acknowledgements.connectionClosed(
      NATSError(
        kind: .closed, operation: "sending to a stream",
        message:
          "the connection was closed before a server acknowledged the value\(reason.map { ": \($0.message)" } ?? "")",
        status: NATS_CONNECTION_CLOSED.rawValue))
    report(.closed(reason))
    status.send(completion: .finished)
    queue.async {
      self.statusForProgram.send(completion: .finished)
      self.errorsForProgram.send(completion: .finished)
    }
    ended.over()
  }
}

/// Whether a connection's end has been reported, and what waits for it.
///
/// `@unchecked Sendable`: `lock` guards the variables.
private final class ConnectionEnd: @unchecked Sendable {
  private let lock = Lock()
  private var isOver = false
  private var waiting: [@Sendable () -> Void] = []

  func whenOver(_ body: @escaping @Sendable () -> Void) {
    lock.lock()
    let isOver = isOver
    if !isOver { waiting.append(body) }
    lock.unlock()
    if isOver { body() }
  }

  func over() {
    lock.lock()
    isOver = true
    let bodies = waiting
    waiting = []
    lock.unlock()
    for body in bodies { body() }
  }
}

extension NATSError {
  /// The error of connecting with TLS.
  ///
  /// A server verifies the client's certificate when the handshake is over for the client, and its refusal is the end of
  /// the connection, instead of the answer to the first command.
  fileprivate var explainedBehindHandshake: NATSError {
    let isRefusal =
      switch natsStatus(status) {
      case NATS_PROTOCOL_ERROR: message.contains("got ''")
      case NATS_IO_ERROR: message.contains("SSL")
      case NATS_CONNECTION_CLOSED: true
      default: false
      }
    if !isRefusal { return self }
    return NATSError(
      kind: .notSecure, operation: operation,
      message: "the server ended the connection after the handshake: it may have refused the client's certificate, or "
        + "want one (\(message))",
      status: status)
  }
}
