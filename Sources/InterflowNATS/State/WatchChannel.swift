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
  func open(_ keys: String) -> Result<Opened, NATSError> {
    let operation = "watching “\(keys)” of the bucket “\(bucket.name)”"
    let (inbox, subscription): (String, MessageSubscription)
    do throws(NATSError) {
      inbox = try bucket.connection.newInbox(while: operation)
      subscription = try MessageSubscription(bucket.connection.handle, inbox, while: operation) { self.arrived($0) }
    } catch {
      return .failure(error)
    }
    switch bucket.push(keys, to: inbox) {
    case .success(let (pending, delivered)):
      return .success(Opened(subscription: subscription, pending: pending, delivered: delivered))
    case .failure(let error):
      subscription.end()
      return .failure(error)
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
