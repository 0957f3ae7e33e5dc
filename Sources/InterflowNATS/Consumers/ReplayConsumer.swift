import CNATS
import Foundation

/// The server's side of a replay: what is sent to it, and what it says.
struct ReplayConsumer: Sendable {
  /// What the server says, apart from messages of the stream.
  enum Report {
    /// A request has ended, as it has to.
    case ended(UInt64, isFull: Bool)
    /// A request is not served: the consumer has ended, or its server has.
    case refused(UInt64)
    /// A request is not served, and no other one would be.
    case failed(UInt64, NATSError)
    /// The consumer exists, and so many requests wait for messages, after those up to one.
    case waiting(Int, upTo: UInt64, of: Int)
    /// There is no such consumer.
    case missing(Int)
    case nothing
  }

  /// How long a server keeps a consumer from which nothing is requested.
  private static let inactiveThreshold = Duration.seconds(300)

  let prefix: String
  let stream: String
  let filter: String?
  let operation: String
  /// What the subjects begin with at which messages and other answers arrive.
  let inbox: String
  private let name: String

  /// - Parameter prefix: What the subjects of requests to JetStream begin with.
  init(prefix: String, stream: String, filter: String?, inbox: String) {
    (self.prefix, self.stream, self.filter, self.inbox) = (prefix, stream, filter, inbox)
    operation = "replaying the stream “\(stream)”"
    name = "replay-\(inbox.split(separator: ".").last ?? "")"
  }

  func name(_ generation: Int) -> String { "\(name)-\(generation)" }

  // MARK: What is sent

  /// The last part of the subject with which a consumer is created.
  func creation(_ generation: Int) -> String {
    "CONSUMER.CREATE.\(stream).\(name(generation))\(filter.map { ".\($0)" } ?? "")"
  }

  func creationRequest(_ generation: Int, from position: ReplayState.Position) -> Data {
    struct Configuration: Encodable {
      let name: String
      let filter_subject: String?
      var deliver_policy = "all"
      var opt_start_seq: UInt64?
      var opt_start_time: String?
      let ack_policy = "none"
      let replay_policy = "instant"
      let mem_storage = true
      let num_replicas = 1
      let inactive_threshold = ReplayConsumer.inactiveThreshold.nanoseconds
    }
    struct Request: Encodable {
      let stream_name: String
      let config: Configuration
    }
    var configuration = Configuration(name: name(generation), filter_subject: filter)
    switch position {
    case .start(.all): break
    case .start(.new): configuration.deliver_policy = "new"
    case .start(.last): configuration.deliver_policy = "last"
    case .start(.sequence(let sequence)), .sequence(let sequence):
      configuration.deliver_policy = "by_start_sequence"
      configuration.opt_start_seq = sequence
    case .start(.date(let date)):
      configuration.deliver_policy = "by_start_time"
      configuration.opt_start_time = Self.text(ofTime: NATSConsumerSettings.nanoseconds(of: date))
    case .after(let time):
      configuration.deliver_policy = "by_start_time"
      // A peer may say any time.
      configuration.opt_start_time = Self.text(ofTime: time == .max ? time : time + 1)
    }
    return JetStreamAnswer.bytes(of: Request(stream_name: stream, config: configuration))
  }

  /// A time in the form that servers read.
  ///
  /// - Parameter time: In nanoseconds since 1970.
  static func text(ofTime time: Int64) -> String {
    let seconds = Date(timeIntervalSince1970: Double(time / 1_000_000_000))
    let rest = String(time % 1_000_000_000)
    return seconds.formatted(.iso8601).dropLast() + "." + String(repeating: "0", count: 9 - rest.count) + rest + "Z"
  }

  func send(_ pull: PullState.Pull, _ generation: Int, _ handle: ConnectionHandle) {
    handle.publish(
      pull.request, to: "\(prefix).CONSUMER.MSG.NEXT.\(stream).\(name(generation))", reply: "\(inbox).\(pull.id)")
  }

