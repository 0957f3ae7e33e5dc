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
    let context = connection.context
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    var code = jsErrCode(0)
    let status = js_GetConsumerInfo(&information, context.pointer, stream.name, durable, nil, &code)
    guard status == NATS_OK, let information else {
      throw NATSError(status, jetStream: code, while: "asking for a durable")
    }
    defer { jsConsumerInfo_Destroy(information) }
    return ConsumerState(
      unacknowledged: Int(information.pointee.NumAckPending), undelivered: Int(information.pointee.NumPending),
      redelivered: Int(information.pointee.NumRedelivered))
  }

  func delete(_ durable: String) throws {
    let context = connection.context
    try NATSError.check(
      js_DeleteConsumer(context.pointer, stream.name, durable, nil, nil), while: "deleting a durable")
  }
}

extension NATSStream {
  /// The name of the server that leads the stream.
  func leader() async throws -> String? {
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
}
