import CNATS
import Foundation
@testable import InterflowNATS

/// What the server says about a durable.
struct ConsumerState: Equatable {
  var unacknowledged: Int
  var undelivered: Int
  var redelivered: Int
}

extension Fixture {
  /// Asks the server. Blocks the thread.
  func state(of durable: String) throws -> ConsumerState {
    try information(of: durable) {
      ConsumerState(
        unacknowledged: Int($0.NumAckPending), undelivered: Int($0.NumPending), redelivered: Int($0.NumRedelivered))
    }
  }

  /// How many requests for messages wait at the server.
  func requestCount(of durable: String) throws -> Int { try information(of: durable) { Int($0.NumWaiting) } }

  func acknowledgementWait(of durable: String) throws -> Duration? {
    try information(of: durable) { $0.Config.map { .nanoseconds($0.pointee.AckWait) } }
  }

  func description(of durable: String) throws -> String? {
    try information(of: durable) { $0.Config?.pointee.Description.map { String(cString: $0) } }
  }

  /// Changes what a program that uses the durable does not set.
  func describe(_ durable: String, as description: String, _ settings: NATSConsumerSettings) throws {
    let context = connection.context
    let status = settings.withConfiguration(durable: durable) { configuration in
      description.withCString {
        configuration.Description = $0
        return js_UpdateConsumer(nil, context.pointer, stream.name, &configuration, nil, nil)
      }
    }
    try NATSError.check(status, while: "describing a durable")
  }

  private func information<Success>(of durable: String, _ body: (jsConsumerInfo) -> Success) throws -> Success {
    let context = connection.context
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    var code = jsErrCode(0)
    let status = js_GetConsumerInfo(&information, context.pointer, stream.name, durable, nil, &code)
    guard status == NATS_OK, let information else {
      throw NATSError(status, jetStream: code, while: "asking for a durable")
    }
    defer { jsConsumerInfo_Destroy(information) }
    return body(information.pointee)
  }

  func delete(_ durable: String) throws {
    let context = connection.context
    try NATSError.check(
      js_DeleteConsumer(context.pointer, stream.name, durable, nil, nil), while: "deleting a durable")
  }
}

extension NATSStream {
  /// The name of the server that leads the stream. Servers answer while they choose it, too.
  func leader() async throws -> String {
    while true {
      if let leader = try await currentLeader() { return leader }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func currentLeader() async throws -> String? {
    let context = connection.context
    let name = name
    return try await connection.queue.run {
      var information: UnsafeMutablePointer<jsStreamInfo>?
      let status = js_GetStreamInfo(&information, context.pointer, name, nil, nil)
      guard status == NATS_OK, let information else {
        return .failure(NATSError(status, while: "asking for the leader"))
      }
      defer { jsStreamInfo_Destroy(information) }
      return .success(information.pointee.Cluster?.pointee.Leader.map { String(cString: $0) })
    }
  }

  /// The names of the stream's consumers. Blocks the thread.
  func consumerNames() throws -> [String] {
    var names: UnsafeMutablePointer<jsConsumerNamesList>?
    try NATSError.check(js_ConsumerNames(&names, connection.context.pointer, name, nil, nil), while: "a test")
    defer { jsConsumerNamesList_Destroy(names) }
    guard let list = names?.pointee else { return [] }
    return (0..<Int(list.Count)).compactMap { list.List?[$0].map { String(cString: $0) } }
  }
}
