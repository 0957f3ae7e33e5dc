/// What servers know about the subjects of streams.
extension NATSConnection {
  /// Whether a stream has a subject: also where there is nobody to ask at this moment.
  func mayHaveStream(with subject: String) async -> Bool {
    do throws(NATSError) {
      let answer = try await jetStream(
        StreamNames.self, "STREAM.NAMES", JetStreamAnswer.bytes(of: SubjectQuery(subject: subject)),
        while: "looking for the stream of “\(subject)”")
      return answer.streams?.isEmpty == false
    } catch {
      return error.isTransient || error.kind == .unavailable
    }
  }

  /// Removes what a stream holds of a subject.
  ///
  /// - Returns: Why it could not; `nil` where it has been removed.
  func removeMessages(of subject: String, from stream: String) async -> NATSError? {
    let operation = "removing “\(subject)” from the stream “\(stream)”"
    do throws(NATSError) {
      let answer = try await jetStream(
        JetStreamRemoval.self, "STREAM.PURGE.\(stream)", JetStreamAnswer.bytes(of: SubjectFilter(filter: subject)),
        while: operation)
      return answer.success ? nil : NATSError(kind: .other, operation: operation, message: "JetStream has refused it")
    } catch {
      return error
    }
  }
}

private struct SubjectQuery: Encodable {
  let subject: String
}

/// The server leaves the list out, or says that it is null, where there is none.
private struct StreamNames: Decodable {
  let streams: [String]?
}

private struct SubjectFilter: Encodable {
  let filter: String
}
