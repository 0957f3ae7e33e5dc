import CNATS
import Combine
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
  let status = CurrentValueSubject<NATSConnection.Status, Never>(.connected)
  let errors = PassthroughSubject<NATSError, Never>()
  private let reconnects: Bool
  // The end is reported once: by the library, or where that takes too long.
  private let hasEnded = Atomic(false)
  private let ended = ConnectionEnd()
  // Closing interrupts the connection, too.
  private let isClosedByProgram = Atomic(false)
  private let interruptionCount = Atomic(0)
  private let restorationCount = Atomic(0)
  private let discoveryCount = Atomic(0)

  /// - Parameter reconnects: Whether the library restores a connection that is interrupted.
  init(reconnects: Bool) {
    self.reconnects = reconnects
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
        throw requiresTLS ? error.explainedBehindHandshake : error
      }
      return ConnectionHandle(connection, self)
    } catch {
      Self.registered.remove(number)
      throw error
    }
  }

  /// Called before the program closes the connection.
  func programCloses() {
    isClosedByProgram.store(true, ordering: .releasing)
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
    // Without a callback, the library prints errors.
    try set(
      natsOptions_SetErrorHandler(
        options,
        { connection, subscription, error, events in
          ConnectionEvents.from(events)?.errors.send(NATSError(reported: error, connection, subscription))
        }, closure))
    try set(
      natsOptions_SetClosedCB(
        options,
        { connection, events in
          ConnectionEvents.from(events)?.closed(connection)
          ConnectionEvents.registered.remove(UInt(bitPattern: events))
        }, closure))
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

  /// How often servers have said that there are others.
  var discoveries: Int { discoveryCount.load(ordering: .acquiring) }

  private func discovered() {
    discoveryCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  private func restored() {
    restorationCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    status.send(.connected)
  }

  private func interrupted() {
    // Before the status, which a program may see and send something.
    interruptionCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    if reconnects, !isClosedByProgram.load(ordering: .acquiring) { status.send(.reconnecting) }
  }

  private func closed(_ connection: OpaquePointer?) {
    // The last error may be that of an interruption long ago.
    let last =
      isClosedByProgram.load(ordering: .acquiring)
      ? nil : NATSError(lastOf: connection, while: "the connection was closed")
    isClosed(reason: last.flatMap { $0.status == NATS_OK.rawValue ? nil : $0 })
  }

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
    status.send(.closed(reason))
    status.send(completion: .finished)
    errors.send(completion: .finished)
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
