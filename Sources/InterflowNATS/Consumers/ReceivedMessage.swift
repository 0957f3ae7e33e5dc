import CNATS
import Foundation
import InterflowPrimitives
import Synchronization

/// What a consumer says about a message to the server.
enum Settlement: Sendable {
  case ack
  case nak(after: Duration?)
  case inProgress
  case term

  var isAck: Bool { if case .ack = self { true } else { false } }

  /// JetStream's word for it.
  var text: String {
    switch self {
    case .ack: "+ACK"
    case .nak(nil): "-NAK"
    case .nak(let pause?): "-NAK {\"delay\": \(pause.nanoseconds)}"
    case .inProgress: "+WPI"
    case .term: "+TERM"
    }
  }
}

/// A message of the library's, which is destroyed with the last reference to it.
///
/// `@unchecked Sendable`: nothing changes what is behind the pointer, apart from the headers, which the library reads when
/// they are needed; `headers` guards them.
final class ReceivedMessage: DeliverableMessage, @unchecked Sendable {
  private let pointer: OpaquePointer
  private let subscription: PullSubscription
  /// Whether the message goes back when it is released without an acknowledgement.
  private let returnsWhenReleased: Bool
  private let isSettled = Atomic(false)
  private let headers = Lock()

  /// Takes the message over.
  init(_ pointer: OpaquePointer, _ subscription: PullSubscription, returnsWhenReleased: Bool) {
    self.pointer = pointer
    self.subscription = subscription
    self.returnsWhenReleased = returnsWhenReleased
  }

  deinit {
    if returnsWhenReleased, !isSettled.load(ordering: .relaxed) { settle(.nak(after: nil)) }
    natsMsg_Destroy(pointer)
  }

  func settle(_ settlement: Settlement) {
    guard let reply else { return }
    if case .inProgress = settlement {
      // It goes back all the same when it is released. What is settled is not worked on any more: the server would wait for
      // it again.
      if isSettled.load(ordering: .relaxed) { return }
    } else {
      settled()
    }
    subscription.settle(reply, settlement)
  }

  func settled() {
    isSettled.store(true, ordering: .relaxed)
  }

  var subject: String { String(cString: natsMsg_GetSubject(pointer)) }

  /// Where settlements are sent; `nil` if the message is a report of the server's.
  var reply: String? { natsMsg_GetReply(pointer).map { String(cString: $0) } }

  /// How many bytes the value has.
  var size: Int { Int(natsMsg_GetDataLength(pointer)) }

  var bytes: Data { Data(messageOfLibrary: pointer) }

  func header(_ name: String) -> String? {
    var value: UnsafePointer<CChar>?
    headers.lock()
    defer { headers.unlock() }
    guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
    return String(cString: value)
  }

  var allHeaders: NATSHeaders {
    headers.lock()
    defer { headers.unlock() }
    return NATSHeaders(messageOfLibrary: pointer)
  }

  /// Where the message is in its stream, and how often it has been delivered.
  var origin: (sequence: UInt64, deliveries: Int, date: Date) {
    var metadata: UnsafeMutablePointer<jsMsgMetaData>?
    guard natsMsg_GetMetaData(&metadata, pointer) == NATS_OK, let metadata else { return (0, 1, .distantPast) }
    defer { jsMsgMetaData_Destroy(metadata) }
    let seconds = Double(metadata.pointee.Timestamp) / 1_000_000_000
    return (
      metadata.pointee.Sequence.Stream, Int(clamping: metadata.pointee.NumDelivered),
      Date(timeIntervalSince1970: seconds)
    )
  }
}