  /// Requests a report whether the consumer exists, and how many requests wait.
  func requestInformation(after id: UInt64, _ generation: Int, _ handle: ConnectionHandle) {
    handle.publish(
      "", to: "\(prefix).CONSUMER.INFO.\(stream).\(name(generation))", reply: "\(inbox).info-\(generation)-\(id)")
  }

  /// Deletes a consumer, which the server does by itself after a while, too.
  func delete(_ generation: Int, _ handle: ConnectionHandle) {
    handle.publish("", to: "\(prefix).CONSUMER.DELETE.\(stream).\(name(generation))", reply: nil)
  }

  // MARK: What arrives

  /// What the answer to the creation of a consumer says.
  struct Creation: Decodable {
    struct Sequences: Decodable { let stream_seq: UInt64 }
    let delivered: Sequences
  }

  /// What a server says about the stream.
  struct Stream: Decodable {
    struct Configuration: Decodable { let num_replicas: Int }
    struct State: Decodable { let last_seq: UInt64 }
    let created: String?
    let config: Configuration
    let state: State
  }

  /// What a message that is no value of the stream says.
  func report(_ subject: String, _ headers: NATSHeaders, _ bytes: Data) -> Report {
    guard let last = subject.split(separator: ".").last else { return .nothing }
    let status = headers["Status"]
    let parts = last.split(separator: "-")
    if parts.count == 3, parts[0] == "info", let generation = Int(parts[1]), let id = UInt64(parts[2]) {
      return status == nil ? report(ofInformation: bytes, upTo: id, of: generation) : .nothing
    }
    guard let id = UInt64(last) else { return .nothing }
    let text = headers["Description"] ?? ""
    switch status {
    case "100"?: return .nothing
    case "404"?, "408"?: return .ended(id, isFull: false)
    case "409"? where text.contains("Exceeds MaxBytes"): return .ended(id, isFull: true)
    case "409"? where text.contains("MaxRequest"), "400"?:
      return .failed(id, NATSError(kind: .misuse, operation: operation, message: text))
    default: return .refused(id)
    }
  }

  private func report(ofInformation bytes: Data, upTo id: UInt64, of generation: Int) -> Report {
    struct Information: Decodable { let num_waiting: Int }
    do throws(NATSError) {
      let information = try JetStreamAnswer.read(Information.self, in: bytes, while: operation)
      return .waiting(information.num_waiting, upTo: id, of: generation)
    } catch {
      // Others, such as that there is no leader, pass.
      return error.kind == .notFound ? .missing(generation) : .nothing
    }
  }
}

/// A message of a replay.
struct ReplayedMessage: Sendable, DeliverableMessage {
  let subject: String
  let bytes: Data
  let headers: NATSHeaders
  let sequence: UInt64
  /// When it was stored, in nanoseconds since 1970.
  let time: Int64
  /// How many messages follow it.
  let remaining: UInt64

  var size: Int { bytes.count }

  /// Reads a message of the library's, with the consumer that has sent it and the consumer's count; `nil` where it says
  /// nothing of that.
  static func read(_ pointer: OpaquePointer) -> (message: ReplayedMessage, consumer: String, delivery: UInt64)? {
    var metadata: UnsafeMutablePointer<jsMsgMetaData>?
    guard natsMsg_GetMetaData(&metadata, pointer) == NATS_OK, let metadata else { return nil }
    defer { jsMsgMetaData_Destroy(metadata) }
    let content = metadata.pointee
    guard let consumer = content.Consumer else { return nil }
    let message = ReplayedMessage(
      subject: String(cString: natsMsg_GetSubject(pointer)), bytes: Data(messageOfLibrary: pointer),
      headers: NATSHeaders(messageOfLibrary: pointer), sequence: content.Sequence.Stream, time: content.Timestamp,
      remaining: content.NumPending)
    return (message, String(cString: consumer), content.Sequence.Consumer)
  }
}
