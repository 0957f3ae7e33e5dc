import CNATS
import Foundation

/// The server's side of a subscription: creates the durable, and sends requests and settlements.
struct PullConsumer: Sendable {
  /// What the server says, apart from messages of the stream.
  enum Report {
    /// A request has ended, as it has to.
    ///
    /// - Parameter isFull: Whether the next message has more bytes than it may bring.
    case ended(UInt64, isFull: Bool)
    /// A request was not served, but another one may be.
    case refused(UInt64)
    /// Acknowledgements have arrived, up to a number.
    case confirmed(UInt64)
    /// The durable exists, and so many requests of all its consumers wait for messages.
    ///
    /// - Parameter upTo: The last request that was sent before the question.
    case waiting(Int, upTo: UInt64)
    /// Nothing will be served.
    ///
    /// - Parameter pull: The request to which this is the answer, if it is one.
    case failed(NATSError, pull: UInt64?)
    case nothing
  }

  /// The last parts of the subjects of answers, apart from those to requests for messages, which are numbers.
  private enum Reply {
    static let confirmation = "ack"
    static let information = "info"
  }

  let connection: NATSConnection
  let context: JetStreamContext
  let operation: String
  let stream: String
  /// What the program calls the durable.
  private let name: String
  /// The name of the durable.
  private(set) var durable: String
  let settings: NATSConsumerSettings
  /// Whether the durable is of one subscription alone: it is made again after an interruption, and deleted at the end.
  let isTemporary: Bool
  /// How often a temporary durable has been made again.
  private var generation = 0
  /// The names of durables before this one, which may not be deleted yet.
  private var replaced: [String] = []
  /// What the subjects begin with at which messages and other answers arrive.
  private let inbox: String

  init(
    _ connection: NATSConnection, stream: String, durable: String, settings: NATSConsumerSettings,
    isTemporary: Bool = false
  ) throws(NATSError) {
    operation = "consuming the stream “\(stream)” as “\(durable)”"
    try SubjectName.checkPart(durable, of: "durable", while: operation)
    if let filter = settings.filter { try SubjectName.check(filter, wildcards: true, while: operation) }
    try settings.undecodable.check(while: operation)
    try settings.check(while: operation)
    inbox = try connection.newInbox(while: operation)
    context = connection.context
    name = durable
    self.connection = connection
    self.stream = stream
    self.durable = durable
    self.settings = settings
    self.isTemporary = isTemporary
  }

  /// The consumer whose durable takes the place of this one's.
  ///
  /// A temporary durable has another name then: one of the same name may find how far the one before was, on servers that
  /// have not removed that yet, and take what it has not delivered for delivered.
  var successor: PullConsumer {
    if !isTemporary { return self }
    var successor = self
    successor.generation += 1
    successor.durable = "\(name)-\(successor.generation)"
    successor.replaced.append(durable)
    return successor
  }

  /// What the subjects begin with at which messages and other answers arrive, after so many others have been left.
  func inbox(_ number: Int) -> String { "\(inbox)-\(number)" }

  /// The durable exists, and the server has no other beside it.
  mutating func created() {
    replaced = []
  }

  // MARK: Calls that block

  /// Deletes the durable, and those before it.
  func delete() {
    deleteReplaced()
    delete(durable)
  }

  private func delete(_ durable: String) {
    // The second time, it might be one that others have made again.
    guard isTemporary else { return _ = js_DeleteConsumer(context.pointer, stream, durable, nil, nil) }
    // Where it is still there, that shows later: the server that has it may be the one that has ended.
    _ = untilAnswered(within: min(connection.requestTimeout, .seconds(1))) {
      js_DeleteConsumer(context.pointer, stream, durable, &$0, nil)
    }
  }

  /// Deletes the durables before this one: a stream of results takes none beside them.
  private func deleteReplaced() {
    for durable in replaced { delete(durable) }
  }

  /// Whether more has been delivered than the stream has counted, so that the next messages would not be delivered.
  ///
  /// A server that is killed while a stream is empty may begin to count from one again, as version 2.9 does, with its
  /// consumers where they were. Where several servers hold a stream, the others have the numbers; the one that answers
  /// may only be behind.
  var isAhead: Bool {
    switch settings.start {
    // Made again, the durable would begin elsewhere.
    case .new, .last, .sequence: return false
    case .all, .date: break
    }
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    // The durable first: what is stored and delivered meanwhile makes no difference then.
    let status = untilAnswered { js_GetConsumerInfo(&information, context.pointer, stream, durable, &$0, nil) }
    defer { jsConsumerInfo_Destroy(information) }
    guard status == NATS_OK, let delivered = information?.pointee.Delivered.Stream else { return false }
    let isAhead = context.stream(stream, while: operation) {
      $1.Replicas <= 1 && delivered > $0.State.LastSeq
    }
    return (try? isAhead.get()) ?? false
  }

