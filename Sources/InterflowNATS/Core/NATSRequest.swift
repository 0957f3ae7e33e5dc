import CNATS
import Foundation
import Synchronization

/// A value to which another program waits for an answer.
///
/// It is answered once: with ``respond(_:headers:)`` or ``refuse(_:code:)``, of which the first counts. A request that is
/// released without an answer is refused with code 503, so that nobody waits until a time limit.
public struct NATSRequest<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value

  let message: SubjectBytes
  let answering: RequestAnswering

  /// The subject to which the request was sent.
  public var subject: String { message.subject }
  /// The headers of the request.
  public var headers: NATSHeaders { message.headers }
  /// Whether somebody waits for an answer: the value was not just sent, and the subject for the answer is not one of the
  /// servers, such as `$JS.API`, or longer than 3,500 bytes. What is answered otherwise goes nowhere.
  public var isAnswerExpected: Bool { message.answerSubject != nil }

  /// Answers with a value in JSON, without waiting for anything. A second answer is not sent.
  ///
  /// - Parameters:
  ///   - value: The answer.
  ///   - headers: What the message has beside the value.
  /// - Throws: A ``NATSError``, after which the request can still be answered or refused: ``NATSError/Kind/notEncodable``,
  ///   ``NATSError/Kind/tooLarge`` or ``NATSError/Kind/misuse``.
  public func respond(_ value: some Codable & Sendable, headers: NATSHeaders = [:]) throws(NATSError) {
    try respond(value, headers: headers, coding: .json)
  }

  /// Answers with a value, without waiting for anything. A second answer is not sent.
  ///
  /// - Parameters:
  ///   - value: The answer.
  ///   - headers: What the message has beside the value.
  ///   - coding: How the value becomes bytes.
  /// - Throws: A ``NATSError``, after which the request can still be answered or refused: ``NATSError/Kind/notEncodable``,
  ///   ``NATSError/Kind/tooLarge`` or ``NATSError/Kind/misuse``.
  public func respond<Answer: Sendable>(
    _ value: Answer, headers: NATSHeaders = [:], coding: NATSCoding<Answer>
  ) throws(NATSError) {
    let operation = "answering a request to “\(subject)”"
    try headers.check(while: operation)
    let bytes = try coding.bytes(of: value, while: operation)
    let size = bytes.count + headers.byteCount
    if size > answering.maxPayload {
      throw NATSError(
        kind: .tooLarge, operation: operation,
        message: "at most \(answering.maxPayload) bytes were expected, and the answer has \(size)")
    }
    answering.answer(bytes, headers)
  }

  /// Answers that the request is not fulfilled, which the sender gets as ``NATSError/Kind/rejected(code:)``.
  ///
  /// - Parameters:
  ///   - reason: Why not, for the sender to read: at most 1,000 characters in one line are sent.
  ///   - code: A number by which the sender can react. The module itself uses 400 for a request that is no value of the type,
  ///     429 where too many wait, 500 where a closure has thrown, and 503 for what is released without an answer.
  public func refuse(_ reason: String, code: Int = 500) {
    answering.refuse(Refusal(code: code, reason))
  }
}

/// The answer to a request, which is sent once. The last reference refuses what has no answer.
final class RequestAnswering: Sendable {
  private let connection: NATSConnection
  private let reply: String?
  private let isAnswered = Atomic(false)

  init(_ connection: NATSConnection, to reply: String?) {
    self.connection = connection
    self.reply = reply
  }

  var maxPayload: Int { connection.maxPayload }

  func answer(_ bytes: Data, _ headers: NATSHeaders) {
    guard let reply, !isAnswered.exchange(true, ordering: .relaxed) else { return }
    connection.outbox.post { handle in
      // What the server takes may have become less since the answer was made.
      if handle.publish(bytes, to: reply, headers: headers) == NATS_MAX_PAYLOAD {
        handle.publish(Data(), to: reply, headers: Refusal(code: Refusal.failed, "the answer is too large").headers)
      }
    }
  }

  func refuse(_ refusal: Refusal) {
    answer(Data(), refusal.headers)
  }

  deinit {
    refuse(Refusal(code: Refusal.notAnswered, "the request has been released without an answer"))
  }
}
