import CNATS
import Foundation

/// A message of a stream, as the server that leads the stream describes it.
struct StoredMessage: Sendable, Equatable {
  /// Which message is requested.
  enum Place {
    /// The last one of a subject.
    case last(subject: String)
    /// The first one of a subject, perhaps with wildcards, that has this number or a later one.
    case next(subject: String, from: UInt64)

    /// The request, in JSON.
    var request: Data {
      struct Last: Encodable { let last_by_subj: String }
      struct Next: Encodable {
        let seq: UInt64
        let next_by_subj: String
      }
      return switch self {
      case .last(let subject): JetStreamAnswer.bytes(of: Last(last_by_subj: subject))
      case .next(let subject, let sequence): JetStreamAnswer.bytes(of: Next(seq: sequence, next_by_subj: subject))
      }
    }
  }

  let subject: String
  let sequence: UInt64
  let bytes: Data
  let headers: [String: String]

  private struct Answer: Decodable {
    struct Message: Decodable {
      let subject: String
      let seq: UInt64
      let data: Data?
      let hdrs: Data?
    }
    let message: Message
  }

  /// Reads the answer to a request for a message.
  ///
  /// - Returns: The message; `nil` where there is none.
  static func message(in answer: Data, while operation: String) throws(NATSError) -> StoredMessage? {
    do throws(NATSError) {
      let message = try JetStreamAnswer.read(Answer.self, in: answer, while: operation).message
      return StoredMessage(
        subject: message.subject, sequence: message.seq, bytes: message.data ?? Data(),
        headers: headers(in: message.hdrs ?? Data()))
    } catch {
      if error.jetStreamCode == JSNoMessageFoundErr.rawValue { return nil }
      throw error
    }
  }

  private static func headers(in bytes: Data) -> [String: String] {
    // A value may contain what Unicode takes for other ends of lines.
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n" as Character)
    let pairs = lines.compactMap { line in
      line.firstIndex(of: ":").map { colon in
        (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
      }
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension NATSConnection {
  /// Requests a message from the server that leads a stream; `nil` where there is none.
  func storedMessage(
    _ place: StoredMessage.Place, ofStream stream: String, while operation: String
  ) async throws(NATSError) -> StoredMessage? {
    let answer = try await answer(to: place.request, sentTo: "$JS.API.STREAM.MSG.GET.\(stream)", while: operation)
    return try StoredMessage.message(in: answer.bytes, while: operation)
  }
}
