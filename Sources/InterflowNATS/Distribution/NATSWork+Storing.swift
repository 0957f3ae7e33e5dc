import Foundation

extension NATSWork {
  /// How long a value is sent again that the servers refuse, such as while a cluster has no leader.
  private static var patience: Duration { .seconds(60) }

  /// Sends a value until a server has stored it. It is stored once, as it has an identifier.
  ///
  /// - Parameter isUnwanted: Whether it is not to be sent again.
  /// - Returns: Its number in the stream; `nil` where it is not wanted any more, and may have been stored or not.
  @discardableResult
  func store(
    _ bytes: Data, in stream: NATSStream<Data>, id: String, subject: String, unless isUnwanted: () -> Bool = { false }
  ) async throws -> UInt64? {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      do {
        return try await stream.send(bytes, id: id, to: subject).sequence
      } catch let error as NATSError where error.isTransient(before: deadline) {
        if isUnwanted() { return nil }
        try await Task.sleep(for: .milliseconds(250))
      }
    }
  }
}

extension NATSError {
  fileprivate func isTransient(before deadline: ContinuousClock.Instant) -> Bool {
    switch kind {
    // The connection is interrupted, perhaps for long.
    case .timeout, .disconnected, .interrupted: true
    case .full, .unavailable: ContinuousClock.now < deadline
    default: false
    }
  }
}
