import InterflowNATS

/// Asks the servers which of them leads a stream.
enum StreamLeader {
  private struct Question: Codable {}

  private struct Answer: Codable {
    struct Cluster: Codable { let leader: String? }
    struct Failure: Codable { let code: Int }
    let cluster: Cluster?
    let error: Failure?
  }

  /// So often the servers are asked: they have no leader while they choose one, which takes seconds.
  private static let maxQuestions = 20

  /// - Returns: The server's name; `nil` where the servers do not say one, as one server alone does not.
  static func name(ofStream stream: String, _ connection: NATSConnection) async -> String? {
    for _ in 0..<maxQuestions {
      do {
        let question = try NATSSubject<Question>(connection, "$JS.API.STREAM.INFO.\(stream)")
        let answer: Answer = try await question.request(Question(), timeout: .seconds(1))
        if let leader = answer.cluster?.leader, !leader.isEmpty { return leader }
        if answer.cluster == nil, answer.error == nil { return nil }
      } catch {
        // Asked again below.
      }
      do { try await Task.sleep(for: .milliseconds(250)) } catch { return nil }
    }
    return nil
  }
}
