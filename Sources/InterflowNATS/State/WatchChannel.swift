import CNATS

/// What one consumer of a bucket sends.
final class WatchChannel: Sendable {
  enum Message: Sendable {
    case entry(BucketEntry, sequence: UInt64, pending: UInt64)
    /// How many messages the server has sent.
    case heartbeat(last: UInt64)
  }

  struct Opened: Sendable {
    let subscription: MessageSubscription
    let pending: UInt64
    let delivered: UInt64
  }

  private let bucket: Bucket
  private let receive: @Sendable (Message) -> Void

  /// - Parameter receive: Called on threads of the library, one after the other.
  init(_ bucket: Bucket, receive: @escaping @Sendable (Message) -> Void) {
    self.bucket = bucket
    self.receive = receive
  }

  /// Subscribes, and creates the consumer. Blocks.
  ///
  /// - Parameter found: Called with the date of the bucket's creation, before anything is received.
  func open(_ keys: String, found: (Int64) -> Void) throws(NATSError) -> Opened {
    let operation = "watching “\(keys)” of the bucket “\(bucket.name)”"
    let created = try bucket.created().get()
    found(created)
    let inbox = try bucket.connection.newInbox(while: operation)
    let subscription = try MessageSubscription(bucket.connection.handle, inbox, while: operation) { self.arrived($0) }
    do throws(NATSError) {
      let (pending, delivered) = try bucket.push(keys, to: inbox).get()
      // The consumer may be that of another bucket.
      if try bucket.created().get() != created { throw .replaced(while: operation) }
      return Opened(subscription: subscription, pending: pending, delivered: delivered)
    } catch {
      subscription.end()
      throw error
    }
  }

  private func arrived(_ pointer: OpaquePointer) {
    defer { natsMsg_Destroy(pointer) }
    if natsMsg_GetReply(pointer) == nil {
      var last: UnsafePointer<CChar>?
      guard natsMsgHeader_Get(pointer, "Nats-Last-Consumer", &last) == NATS_OK, let last else { return }
      return receive(.heartbeat(last: UInt64(String(cString: last)) ?? 0))
    }
    var metadata: UnsafeMutablePointer<jsMsgMetaData>?
    guard natsMsg_GetMetaData(&metadata, pointer) == NATS_OK, let metadata else { return }
    defer { jsMsgMetaData_Destroy(metadata) }
    let (sequence, pending) = (metadata.pointee.Sequence, metadata.pointee.NumPending)
    let entry = BucketEntry(
      key: bucket.key(ofSubject: String(cString: natsMsg_GetSubject(pointer))), revision: sequence.Stream,
      bytes: Bucket.bytes(of: pointer))
    receive(.entry(entry, sequence: sequence.Consumer, pending: pending))
  }
}

extension NATSError {
  fileprivate static func replaced(while operation: String) -> NATSError {
    NATSError(
      kind: .unavailable, operation: operation, message: "the bucket was deleted and created again at the same time")
  }
}
