import CNATS

/// The library's access to JetStream over a connection.
///
/// `@unchecked Sendable`: the library protects what is behind the pointer, which never changes, with its own locks.
final class JetStreamContext: @unchecked Sendable {
  let pointer: OpaquePointer
  // What the pointer uses.
  private let connection: ConnectionHandle

  /// Contacts no server.
  init(_ connection: ConnectionHandle, options: inout jsOptions) throws(NATSError) {
    var created: OpaquePointer?
    let status = natsConnection_JetStream(&created, connection.pointer, &options)
    guard status == NATS_OK, let created else { throw NATSError(status, while: "preparing JetStream") }
    pointer = created
    self.connection = connection
  }

  deinit {
    jsCtx_Destroy(pointer)
  }
}

extension NATSConnection {
  /// Access to JetStream with the connection's time limit. Contacts no server.
  func jetStream() throws(NATSError) -> JetStreamContext {
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = requestTimeout.milliseconds
    return try JetStreamContext(handle, options: &options)
  }
}

extension NATSConnection {
  /// A new subject that no other client uses.
  func newInbox(while operation: String) throws(NATSError) -> String {
    var name: UnsafeMutablePointer<natsInbox>?
    let status = natsInbox_Create(&name)
    guard status == NATS_OK, let name else { throw NATSError(status, while: operation) }
    defer { natsInbox_Destroy(name) }
    return inboxPrefix + String(cString: name).dropFirst(NATSOptions.defaultInboxPrefix.count)
  }
}
