import CNATS

/// The library's access to JetStream over a connection.
///
/// `@unchecked Sendable`: the library protects what is behind the pointer, which never changes, with its own locks.
final class JetStreamContext: @unchecked Sendable {
  let pointer: OpaquePointer
  // What the pointer uses.
  private let connection: ConnectionHandle

  /// What the subjects of requests to JetStream begin with.
  static let defaultPrefix = "$JS.API"

  /// Contacts no server.
  ///
  /// - Parameter prefix: What the subjects of requests begin with.
  init(_ connection: ConnectionHandle, prefix: String, options: inout jsOptions) throws(NATSError) {
    var created: OpaquePointer?
    let status = prefix.withCString {
      options.Prefix = $0
      return natsConnection_JetStream(&created, connection.pointer, &options)
    }
    // The library has a copy.
    options.Prefix = nil
    guard status == NATS_OK, let created else { throw NATSError(status, while: "preparing JetStream") }
    pointer = created
    self.connection = connection
  }

  /// Access with a time limit for each request. Contacts no server.
  convenience init(_ connection: ConnectionHandle, prefix: String, timeout: Duration) throws(NATSError) {
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = timeout.milliseconds
    try self.init(connection, prefix: prefix, options: &options)
  }

  deinit {
    // Nobody else has the pointer any more. The library waits for the connection's lock, which a thread that writes has.
    nonisolated(unsafe) let pointer = pointer
    ThreadPool.calls.start { [connection] in
      withExtendedLifetime(connection) { jsCtx_Destroy(pointer) }
    }
  }
}

extension NATSConnection {
  /// A new subject that no other client uses.
  func newInbox(while operation: String) throws(NATSError) -> String {
    try Self.newInbox(inboxPrefix, while: operation)
  }

  static func newInbox(_ prefix: String, while operation: String) throws(NATSError) -> String {
    var name: UnsafeMutablePointer<natsInbox>?
    let status = natsInbox_Create(&name)
    guard status == NATS_OK, let name else { throw NATSError(status, while: operation) }
    defer { natsInbox_Destroy(name) }
    return prefix + String(cString: name).dropFirst(NATSOptions.defaultInboxPrefix.count)
  }
}
