import Foundation

/// For how long a value is sent again that no server has stored.
///
/// ```swift
/// try await orders.send(order, id: "order-\(order.number)", retrying: .untilStored)
/// ```
public struct NATSRetrying: Sendable, Hashable {
  /// When the last attempt may begin, from the first on; `nil` for no limit.
  let limit: Duration?
  /// How long servers may refuse the value, such as while a cluster has no leader.
  let patience: Duration

  /// Until a server has stored the value, however long the connection is interrupted. Where a server answers that the stream
  /// is full, or that no server has it, such as while a cluster chooses a leader, the value is sent again for a minute.
  public static let untilStored = NATSRetrying(limit: nil, patience: .seconds(60))

  /// For so long. The error of the last attempt is thrown then, which may end ``NATSOptions/requestTimeout`` later.
  public static func within(_ duration: Duration) -> NATSRetrying {
    NATSRetrying(limit: duration, patience: duration)
  }

  static let pause = Duration.milliseconds(250)

  /// Whether a value is sent again.
  ///
  /// - Parameters:
  ///   - time: How long ago the first attempt began.
  ///   - refused: For how long servers have refused the value, one attempt after the other.
  func sendsAgain(after error: NATSError, time: Duration, refused: Duration) -> Bool {
    if let limit, time >= limit { return false }
    return switch error.kind {
    case .timeout, .disconnected, .interrupted: true
    case .full, .unavailable: refused < patience
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
  /// stream. Others are thrown at once. An attempt may have stored the value though its answer was lost; a later one
  /// is its duplicate then, and says so in its receipt. So the value is stored once if no more than the stream's
  /// ``NATSStreamSettings/duplicateWindow`` passes between two attempts, as it may while the connection is interrupted for
  /// long.
  ///
  /// - Cancellation: Cancelling the task ends it at once with a `CancellationError`. The value may be stored nonetheless.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - id: An identifier of the value, without control characters and without blanks at its ends. Another value with it
  ///     is not stored within the stream's duplicate window.
  ///   - retrying: For how long.
  ///   - subject: One of the stream's subjects; ``subject`` if it is `nil`.
  /// - Returns: The value's number in the stream.
  /// - Throws: A ``NATSError``, or a `CancellationError`.
  @discardableResult
  public func send(
    _ value: Output, id: String, retrying: NATSRetrying, to subject: String? = nil
  ) async throws -> NATSReceipt {
    guard let receipt = try await send(value, id: id, retrying: retrying, to: subject, unless: { false }) else {
      preconditionFailure("a value that is always wanted was not sent")
    }
    return receipt
  }

  /// Sends a value until a server has stored it, or it is not wanted any more.
  ///
  /// - Parameter isUnwanted: Whether it is not to be sent again.
  /// - Returns: The receipt; `nil` where the value is not wanted any more, and may have been stored or not.
  func send(
    _ value: Output, id: String, retrying: NATSRetrying, to subject: String?, unless isUnwanted: () -> Bool
  ) async throws -> NATSReceipt? {
    let begin = ContinuousClock.now
    var refusal: ContinuousClock.Instant?
    while true {
      do {
        return try await send(value, id: id, to: subject)
      } catch let error as NATSError {
        let now = ContinuousClock.now
        refusal = [.full, .unavailable].contains(error.kind) ? refusal ?? now : nil
        let refused = refusal.map { $0.duration(to: now) } ?? .zero
        if !retrying.sendsAgain(after: error, time: begin.duration(to: now), refused: refused) { throw error }
        if isUnwanted() { return nil }
        try await Task.sleep(for: NATSRetrying.pause)
      }
    }
  }
}
