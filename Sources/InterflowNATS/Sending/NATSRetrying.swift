import Foundation

/// For how long a value is sent again that no server has stored.
///
/// ```swift
/// try await orders.send(order, id: "order-\(order.number)", retrying: .untilStored)
/// ```
public struct NATSRetrying: Sendable, Hashable {
  /// When the last attempt ends, from the beginning of the first on; `nil` for no limit.
  let limit: Duration?
  /// How long servers may refuse the value, such as while a cluster has no leader, or not say that they have stored it.
  let patience: Duration

  /// Until a server has stored the value, however long the connection is interrupted.
  ///
  /// The value is sent again for a minute where a server answers that the stream is full, or that no server has it, such as
  /// while a cluster chooses a leader; and where the server of the connection answers, but nobody says that the value is
  /// stored. The error of the last attempt is thrown then.
  public static let untilStored = NATSRetrying(limit: nil, patience: .seconds(60))

  /// For so long, with all attempts. The error of the last attempt is thrown then.
  public static func within(_ duration: Duration) -> NATSRetrying {
    NATSRetrying(limit: duration, patience: duration)
  }

  static let pause = Duration.milliseconds(250)

  /// How much time is left; `nil` for no limit.
  ///
  /// - Parameter time: How long ago the first attempt began.
  func rest(after time: Duration) -> Duration? {
    limit.map { max(.zero, $0 - time) }
  }

  /// Whether a value is sent again.
  ///
  /// - Parameters:
  ///   - time: How long ago the first attempt began.
  ///   - refused: For how long servers have not stored the value, one attempt after the other, without an interruption.
  func sendsAgain(after error: NATSError, time: Duration, refused: Duration) -> Bool {
    if rest(after: time) == .zero { return false }
    return switch error.kind {
    case .disconnected, .interrupted: true
    // The last is of servers that are about to store another value, perhaps that of the attempt before.
    case .full, .unavailable, .timeout, .wrongSequence(found: nil): refused < patience
    default: false
    }
  }
}

extension NATSStream {
  /// Sends a value again and again until a server has stored it, which is once because of its identifier.
  ///
  /// ```swift
  /// try await orders.send(order, id: "order-\(order.number)", retrying: .untilStored)
  /// ```
  ///
  /// Errors that pass are waited for: no answer in time, an interrupted connection, a cluster that chooses a leader, a full
  /// stream, a server that is overloaded. Others are thrown at once. While the connection is interrupted, nothing more is
  /// sent.
  ///
  /// An attempt may have stored the value though its answer was lost; a later one is its duplicate then, and says so in its
  /// receipt. The server counts the stream's ``NATSStreamSettings/duplicateWindow`` from when the value was first stored. So
  /// it is stored once if a later attempt reaches a server within that time, and may be stored twice after a longer
  /// interruption.
  ///
  /// - Cancellation: Cancelling the task ends it at once with a `CancellationError`. The value may be stored nonetheless.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - id: An identifier of the value, without control characters and without blanks at its ends. Another value with it
  ///     is not stored within the stream's duplicate window.
  ///   - headers: What the message has beside the value; see ``NATSMessage/headers``.
  ///   - expected: What the stream has to hold last, so that the value is stored; `nil` for anything.
  ///   - retrying: For how long.
  ///   - subject: One of the stream's subjects; ``subject`` if it is `nil`.
  /// - Returns: The value's number in the stream.
  /// - Throws: A ``NATSError``, or a `CancellationError`.
  @discardableResult
  public func send(
    _ value: Output, id: String, headers: NATSHeaders = [:], expecting expected: NATSExpectedSequence? = nil,
    retrying: NATSRetrying, to subject: String? = nil
  ) async throws -> NATSReceipt {
    let receipt = try await send(
      value, id: id, headers: headers, expecting: expected, retrying: retrying, to: subject, unless: { false })
    guard let receipt else {
      preconditionFailure("a value that is always wanted was not sent")
    }
    return receipt
  }

  /// Sends a value until a server has stored it, or it is not wanted any more.
  ///
  /// - Parameter isUnwanted: Whether it is not to be sent again.
  /// - Returns: The receipt; `nil` where the value is not wanted any more, and may have been stored or not.
  func send(
    _ value: Output, id: String, headers: NATSHeaders = [:], expecting expected: NATSExpectedSequence? = nil,
    retrying: NATSRetrying, to subject: String?, unless isUnwanted: () -> Bool
  ) async throws -> NATSReceipt? {
    let begin = ContinuousClock.now
    let events = connection.events
    var headers = headers
    // The same for all attempts, of which any may be the one that is stored.
    connection.handle.trace?.identify(&headers, to: subject ?? self.subject)
    var interruptions = events.interruptions
    var refusal: ContinuousClock.Instant?
    func time() -> Duration { begin.duration(to: .now) }
    while true {
      do {
        return try await send(
          value, id: id, headers: headers, expecting: expected, to: subject, within: retrying.rest(after: time()))
      } catch let error as NATSError {
        if events.interruptions != interruptions { refusal = nil }
        interruptions = events.interruptions
        let now = ContinuousClock.now
        refusal =
          [.full, .unavailable, .timeout, .wrongSequence(found: nil)].contains(error.kind) ? refusal ?? now : nil
        let refused = refusal.map { $0.duration(to: now) } ?? .zero
        if !retrying.sendsAgain(after: error, time: time(), refused: refused) {
          // The library notices late that a server or the network has gone: that is an interruption, too.
          guard error.kind == .timeout, retrying.rest(after: time()) != .zero, try await !isServerAnswering() else {
            throw error
          }
          refusal = nil
        }
        // The library keeps what is sent during an interruption: another copy each time.
        repeat {
          if isUnwanted() { return nil }
          try await Task.sleep(for: min(NATSRetrying.pause, retrying.rest(after: time()) ?? NATSRetrying.pause))
          if retrying.rest(after: time()) == .zero { throw error }
        } while events.isInterrupted
      }
    }
  }

  /// Whether the server of the connection answers.
  private func isServerAnswering() async throws -> Bool {
    do throws(NATSError) {
      try await connection.flush()
      return true
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      return ![.timeout, .interrupted, .disconnected].contains(error.kind)
    }
  }
}
