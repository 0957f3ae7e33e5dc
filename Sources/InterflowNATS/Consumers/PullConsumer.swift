import CNATS
import Foundation

/// The server's side of a subscription: creates the durable, and sends requests and settlements.
struct PullConsumer: Sendable {
  /// What the server says about a request, instead of a message.
  enum Report {
    /// The request is served no longer, as it has to be.
    case ended(UInt64)
    /// The request was not served, but another one may be.
    case refused(UInt64)
    case confirmed
    case failed(NATSError)
    case nothing
  }

  let connection: NATSConnection
  let context: JetStreamContext
  let stream: String
  let durable: String
  let settings: NATSConsumerSettings
  /// Where messages arrive, followed by a dot and the request's number, or `ack` for confirmations.
  let inbox: String

  /// How long the server waits for messages before it ends a request.
  static let expiration: Duration = .seconds(5)

  var operation: String { "consuming the stream “\(stream)” as “\(durable)”" }

  init(
    _ connection: NATSConnection, stream: String, durable: String, settings: NATSConsumerSettings
  ) throws(NATSError) {
    let operation = "consuming the stream “\(stream)” as “\(durable)”"
    try SubjectName.checkPart(durable, of: "durable", while: operation)
    if let filter = settings.filter { try SubjectName.check(filter, wildcards: true, while: operation) }
    if case .deadLetter(let subject) = settings.undecodable {
      try SubjectName.check(subject, wildcards: false, while: operation)
    }
    inbox = try connection.newInbox(while: operation)
    context = try connection.jetStream()
    self.connection = connection
    self.stream = stream
    self.durable = durable
    self.settings = settings
  }

  // MARK: Calls that block

  /// Creates the durable, or finds the one that exists.
  func create() -> NATSError? {
    var code = jsErrCode(0)
    let status = settings.withConfiguration(durable: durable) {
      js_AddConsumer(nil, context.pointer, stream, &$0, nil, &code)
    }
    if status == NATS_OK { return nil }
    let error = NATSError(status, jetStream: code, while: operation)
    // The server has no code of its own for it.
    guard code == JSConsumerCreateErr, error.message.contains("can not be updated") else { return error }
    return error.with(kind: .conflict)
  }

  /// - Returns: The error where the durable does not exist; whether the server answers or not.
  func missing() -> NATSError? {
    var code = jsErrCode(0)
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    let status = js_GetConsumerInfo(&information, context.pointer, stream, durable, nil, &code)
    jsConsumerInfo_Destroy(information)
    guard status != NATS_OK else { return nil }
    let error = NATSError(status, jetStream: code, while: operation)
    return error.kind == .notFound ? error : nil
  }

  // MARK: What is sent

  func send(_ pull: PullState.Pull) {
    connection.handle.publish(
      "{\"batch\":\(pull.count),\"expires\":\(Self.expiration.nanoseconds)}",
      to: "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(durable)", reply: "\(inbox).\(pull.id)")
  }

  /// - Parameter confirmed: Whether the server is to confirm it.
  func send(_ settlement: Settlement, to reply: String, confirmed: Bool) {
    connection.handle.publish(settlement.text, to: reply, reply: confirmed ? "\(inbox).ack" : nil)
  }

  // MARK: What arrives

  /// Understands a message that is no value of the stream.
  func report(_ message: ReceivedMessage) -> Report {
    let last = message.subject.split(separator: ".").last ?? ""
    if last == "ack" { return .confirmed }
    guard let id = UInt64(last) else { return .nothing }
    let description = message.header("Description") ?? ""
    switch message.header("Status") {
    case "100": return .nothing
    case "404", "408": return .ended(id)
    case "409" where description.contains("Deleted"):
      return .failed(NATSError(kind: .notFound, operation: operation, message: description))
    case "409" where description.contains("MaxRequest"), "400":
      return .failed(NATSError(kind: .misuse, operation: operation, message: description))
    default: return .refused(id)
    }
  }
}
