import CNATS
import Foundation

/// What JetStream answers to a request, in JSON: what was asked for, or why there is none.
enum JetStreamAnswer {
  private struct Refusal: Decodable {
    let code: Int?
    let err_code: UInt32?
    let description: String?
  }

  private struct Answer<Content: Decodable>: Decodable {
    private enum CodingKeys: CodingKey { case error }

    let result: Result<Content, any Error>
    let refusal: Refusal?

    init(from decoder: any Decoder) throws {
      // An answer that says an error may contain the rest, too, without meaning.
      refusal = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Refusal.self, forKey: .error)
      result = Result { try Content(from: decoder) }
    }
  }

  /// Reads an answer, of which nothing is certain.
  static func read<Content: Decodable>(
    _ type: Content.Type, in bytes: Data, while operation: String
  ) throws(NATSError) -> Content {
    let answer = try? JSONDecoder().decode(Answer<Content>.self, from: bytes)
    if let refusal = answer?.refusal {
      let code = jsErrCode(refusal.err_code ?? 0)
      throw NATSError(
        kind: NATSError.Kind(refusal: refusal.code, jetStream: code), operation: operation,
        message: refusal.description ?? "JetStream has refused it", status: NATS_ERR.rawValue,
        jetStreamCode: code.rawValue)
    }
    guard let content = try? answer?.result.get() else {
      throw NATSError(
        kind: .other, operation: operation, message: "what has answered does not say what was asked for")
    }
    return content
  }
}

/// What JetStream answers to the removal of messages.
struct JetStreamRemoval: Decodable {
  let success: Bool
}

extension NATSConnection {
  /// Sends a request to JetStream, and waits for the answer within the connection's time limit. No thread waits.
  ///
  /// - Parameters:
  ///   - name: What comes after the prefix and a dot in the subject.
  ///   - request: What is sent, in JSON.
  func jetStream<Content: Decodable>(
    _ type: Content.Type, _ name: String, _ request: Data = Data(), while operation: String
  ) async throws(NATSError) -> Content {
    let answer = try await answer(to: request, sentTo: "\(jetStreamPrefix).\(name)", while: operation)
    return try JetStreamAnswer.read(Content.self, in: answer.bytes, while: operation)
  }
}

extension JetStreamAnswer {
  /// A request, in JSON.
  static func bytes(of request: some Encodable) -> Data {
    guard let bytes = try? JSONEncoder().encode(request) else { preconditionFailure("a request has no form in JSON") }
    return bytes
  }
}
