extension NATSStream {
  /// Sends a value, and returns when a server has stored it.
  ///
  /// Values that one task sends one after the other are stored in that order. To send faster, send from several tasks
  /// or subscribe with ``Combine/Publisher/subscribe(_:inFlight:id:headers:receiveCompletion:)``: the values in flight share
  /// packets.
  ///
  /// After ``NATSError/Kind/timeout`` and ``NATSError/Kind/closed`` the value may have been stored or not: send it again
  /// with the same `id`, and it is stored once.
  ///
  /// - Cancellation: Cancelling the task ends the wait with a `CancellationError`. The value may be stored nonetheless.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - id: An identifier of the value, without control characters and without blanks at its ends. Another value with it
  ///     is not stored within the stream's duplicate window.
  ///   - headers: What the message has beside the value; see ``NATSMessage/headers``.
  ///   - expected: What the stream has to hold last, so that the value is stored; `nil` for anything. With an `id`, a value
  ///     that is there already is looked for by it, which takes the permission to ask JetStream for messages of the stream.
  ///   - subject: One of the stream's subjects; ``subject`` if it is `nil`.
  /// - Returns: The value's number in the stream.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/full``, ``NATSError/Kind/tooLarge``, ``NATSError/Kind/timeout``,
  ///   ``NATSError/Kind/wrongSequence(found:)``, ``NATSError/Kind/notEncodable`` or ``NATSError/Kind/misuse``, among others;
  ///   or a `CancellationError`.
  @discardableResult
  public func send(
    _ value: Output, id: String? = nil, headers: NATSHeaders = [:], expecting expected: NATSExpectedSequence? = nil,
    to subject: String? = nil
  ) async throws -> NATSReceipt {
    try await send(value, id: id, headers: headers, expecting: expected, to: subject, within: nil)
  }

  /// Sends a value, with a time limit besides the connection's; `nil` for none.
  func send(
    _ value: Output, id: String?, headers: NATSHeaders, expecting expected: NATSExpectedSequence?, to subject: String?,
    within limit: Duration?
  ) async throws -> NATSReceipt {
    let operation = "sending to the stream “\(name)”"
    let begin = ContinuousClock.now
    let bytes = try coding.bytes(of: value, while: operation)
    let subject = subject ?? self.subject
    try SubjectName.check(subject, wildcards: false, while: operation)
    if let id { try ValueIdentifier.check(id, while: operation) }
    try headers.check(while: operation)
    guard let expected else {
      return try await connection.sender.store(bytes, to: subject, id: id, headers: headers, within: limit)
    }
    // The time for the check is part of the call's.
    func rest() -> Duration {
      max(.zero, min(limit ?? connection.requestTimeout, connection.requestTimeout) - begin.duration(to: .now))
    }
    if expected.isOfSubject {
      do {
        try await connection.checkExpectations(replicas: replicas, of: "stream", within: rest(), while: operation)
      } catch {
        throw error.kind == .cancelled ? CancellationError() : error
      }
    }
    var all = headers
    all[expected.header] = "\(expected.sequence)"
    do {
      return try await connection.sender.store(bytes, to: subject, id: id, headers: all, within: rest())
    } catch let error as NATSError {
      let error = error.ofExpectedSequence
      guard let id, case .wrongSequence = error.kind else { throw error }
      let stored = try await receipt(of: id, storedAfter: expected.sequence, to: subject, within: rest())
      guard let stored else { throw error }
      return stored
    }
  }

  /// The receipt of a value that an attempt before has stored; `nil` where it has not.
  ///
  /// Servers of version 2.9 look for the identifier first, and current ones for the expected sequence, where a second attempt
  /// finds what the first one has stored. That is the first value behind the expected one then.
  private func receipt(
    of id: String, storedAfter sequence: UInt64, to subject: String, within limit: Duration
  ) async throws -> NATSReceipt? {
    do throws(NATSError) {
      let next = try await connection.storedMessage(
        .next(subject: subject, from: sequence &+ 1), ofStream: name, within: limit,
        while: "sending to the stream “\(name)”")
      guard let next, next.headers["Nats-Msg-Id"] == id else { return nil }
      return NATSReceipt(sequence: next.sequence, isDuplicate: true)
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      throw error
    }
  }
}
