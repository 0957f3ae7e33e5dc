import CNATS
import InterflowPrimitives
import Synchronization

/// A subscription of the library's, with no limit to what waits in it.
///
/// `@unchecked Sendable`: the library protects what is behind the pointer, which never changes, with its own locks.
final class MessageSubscription: @unchecked Sendable {
  /// What the library calls, on its own threads, one call at a time.
  ///
  /// `@unchecked Sendable`: `lock` guards the variables.
  private final class Handlers: @unchecked Sendable {
    private let lock = Lock()
    private var arrived: (@Sendable (OpaquePointer) -> Void)?
    private var ended: (@Sendable () -> Void)?

    init(_ arrived: @escaping @Sendable (OpaquePointer) -> Void, _ ended: @escaping @Sendable () -> Void) {
      self.arrived = arrived
      self.ended = ended
    }

    func receive(_ message: OpaquePointer) {
      lock.lock()
      let arrived = arrived
      lock.unlock()
      if let arrived { arrived(message) } else { natsMsg_Destroy(message) }
    }

    func end() {
      lock.lock()
      let handlers = (arrived, ended)
      (arrived, ended) = (nil, nil)
      lock.unlock()
      handlers.1?()
    }
  }

  /// By number: on a busy machine the library was seen to report an end when the handlers had been released by an earlier
  /// report.
  private static let registered = NumberedObjects<Handlers>()

  private let pointer: OpaquePointer
  /// The library must not release the subscription twice.
  private let hasEnded = Atomic(false)

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
    var arrived = arrived
    if let trace = connection.trace {
      arrived = { [arrived] message in
        trace.received(message)
        arrived(message)
      }
    }
    let handlers = Handlers(arrived, ended)
    let number = Self.registered.add(handlers)
    // No message follows the first report of the end, until when they are registered.
    let closure = Unmanaged.passUnretained(handlers).toOpaque()
    let callback: natsMsgHandler = { _, _, message, closure in
      Unmanaged<Handlers>.fromOpaque(closure!).takeUnretainedValue().receive(message!)
    }
    let status =
      if let group {
        natsConnection_QueueSubscribe(&created, connection.pointer, subject, group, callback, closure)
      } else {
        natsConnection_Subscribe(&created, connection.pointer, subject, callback, closure)
      }
    guard status == NATS_OK, let created else {
      Self.registered.remove(number)
      throw NATSError(status, while: operation)
    }
    let completion = natsSubscription_SetOnCompleteCB(
      created, { MessageSubscription.end(UInt(bitPattern: $0)) }, UnsafeMutableRawPointer(bitPattern: number))
    guard completion == NATS_OK else {
      // The connection has been closed, and the library may be in its last call: it keeps the handlers, without what they
      // have references to.
      handlers.end()
      natsSubscription_Destroy(created)
      throw NATSError(completion, while: operation).with(kind: .closed)
    }
    // The library's limit drops messages. Here, what waits is bounded in other ways.
    natsSubscription_SetPendingLimits(created, -1, -1)
    pointer = created
  }

  /// The library has reported the end of the subscription with these handlers.
  private static func end(_ number: UInt) {
    guard let handlers = registered[number] else { return }
    registered.remove(number)
    handlers.end()
  }

  /// Whether messages have arrived that have not been passed on.
  var hasWaiting: Bool {
    var count: Int32 = 0
    return natsSubscription_GetPending(pointer, &count, nil) == NATS_OK && count > 0
  }

  /// Ends the subscription, without what has not arrived. A second end does nothing. To be called where calls may block.
  func end() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    natsSubscription_Unsubscribe(pointer)
    natsSubscription_Destroy(pointer)
  }

  /// Ends the subscription when what the server has sent has arrived, for which the library has a thread. A second end does
  /// nothing.
  func drain() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    if natsSubscription_Drain(pointer) != NATS_OK { natsSubscription_Unsubscribe(pointer) }
    natsSubscription_Destroy(pointer)
  }
}
