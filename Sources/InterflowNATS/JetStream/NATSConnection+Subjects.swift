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
  /// - Returns: Whether it has been removed, or never can be: the same call may not succeed later.
  func removeMessages(of subject: String, from stream: String) async -> Bool {
    do throws(NATSError) {
      _ = try await jetStream(
        RemovalAnswer.self, "STREAM.PURGE.\(stream)", JetStreamAnswer.bytes(of: SubjectFilter(filter: subject)),
        while: "removing “\(subject)” from the stream “\(stream)”")
      return true
    } catch {
      return !error.isTransient && error.kind != .unavailable
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

private struct RemovalAnswer: Decodable {
  let success: Bool
}
