import CNATS

/// A subscription of the library's, with no limit to what waits in it.
///
/// `@unchecked Sendable`: the library protects what is behind the pointer, which never changes, with its own locks.
struct MessageSubscription: @unchecked Sendable {
  /// What the library calls, on its own threads, one call at a time. It retains them until the end.
  private final class Handlers: Sendable {
    let arrived: @Sendable (OpaquePointer) -> Void
    let ended: @Sendable () -> Void

    init(_ arrived: @escaping @Sendable (OpaquePointer) -> Void, _ ended: @escaping @Sendable () -> Void) {
      self.arrived = arrived
      self.ended = ended
    }
  }

  private let pointer: OpaquePointer

  /// Subscribes. What the connection sends from now on reaches the server later.
  ///
  /// - Parameters:
  ///   - group: Subscriptions of one group share the messages; `nil` for none.
  ///   - arrived: Takes a message over, and has to destroy it.
  ///   - ended: No message arrives any more.
  init(
    _ connection: ConnectionHandle, _ subject: String, group: String? = nil, while operation: String,
    arrived: @escaping @Sendable (OpaquePointer) -> Void, ended: @escaping @Sendable () -> Void = {}
  ) throws(NATSError) {
    var created: OpaquePointer?
    let handlers = Unmanaged.passRetained(Handlers(arrived, ended))
    let callback: natsMsgHandler = { _, _, message, closure in
      Unmanaged<Handlers>.fromOpaque(closure!).takeUnretainedValue().arrived(message!)
    }
    let status =
      if let group {
        natsConnection_QueueSubscribe(&created, connection.pointer, subject, group, callback, handlers.toOpaque())
      } else {
        natsConnection_Subscribe(&created, connection.pointer, subject, callback, handlers.toOpaque())
      }
    guard status == NATS_OK, let created else {
      handlers.release()
      throw NATSError(status, while: operation)
    }
    natsSubscription_SetOnCompleteCB(
      created, { Unmanaged<Handlers>.fromOpaque($0!).takeRetainedValue().ended() }, handlers.toOpaque())
    // The library's limit is for those that fall behind; who receives here bounds what waits in other ways.
    natsSubscription_SetPendingLimits(created, -1, -1)
    pointer = created
  }

  /// Ends the subscription, without what has not arrived. To be called once, where calls may block.
  func end() {
    natsSubscription_Unsubscribe(pointer)
    natsSubscription_Destroy(pointer)
  }

  /// Ends the subscription when what the server has sent has arrived. To be called once.
  func drain() {
    if natsSubscription_Drain(pointer) != NATS_OK { natsSubscription_Unsubscribe(pointer) }
    natsSubscription_Destroy(pointer)
  }
}
