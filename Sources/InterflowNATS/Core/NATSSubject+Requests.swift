import CNATS

extension NATSSubject {
  /// Sends a value to which another program answers, and waits for the answer.
  ///
  /// ```swift
  /// let names = try NATSSubject<String>(connection, "names")
  /// let size: Int = try await names.request("apple", timeout: .seconds(10))
  /// ```
  ///
  /// Of several programs that answer, the first answer counts. With a ``queue``, one of them receives the request. A request
  /// is sent once, and neither stored nor repeated: an answer that an interruption of the connection keeps away is a
  /// ``NATSError/Kind/timeout``.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``. The request may be answered
  ///   nonetheless.
  ///
  /// - Parameters:
  ///   - value: The request.
  ///   - type: The type of the answer, in JSON.
  ///   - timeout: How long to wait for the answer, from now on; ``NATSOptions/requestTimeout`` if it is `nil`.
  ///   - headers: What the message has beside the value.
  ///   - subject: A subject without wildcards; ``subject`` if it is `nil`.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/noResponder`` at once where nobody has subscribed to the subject,
  ///   ``NATSError/Kind/timeout``, ``NATSError/Kind/rejected(code:)`` where the program that has the request answers with an
  ///   error, ``NATSError/Kind/undecodable``, ``NATSError/Kind/tooLarge``, or ``NATSError/Kind/closed``, among others.
  public func request<Answer: Codable & Sendable>(
    _ value: Output, for type: Answer.Type = Answer.self, timeout: Duration? = nil, headers: NATSHeaders = [:],
    to subject: String? = nil
  ) async throws(NATSError) -> Answer {
    try await requestMessage(value, answer: .json, timeout: timeout, headers: headers, to: subject).value
  }

  /// Sends a value to which another program answers, and waits for the answer with its headers; otherwise like
  /// ``request(_:for:timeout:headers:to:)``.
  ///
  /// ```swift
  /// let answer = try await names.requestMessage("apple", answer: NATSCoding<Int>.json)
  /// print(answer.value, answer.headers["Unit"] ?? "")
  /// ```
  ///
  /// - Parameters:
  ///   - value: The request.
  ///   - coding: How bytes become the answer.
  ///   - timeout: How long to wait for the answer, from now on; ``NATSOptions/requestTimeout`` if it is `nil`.
  ///   - headers: What the message has beside the value.
  ///   - subject: A subject without wildcards; ``subject`` if it is `nil`.
  /// - Throws: A ``NATSError``.
  public func requestMessage<Answer: Sendable>(
    _ value: Output, answer coding: NATSCoding<Answer>, timeout: Duration? = nil, headers: NATSHeaders = [:],
    to subject: String? = nil
  ) async throws(NATSError) -> NATSSubjectMessage<Answer> {
    let subject = subject ?? self.subject
    let operation = "requesting from “\(subject)”"
    try SubjectName.check(subject, wildcards: false, while: operation)
    try headers.check(while: operation)
    let bytes = try self.coding.bytes(of: value, while: operation)
    let answer: RequestAnswer
    do throws(NATSError) {
      answer = try await connection.requests.answer(
        to: bytes, sentTo: subject, headers: headers, within: timeout ?? connection.requestTimeout, while: operation)
    } catch {
      throw error.status == NATS_NO_RESPONDERS.rawValue ? error.with(kind: .noResponder) : error
    }
    if let refusal = Refusal(answer.headers) { throw refusal.error(while: operation) }
    return NATSSubjectMessage(
      subject: answer.subject, reply: answer.reply, headers: answer.headers,
      value: try coding.value(of: answer.bytes, while: operation))
  }
}

/// An answer that says why there is none, in the form that services of NATS's other clients have.
struct Refusal: Sendable {
  private static let text = "Nats-Service-Error"
  private static let codeName = "Nats-Service-Error-Code"
  private static let maxLength = 1_000

  static let undecodable = 400
  static let busy = 429
  static let failed = 500
  static let notAnswered = 503

  let code: Int
  let message: String

  /// - Parameter message: Any text, of which control characters are replaced, and what is too long for a header is left out.
  init(code: Int, _ message: String) {
    self.code = code
    let line = String(
      message.unicodeScalars.prefix(Self.maxLength).map {
        $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0)
      })
    let words = line.split(separator: " ").joined(separator: " ")
    self.message = words.isEmpty ? "the request was refused" : words
  }

  /// Finds the refusal in an answer; `nil` where it is none.
  init?(_ headers: NATSHeaders) {
    let (text, code) = (headers[Self.text], headers[Self.codeName])
    if text == nil, code == nil { return nil }
    self.init(code: code.flatMap { Int($0) } ?? Self.failed, text ?? "")
  }

  var headers: NATSHeaders { [Self.text: message, Self.codeName: "\(code)"] }

  func error(while operation: String) -> NATSError {
    NATSError(kind: .rejected(code: code), operation: operation, message: message)
  }
}
