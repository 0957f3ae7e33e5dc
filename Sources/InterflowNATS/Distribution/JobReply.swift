import Foundation

/// What a worker sends back: a result or a failure, which the last part of the subject distinguishes.
enum JobReply: Sendable {
  case result(Data)
  case failure(NATSJobFailure)

  private static let failures = NATSCoding<NATSJobFailure>.json

  /// - Parameters:
  ///   - bytes: What was sent.
  ///   - subject: Where it was sent.
  ///   - work: The name of the work.
  init(_ bytes: Data, sentTo subject: String, of work: String) throws(NATSError) {
    let operation = "receiving a result of “\(work)”"
    switch subject.split(separator: ".").last {
    case "result":
      self = .result(bytes)
    case "failure":
      self = .failure(try Self.failures.value(of: bytes, while: operation))
    default:
      throw NATSError(
        kind: .undecodable, operation: operation,
        message: "a result or a failure was expected, not a message of the subject “\(subject)”")
    }
  }

  var kind: String {
    switch self {
    case .result: "result"
    case .failure: "failure"
    }
  }

  /// What to send where it is too large; `nil` where nothing smaller says it.
  func smaller(_ error: NATSError, deliveryCount: Int) -> JobReply? {
    switch self {
    case .result:
      .failure(NATSJobFailure(reason: .notStorable, message: error.message, deliveryCount: deliveryCount))
    case .failure(let failure) where !failure.message.isEmpty:
      .failure(NATSJobFailure(reason: failure.reason, message: "", deliveryCount: failure.deliveryCount))
    case .failure: nil
    }
  }

  func bytes() throws(NATSError) -> Data {
    switch self {
    case .result(let bytes): bytes
    case .failure(let failure): try Self.failures.bytes(of: failure, while: "sending the failure of a job")
    }
  }
}

/// Which job of which run: the identifier of a message, in both directions.
struct JobID: Hashable, Sendable {
  let run: String
  let number: Int

  init(run: String, number: Int) {
    self.run = run
    self.number = number
  }

  /// Reads what may come from any program; `nil` where no result could be sent for it, since the run is a part of its subject.
  init?(_ text: String) {
    let parts = text.split(separator: ".").map(String.init)
    guard parts.count == 2, let number = Int(parts[1]),
      (try? SubjectName.checkPart(parts[0], of: "run", while: "reading an identifier")) != nil
    else { return nil }
    (run, self.number) = (parts[0], number)
  }

  var text: String { "\(run).\(number)" }
}
