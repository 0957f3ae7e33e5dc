import Foundation

/// Results that the servers have stored and, after a failure, may take for delivered.
extension NATSWork {
  /// How many results are taken at once: each takes two round trips.
  private static var maxTakenCount: Int { 1_000 }

  /// Passes on results of a run that the servers hold, which are those that have not been acknowledged, and removes them.
  ///
  /// - Parameters:
  ///   - shard: Where the results are.
  ///   - last: The number of the last result to take: others may come for as long as this takes.
  ///   - receive: Takes a result. Returns whether to go on.
  /// - Returns: Whether those were all.
  @discardableResult
  func takeStoredResults(
    ofRun run: String, in shard: WorkShard, upTo last: UInt64, _ receive: (StoredMessage) -> Bool
  ) async throws(NATSError) -> Bool {
    let operation = "looking for results of “\(name)”"
    let subject = shard.subject(ofResultsOf: run)
    var sequence: UInt64 = 1
    for _ in 0..<Self.maxTakenCount where sequence <= last {
      let message = try await connection.storedMessage(
        .next(subject: subject, from: sequence), ofStream: shard.results.name, while: operation)
      guard let message, (sequence...last).contains(message.sequence) else { return true }
      guard receive(message) else { return false }
      try await remove(message.sequence, from: shard.results, while: operation)
      if message.sequence == .max { return true }
      sequence = message.sequence + 1
    }
    return sequence > last
  }

  /// A job that is still stored at a number; `nil` where it is not. Where a server has forgotten the numbers, another job may
  /// have it.
  func storedJob(_ id: JobID, at sequence: UInt64) async throws(NATSError) -> StoredMessage? {
    let message = try await connection.storedMessage(
      .number(sequence), ofStream: shard(of: id).jobs.name, while: "looking for a job of “\(name)”")
    return message?.headers["Nats-Msg-Id"] == id.text ? message : nil
  }

  /// Removes a message, if it is still there.
  func remove(
    _ sequence: UInt64, from stream: NATSStream<Data>, while operation: String
  ) async throws(NATSError) {
    do throws(NATSError) {
      _ = try await connection.jetStream(
        JetStreamRemoval.self, "STREAM.MSG.DELETE.\(stream.name)",
        JetStreamAnswer.bytes(of: Removal(seq: sequence)),
        while: operation)
    } catch {
      // A consumer may have acknowledged it meanwhile, which a server may answer with any error of JetStream's.
      if error.jetStreamCode == 0 { throw error }
    }
  }
}

private struct Removal: Encodable {
  let seq: UInt64
  let no_erase = true
}
