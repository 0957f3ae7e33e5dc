/// An error of a connection to NATS, with what the library or the server says about it.
///
/// It says what was being done and why it failed. It contains no password, token or payload.
public struct NATSError: Error, Sendable {
  /// What went wrong, in the terms of a program that has to react.
  public enum Kind: Sendable, Hashable {
    /// No server answered at any of the addresses.
    case noServer
    /// The server refuses the credentials, or what they are used for.
    case notAuthorized
    /// The connection could not be secured: a certificate is not valid, or one side requires TLS and the other has none.
    case notSecure
    /// No answer came in time. What was to be done, a value that was to be stored for example, may be done nonetheless,
    /// also later.
    case timeout
    /// The connection was interrupted while it was being used. What was to be done may have been done or not.
    case interrupted
    /// The task that waited was cancelled. What was to be done may be done nonetheless.
    case cancelled
    /// The connection has been closed, or is being closed.
    case closed
    /// The connection is interrupted, and what was to be sent does not fit into the buffer for such times.
    case disconnected
    /// The server, or the account, has no JetStream.
    case jetStreamDisabled
    /// A stream, consumer, bucket or key does not exist.
    case notFound
    /// Something of the name exists with other settings, or a value has another revision than expected.
    case conflict
    /// A value was sent to a stream with a ``NATSExpectedSequence``, and the stream or the subject was at another number,
    /// which is `nil` where the server does not say it: another value is about to be stored.
    case wrongSequence(found: UInt64?)
    /// Nobody has subscribed to the subject of a request.
    case noResponder
    /// A program has answered a request with an error, with a code of which ``NATSRequest/refuse(_:code:)`` has those of this
    /// module; the error's ``NATSError/message`` is that program's.
    case rejected(code: Int)
    /// No server has the stream at this moment: a cluster chooses a leader, or the stream has been deleted.
    case unavailable
    /// A message is larger than the server permits.
    case tooLarge
    /// A server has a version that does not do it reliably, or does not say which version it has.
    case unsupported
    /// A stream or the store of the server is full.
    case full
    /// The call itself is wrong: for example, an address that is none, or a subject with a space.
    case misuse
    /// A value cannot be encoded.
    case notEncodable
    /// A message is no value of the type that was expected.
    case undecodable
    /// Any other error; see ``NATSError/status`` and ``NATSError/jetStreamCode``.
    case other
  }

  /// What went wrong.
  public let kind: Kind

  /// What was being done, such as "connecting".
  public let operation: String

  /// What the library or the server says, or what this package says where they have no words for it.
  public let message: String

  /// The status of the C library; zero if the error is not from it.
  public let status: UInt32

  /// The code of JetStream's error, such as 10058; zero if the error is not from JetStream.
  public let jetStreamCode: UInt32

  /// Makes an error.
  public init(kind: Kind, operation: String, message: String, status: UInt32 = 0, jetStreamCode: UInt32 = 0) {
    self.kind = kind
    self.operation = operation
    self.message = message
    self.status = status
    self.jetStreamCode = jetStreamCode
  }

  func with(kind: Kind) -> NATSError {
    NATSError(kind: kind, operation: operation, message: message, status: status, jetStreamCode: jetStreamCode)
  }
}

extension NATSError: CustomStringConvertible {
  /// The operation, the message and the codes.
  public var description: String {
    var text = "\(operation): \(message)"
    if status != 0 { text += " (NATS status \(status))" }
    if jetStreamCode != 0 { text += " (JetStream error \(jetStreamCode))" }
    return text
  }
}
