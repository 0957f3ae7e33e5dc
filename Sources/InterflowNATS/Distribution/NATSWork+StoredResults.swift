import CNATS
import Foundation

/// A message of a stream, as the server that leads the stream describes it.
struct StoredMessage: Equatable {
  let subject: String
  let sequence: UInt64
  let bytes: Data
  /// The identifier with which it was sent.
  let id: String?

  private struct Answer: Decodable {
    struct Message: Decodable {
      let subject: String
      let seq: UInt64
      let data: Data?
      let hdrs: Data?
    }
    struct Failure: Decodable {
      let err_code: UInt32?
      let description: String?
    }
    let message: Message?
    let error: Failure?
  }

  /// Reads the answer to a request for a message.
  ///
  /// - Returns: The message; `nil` where there is none.
  static func message(in answer: Data, while operation: String) throws(NATSError) -> StoredMessage? {
    guard let read = try? JSONDecoder().decode(Answer.self, from: answer) else {
      throw NATSError(kind: .other, operation: operation, message: "what has answered does not say what is stored")
    }
    if let message = read.message {
      return StoredMessage(
        subject: message.subject, sequence: message.seq, bytes: message.data ?? Data(),
        id: message.hdrs.flatMap { identifier(in: String(decoding: $0, as: UTF8.self)) })
    }
    let code = jsErrCode(read.error?.err_code ?? 0)
    if code == JSNoMessageFoundErr { return nil }
    throw NATSError(
      kind: NATSError.Kind(NATS_ERR, jetStream: code), operation: operation,
      message: read.error?.description ?? "nothing is stored", jetStreamCode: code.rawValue)
  }

  private static func identifier(in headers: String) -> String? {
    let name = "Nats-Msg-Id:"
    let line = headers.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
    return line.map { $0.dropFirst(name.count).trimmingCharacters(in: .whitespaces) }
  }
}

/// Results that the servers have stored and, after a failure, may take for delivered.
extension NATSWork {
  /// Passes on the results of a run that the servers hold, which are those that have not been acknowledged. Blocks.
  ///
  /// - Parameter receive: Takes a result. Returns whether to go on.
  func forEachStoredResult(ofRun run: String, _ receive: (StoredMessage) -> Bool) throws(NATSError) {
    let operation = "looking for results of “\(name)”"
    var sequence: UInt64 = 1
    while true {
      let request = "{\"seq\":\(sequence),\"next_by_subj\":\"\(subject(ofResultsOf: run))\"}"
      var answer: OpaquePointer?
      let status = natsConnection_RequestString(
        &answer, connection.handle.pointer, "$JS.API.STREAM.MSG.GET.\(results.name)", request,
        connection.requestTimeout.milliseconds)
      guard status == NATS_OK, let answer else { throw NATSError(status, while: operation) }
      defer { natsMsg_Destroy(answer) }
      let bytes = Data(messageOfLibrary: answer)
      guard let message = try StoredMessage.message(in: bytes, while: operation), message.sequence >= sequence else {
        return
      }
      if !receive(message) || message.sequence == .max { return }
      sequence = message.sequence + 1
    }
  }

  /// Removes what the servers hold of the results of a run. Its answer makes no difference to a program.
  func removeStoredResults(ofRun run: String) {
    connection.background.start { [self] in
      var options = jsOptions()
      jsOptions_Init(&options)
      subject(ofResultsOf: run).withCString { subject in
        options.Stream.Purge.Subject = subject
        _ = js_PurgeStream(connection.context.pointer, results.name, &options, nil)
      }
    }
  }
}