  /// Creates the durable, or finds the one that exists with the same settings.
  ///
  /// The server would change most settings of one that exists, for all that use it.
  func create() -> NATSError? { create(isRetry: false) }

  /// - Parameter isRetry: Whether there was no answer the first time.
  private func create(isRetry: Bool) -> NATSError? {
    let existing = existing
    guard case .failure(let error) = existing, error.kind == .notFound else { return difference(from: existing) }
    let limit = connection.requestTimeout
    let creation = createNew(within: isRetry ? limit : min(limit, Self.firstWait))
    // It may exist now.
    if !isRetry, creation?.kind == .timeout, isAnswered(within: limit) { return create(isRetry: true) }
    // Another client has created it meanwhile, with other settings.
    return creation?.jetStreamCode == Self.existsCode ? difference(from: self.existing) : creation
  }

  private func difference(from existing: Result<Existing?, NATSError>) -> NATSError? {
    switch existing {
    case .success(let existing?) where !existing.different.isEmpty:
      NATSError(
        kind: .conflict, operation: operation,
        message: "the durable exists with another \(existing.different.joined(separator: ", "))")
    // Created again, it would get back what another client has changed since the look at it.
    case .success(let existing?) where existing.isSame: nil
    // The server says why not.
    case .success: createOrUpdate()
    case .failure(let error): error
    }
  }

  /// Servers' code for a durable that exists, which the library does not know.
  private static let existsCode: UInt32 = 10_148

  /// Creates the durable where none exists.
  ///
  /// The library's call would change one that another client creates at the same moment. Servers before version 2.10 do that
  /// whatever is requested.
  private func createNew(within limit: Duration) -> NATSError? {
    struct Created: Decodable { let name: String }
    let request = settings.creation(of: durable, inStream: stream)
    let subject = "\(connection.jetStreamPrefix).CONSUMER.DURABLE.CREATE.\(stream).\(durable)"
    var answer: OpaquePointer?
    let status = request.withUnsafeBytes {
      natsConnection_Request(
        &answer, connection.handle.pointer, subject, $0.baseAddress, Int32(clamping: $0.count), limit.milliseconds)
    }
    defer { natsMsg_Destroy(answer) }
    guard status == NATS_OK, let answer else { return NATSError(status, while: operation).ofJetStreamRequest }
    do throws(NATSError) {
      _ = try JetStreamAnswer.read(Created.self, in: Data(messageOfLibrary: answer), while: operation)
      return nil
    } catch {
      return error
    }
  }

  /// Creates the durable in the place of the one that exists.
  ///
  /// Without a look at what there is in between, when others would find none.
  ///
  /// - Parameter isDeleted: Whether the old one has been deleted, so that what exists is a new one.
  func recreate(isDeleted: Bool) -> NATSError? {
    if isTemporary {
      deleteReplaced()
    } else if !isDeleted {
      return recreate()
    }
    return createOrUpdate()
  }

  /// Deletes the durable, and creates it with the settings that it had: another client may have changed them.
  private func recreate() -> NATSError? {
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    defer { jsConsumerInfo_Destroy(information) }
    let status = untilAnswered { js_GetConsumerInfo(&information, context.pointer, stream, durable, &$0, nil) }
    let isKnown = status == NATS_OK
    delete()
    guard isKnown, let configuration = information?.pointee.Config,
      configuration.pointee.Durable.map({ String(cString: $0) }) == durable
    else {
      return createOrUpdate()
    }
    return add(&configuration.pointee)
  }

  /// Changes the durable, which has to exist.
  func update() -> NATSError? {
    switch existing {
    case .success: createOrUpdate()
    case .failure(let error): error
    }
  }

  private struct Existing {
    /// Which settings are others.
    let different: [String]
    /// Whether the rest is the same, which cannot be changed.
    let isSame: Bool
  }

  /// The durable that exists; `nil` where what has answered does not say what it is.
  private var existing: Result<Existing?, NATSError> {
    var code = jsErrCode(0)
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    let status = untilAnswered { js_GetConsumerInfo(&information, context.pointer, stream, durable, &$0, &code) }
    guard status == NATS_OK, let information else {
      return .failure(NATSError(status, jetStream: code, while: operation))
    }
    defer { jsConsumerInfo_Destroy(information) }
    return .success(
      (information.pointee.Config?.pointee).map {
        Existing(different: settings.differences(from: $0), isSame: settings.beginsAndSettles(as: $0))
      })
  }

