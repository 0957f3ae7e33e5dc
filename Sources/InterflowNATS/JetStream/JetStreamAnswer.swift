import CNATS
import Foundation

/// What JetStream answers to a request, in JSON: what was asked for, or why there is none.
enum JetStreamAnswer {
  private struct Refusal: Decodable {
    struct Failure: Decodable {
      let err_code: UInt32?
      let description: String?
    }
    let error: Failure?
  }

  /// Reads an answer, of which nothing is certain.
  static func read<Content: Decodable>(
    _ type: Content.Type, in bytes: Data, while operation: String
  ) throws(NATSError) -> Content {
    // An answer that says an error may contain the rest, too, without meaning.
    if let failure = try? JSONDecoder().decode(Refusal.self, from: bytes).error {
      let code = jsErrCode(failure.err_code ?? 0)
      throw NATSError(
        kind: NATSError.Kind(NATS_ERR, jetStream: code), operation: operation,
        message: failure.description ?? "JetStream has refused it", status: NATS_ERR.rawValue,
        jetStreamCode: code.rawValue)
    }
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch {
      throw NATSError(
        kind: .other, operation: operation, message: "what has answered does not say what was asked for")
    }
  }
}

extension NATSConnection {
  /// Sends a request to JetStream, and waits for the answer within the connection's time limit. No thread waits.
  ///
  /// - Parameters:
  ///   - name: What comes after `$JS.API.` in the subject.
  ///   - request: What is sent, in JSON.
  func jetStream<Content: Decodable>(
    _ type: Content.Type, _ name: String, _ request: Data = Data(), while operation: String
  ) async throws(NATSError) -> Content {
    let answer = try await answer(to: request, sentTo: "$JS.API.\(name)", while: operation)
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
