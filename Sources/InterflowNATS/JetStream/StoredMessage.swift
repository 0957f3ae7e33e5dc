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
    /// The one with this number.
    case number(UInt64)

    /// The request, in JSON.
    var request: Data {
      struct Last: Encodable { let last_by_subj: String }
      struct Next: Encodable {
        let seq: UInt64
        let next_by_subj: String
      }
      struct Number: Encodable { let seq: UInt64 }
      return switch self {
      case .last(let subject): JetStreamAnswer.bytes(of: Last(last_by_subj: subject))
      case .next(let subject, let sequence): JetStreamAnswer.bytes(of: Next(seq: sequence, next_by_subj: subject))
      case .number(let sequence): JetStreamAnswer.bytes(of: Number(seq: sequence))
      }
    }
  }

  let subject: String
  let sequence: UInt64
  let bytes: Data
  let headers: [String: String]
  /// When it was stored, in nanoseconds since 1970; `nil` where the server does not say it in the form that it should.
  var time: Int64?

  private struct Answer: Decodable {
    struct Message: Decodable {
      let subject: String
      let seq: UInt64
      let data: Data?
      let hdrs: Data?
      let time: String?
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
        headers: headers(in: message.hdrs ?? Data()), time: message.time.flatMap { nanoseconds(of: $0) })
    } catch {
      if error.jetStreamCode == JSNoMessageFoundErr.rawValue { return nil }
      throw error
    }
  }

  /// A time as servers write it, such as `2026-11-26T03:22:00.123456789Z`, of which Foundation would round the last digits.
  static func nanoseconds(of text: String) -> Int64? {
    guard text.hasSuffix("Z") else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2,
      let date = try? Date("\(first)Z", strategy: .iso8601)
    else { return nil }
    let digits = parts.dropFirst().first ?? "0"
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count))
    else { return nil }
    let (seconds, overflows) = Int64(date.timeIntervalSince1970).multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? nil : seconds.addingReportingOverflow(fraction).partialValue
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
  ///
  /// - Parameter limit: How long to wait; the connection's time limit if it is `nil`.
  func storedMessage(
    _ place: StoredMessage.Place, ofStream stream: String, within limit: Duration? = nil, while operation: String
  ) async throws(NATSError) -> StoredMessage? {
    let answer = try await answer(
      to: place.request, sentTo: "\(jetStreamPrefix).STREAM.MSG.GET.\(stream)", within: limit, while: operation)
    return try StoredMessage.message(in: answer.bytes, while: operation)
  }
}