  private func createOrUpdate() -> NATSError? {
    settings.withConfiguration(durable: durable) { add(&$0) }
  }

  private func add(_ configuration: inout jsConsumerConfig) -> NATSError? {
    var code = jsErrCode(0)
    let status = untilAnswered { js_AddConsumer(nil, context.pointer, stream, &configuration, &$0, &code) }
    if status == NATS_OK { return nil }
    let error = NATSError(status, jetStream: code, while: operation)
    // The server has no code of its own for it.
    guard code == JSConsumerCreateErr, error.message.contains("can not be updated") else { return error }
    return error.with(kind: .conflict)
  }

  // MARK: What is sent

  func send(_ pull: PullState.Pull, inbox: String, _ handle: ConnectionHandle) {
    handle.publish(
      pull.request, to: "\(connection.jetStreamPrefix).CONSUMER.MSG.NEXT.\(stream).\(durable)",
      reply: "\(inbox).\(pull.id)")
  }

  /// - Parameter confirmation: The number by which the server is to confirm it; `nil` for none.
  func send(
    _ settlement: Settlement, to reply: String, confirmation: UInt64?, inbox: String, _ handle: ConnectionHandle
  ) {
    handle.publish(settlement.text, to: reply, reply: confirmation.map { "\(inbox).\(Reply.confirmation)\($0)" })
  }

  /// Requests a report whether the durable exists, and how many requests wait.
  ///
  /// - Parameter id: The last request that has been sent before.
  func requestInformation(after id: UInt64, inbox: String, _ handle: ConnectionHandle) {
    handle.publish("", to: informationSubject, reply: "\(inbox).\(Reply.information)\(id)")
  }

  var informationSubject: String { "\(connection.jetStreamPrefix).CONSUMER.INFO.\(stream).\(durable)" }

  // MARK: What arrives

  /// What a message that is no value of the stream says.
  func report(_ message: ReceivedMessage) -> Report {
    let status = message.header("Status")
    switch message.subject.split(separator: ".").last.map(String.init) {
    // A status says that no server has taken it.
    case let text? where text.hasPrefix(Reply.confirmation):
      let id = UInt64(text.dropFirst(Reply.confirmation.count))
      return status == nil ? id.map { .confirmed($0) } ?? .nothing : .nothing
    case let text? where text.hasPrefix(Reply.information):
      let last = UInt64(text.dropFirst(Reply.information.count)) ?? 0
      return status == nil ? report(ofInformation: message.bytes, after: last) : .nothing
    case let number?: return UInt64(number).map { report(status, message, on: $0) } ?? .nothing
    case nil: return .nothing
    }
  }

  private func report(_ status: String?, _ message: ReceivedMessage, on pull: UInt64) -> Report {
    let description = message.header("Description") ?? ""
    switch status {
    case "100": return .nothing
    case "404", "408": return .ended(pull, isFull: false)
    // Current servers say so behind the last message of a request that may bring so many bytes.
    case "409" where description.contains("Batch Completed"): return .ended(pull, isFull: false)
    case "409" where description.contains("Exceeds MaxBytes"): return .ended(pull, isFull: true)
    case "409" where description.contains("Deleted"):
      return .failed(NATSError(kind: .notFound, operation: operation, message: description), pull: pull)
    case "409" where description.contains("MaxRequest"), "400":
      return .failed(NATSError(kind: .misuse, operation: operation, message: description), pull: pull)
    default: return .refused(pull)
    }
  }

  private func report(ofInformation bytes: Data, after last: UInt64) -> Report {
    struct Information: Decodable {
      struct Failure: Decodable {
        let err_code: UInt32
        let description: String?
      }
      let error: Failure?
      let num_waiting: Int?
    }
    guard let information = try? JSONDecoder().decode(Information.self, from: bytes) else { return .nothing }
    guard let failure = information.error else {
      return information.num_waiting.map { .waiting($0, upTo: last) } ?? .nothing
    }
    let error = NATSError(
      kind: NATSError.Kind(NATS_ERR, jetStream: jsErrCode(failure.err_code)), operation: operation,
      message: failure.description ?? "there is no durable", jetStreamCode: failure.err_code)
    // Others, such as that there is no leader, pass.
    return error.kind == .notFound ? .failed(error, pull: nil) : .nothing
  }
}
