import CNATS
import Combine
import Interflow
import Synchronization

/// What the library reports about a connection, on its own threads, one report at a time.
///
/// The library has a reference to it from before it connects until the connection is closed, which it reports last.
final class ConnectionEvents: Sendable {
  let acknowledgements = Acknowledgements()
  let status = CurrentValueSubject<NATSConnection.Status, Never>(.connected)
  let errors = PassthroughSubject<NATSError, Never>()
  private let reconnects: Bool
  // Closing interrupts the connection, too.
  private let isClosedByProgram = Atomic(false)

  /// - Parameter reconnects: Whether the library restores a connection that is interrupted.
  init(reconnects: Bool) {
    self.reconnects = reconnects
  }

  /// Connects, and from then on gets the library's reports.
  ///
  /// - Parameter requiresTLS: Whether the connection is secured before anything is sent.
  func connect(
    _ options: OpaquePointer, requiresTLS: Bool, while operation: String
  ) throws(NATSError) -> ConnectionHandle {
    let retained = Unmanaged.passRetained(self)
    do throws(NATSError) {
      try setCallbacks(of: options, retained.toOpaque())
      var connection: OpaquePointer?
      let status = natsConnection_Connect(&connection, options)
      guard status == NATS_OK, let connection else {
        let error = NATSError(status, while: operation)
        throw requiresTLS ? error.explainedBehindHandshake : error
      }
      return ConnectionHandle(connection, self)
    } catch {
      // The library reports nothing of a connection that it has not made.
      retained.release()
      throw error
    }
  }

  /// Called before the program closes the connection.
  func programCloses() {
    isClosedByProgram.store(true, ordering: .releasing)
  }

  private func setCallbacks(of options: OpaquePointer, _ closure: UnsafeMutableRawPointer) throws(NATSError) {
    func set(_ status: natsStatus) throws(NATSError) {
      try NATSError.check(status, while: "preparing a connection")
    }
    try set(
      natsOptions_SetDisconnectedCB(options, { _, events in ConnectionEvents.from(events).interrupted() }, closure))
    try set(
      natsOptions_SetReconnectedCB(
        options, { _, events in ConnectionEvents.from(events).status.send(.connected) }, closure))
    // Without a callback, the library prints errors.
    try set(
      natsOptions_SetErrorHandler(
        options,
        { connection, subscription, error, events in
          ConnectionEvents.from(events).errors.send(NATSError(reported: error, connection, subscription))
        }, closure))
    try set(
      natsOptions_SetClosedCB(
        options,
        { connection, events in
          ConnectionEvents.from(events).closed(connection)
          Unmanaged<ConnectionEvents>.fromOpaque(events!).release()
        }, closure))
  }

  private static func from(_ events: UnsafeMutableRawPointer?) -> ConnectionEvents {
    Unmanaged<ConnectionEvents>.fromOpaque(events!).takeUnretainedValue()
  }

  private func interrupted() {
    if reconnects, !isClosedByProgram.load(ordering: .acquiring) { status.send(.reconnecting) }
  }

  private func closed(_ connection: OpaquePointer?) {
    // The last error may be that of an interruption long ago.
    let last =
      isClosedByProgram.load(ordering: .acquiring)
      ? nil : NATSError(lastOf: connection, while: "the connection was closed")
    let reason = last.flatMap { $0.status == NATS_OK.rawValue ? nil : $0 }
    acknowledgements.connectionClosed(
      NATSError(
        kind: .closed, operation: "sending to a stream",
        message:
          "the connection was closed before a server acknowledged the value\(reason.map { ": \($0.message)" } ?? "")",
        status: NATS_CONNECTION_CLOSED.rawValue))
    status.send(.closed(reason))
    status.send(completion: .finished)
    errors.send(completion: .finished)
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
