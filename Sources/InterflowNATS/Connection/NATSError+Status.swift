import CNATS

extension NATSError {
  /// The error of a call that has just failed on this thread, for which the library keeps more to say.
  init(_ status: natsStatus, jetStream code: jsErrCode = jsErrCode(0), while operation: String) {
    var last = NATS_OK
    let details = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    let text = String(cString: natsStatus_GetText(status))
    self.init(
      kind: Kind(status, jetStream: code), operation: operation,
      message: last == status && !details.isEmpty ? "\(text): \(details)" : text, status: status.rawValue,
      jetStreamCode: code.rawValue)
  }

  /// The error that the library last kept for a connection.
  init(lastOf connection: OpaquePointer?, while operation: String) {
    var details: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(connection, &details)
    let text = details.map { String(cString: $0) } ?? ""
    self.init(
      kind: Kind(status, jetStream: jsErrCode(0)), operation: operation,
      message: text.isEmpty ? String(cString: natsStatus_GetText(status)) : text, status: status.rawValue)
  }

  /// An error for which no call waits.
  init(reported status: natsStatus, _ connection: OpaquePointer?, _ subscription: OpaquePointer?) {
    let subject = subscription.flatMap { natsSubscription_GetSubject($0) }.map { " from “\(String(cString: $0))”" }
    var details: UnsafePointer<CChar>?
    let isLast = natsConnection_GetLastError(connection, &details) == status
    let text = isLast ? details.map { String(cString: $0) } ?? "" : ""
    self.init(
      kind: Kind(status, jetStream: jsErrCode(0)), operation: "using a connection",
      message: (text.isEmpty ? String(cString: natsStatus_GetText(status)) : text) + (subject ?? ""),
      status: status.rawValue)
  }

  /// The error of what was using a connection that was closed.
  ///
  /// - Parameter reason: Why it was closed, unless by the program.
  static func closed(_ reason: NATSError?, while operation: String) -> NATSError {
    NATSError(kind: .closed, operation: operation, message: reason?.message ?? "the connection was closed")
  }

  static var timeoutStatus: UInt32 { NATS_TIMEOUT.rawValue }

  /// Whether the same call may succeed later: the connection is interrupted, or a cluster chooses a leader.
  var isTransient: Bool {
    switch kind {
    case .timeout, .disconnected, .interrupted: true
    case .unavailable: jetStreamCode != 0
    default: false
    }
  }

  /// Whether the server could not create a durable that another client was deleting, or deleted, at the same time.
  var isOfDurableRecreatedByOthers: Bool {
    // The first is its code for whatever failed, a file that is gone, for example.
    jetStreamCode == JSConsumerCreateErr.rawValue && kind != .conflict
      || jetStreamCode == JSConsumerNotFoundErr.rawValue
  }

  /// Whether the stream takes no durable beside another one that exists.
  var isOfAnotherDurable: Bool {
    jetStreamCode == JSConsumerWQConsumerNotUniqueErr.rawValue
      || jetStreamCode == JSConsumerWQMultipleUnfilteredErr.rawValue
  }

  /// Throws where a call has failed.
  static func check(_ status: natsStatus, while operation: String) throws(NATSError) {
    if status != NATS_OK { throw NATSError(status, while: operation) }
  }
}

extension NATSError.Kind {
  init(_ status: natsStatus, jetStream code: jsErrCode) {
    switch code {
    case JSNotEnabledErr, JSNotEnabledForAccountErr: self = .jetStreamDisabled
    case JSStreamNotFoundErr, JSConsumerNotFoundErr, JSNoMessageFoundErr: self = .notFound
    // Current servers' code for a change that has lost against one that is not stored yet.
    case jsErrCode(10_164): self = .conflict
    case JSStreamNameExistErr, JSConsumerNameExistErr, JSStreamWrongLastSequenceErr, JSStreamWrongLastMsgIDErr:
      self = .conflict
    case JSStreamMessageExceedsMaximumErr: self = .tooLarge
    case JSInsufficientResourcesErr, JSStorageResourcesExceededErr, JSMemoryResourcesExceededErr,
      JSStreamStoreFailedErr:
      self = .full
    // Current servers' code for a stream that takes no more values for now, since many wait to be stored.
    case jsErrCode(10_167): self = .unavailable
    // Current servers' code for a value whose identifier is that of one that they are about to store: an earlier attempt's.
    case jsErrCode(10_158): self = .unavailable
    case JSClusterNotAvailErr, JSClusterNotLeaderErr, JSClusterNotActiveErr, JSStreamOfflineErr,
      JSConsumerOfflineErr:
      self = .unavailable
    default: self = Self(status)
    }
  }

  /// The kind of what JetStream has refused.
  ///
  /// - Parameter status: The server's status, as in HTTP, which says more than a code that came with a later version.
  init(refusal status: Int?, jetStream code: jsErrCode) {
    let kind = Self(NATS_ERR, jetStream: code)
    self = kind == .other && (status == 429 || status == 503) ? .unavailable : kind
  }

  private init(_ status: natsStatus) {
    self =
      switch status {
      case NATS_NO_SERVER: .noServer
      case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .notAuthorized
      case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED: .notSecure
      case NATS_TIMEOUT: .timeout
      case NATS_IO_ERROR: .interrupted
      case NATS_CONNECTION_CLOSED, NATS_DRAINING: .closed
      case NATS_CONNECTION_DISCONNECTED, NATS_STALE_CONNECTION, NATS_INSUFFICIENT_BUFFER: .disconnected
      case NATS_NOT_FOUND: .notFound
      case NATS_NO_RESPONDERS: .unavailable
      case NATS_MAX_PAYLOAD: .tooLarge
      case NATS_ADDRESS_MISSING, NATS_INVALID_SUBJECT, NATS_INVALID_ARG: .misuse
      default: .other
      }
  }
}
