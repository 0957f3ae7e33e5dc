import CNATS
import Foundation

/// Results that the servers have stored and, after a failure, may take for delivered.
extension NATSWork {
  /// Passes on the results of a run that the servers hold, which are those that have not been acknowledged.
  ///
  /// - Parameter receive: Takes a result. Returns whether to go on.
  func forEachStoredResult(ofRun run: String, _ receive: (StoredMessage) -> Bool) async throws(NATSError) {
    let subject = subject(ofResultsOf: run)
    var sequence: UInt64 = 1
    while let message = try await connection.storedMessage(
      .next(subject: subject, from: sequence), ofStream: results.name, while: "looking for results of “\(name)”")
    {
      guard message.sequence >= sequence, message.sequence < .max, receive(message) else { return }
      sequence = message.sequence + 1
    }
  }

  /// Removes what the servers hold of the results of a run. Its answer makes no difference to a program.
  func removeStoredResults(ofRun run: String) {
    connection.background.start { [self] in
      var options = jsOptions()
      jsOptions_Init(&options)
      subject(ofResultsOf: run).withCString { subject in
        options.Stream.Purge.Subject = subject
        _ = js_PurgeStream(connection.context.pointer, results.name, &options, nil)
      }
    }
  }
}
