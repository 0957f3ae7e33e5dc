import CNATS
import Combine
import Foundation
import InterflowPrimitives
import Synchronization

/// What a subject has lost.
final class SubjectLosses: Sendable {
  let dropped = Atomic(0)
  let unsent = Atomic(0)
}

/// A message as it has arrived.
struct SubjectBytes: Sendable {
  let subject: String
  let reply: String?
  let bytes: Data
}

/// One subscriber of a subject.
final class SubjectSubscription: DeliveringSubscription<SubjectBytes>, @unchecked Sendable {
  struct Settings {
    let subject: String
    let group: String?
    let capacity: Int
    let undecodable: NATSUndecodable
  }

  private let settings: Settings
  private let losses: SubjectLosses

  init(_ connection: NATSConnection, _ settings: Settings, _ losses: SubjectLosses, _ receiver: Receiver) {
    self.settings = settings
    self.losses = losses
    super.init(connection, receiver, while: "receiving “\(settings.subject)”")
  }

  /// Subscribes before all that the connection sends from now on.
  override func begin() {
    connection.outbox.post { handle in
      do throws(NATSError) {
        self.opened(
          try MessageSubscription(
            handle, self.settings.subject, group: self.settings.group, while: self.operation
          ) { self.arrived($0) })
      } catch {
        self.end(error)
      }
    }
  }

  override func close(_ subscription: MessageSubscription) {
    connection.outbox.post { _ in subscription.end() }
  }

  /// Called on a thread of the library.
  private func arrived(_ pointer: OpaquePointer) {
    defer { natsMsg_Destroy(pointer) }
    let message = SubjectBytes(
      subject: String(cString: natsMsg_GetSubject(pointer)),
      reply: natsMsg_GetReply(pointer).map { String(cString: $0) }, bytes: Data(messageOfLibrary: pointer))
    lock.lock()
    let isFull = delivery.isAccepting && delivery.buffer.count >= settings.capacity
    if !isFull { delivery.append(message) }
    lock.unlock()
    if isFull { losses.dropped.add(1, ordering: .relaxed) } else { wake() }
  }

  override func undecodable(_ message: SubjectBytes, _ error: NATSError) -> Undecodable {
    switch settings.undecodable {
    case .fail: return .fails
    case .skip: break
    case .deadLetter(let subject):
      connection.outbox.post { [losses] in
        if $0.publish(message.bytes, to: subject) != NATS_OK { losses.unsent.add(1, ordering: .relaxed) }
      }
    }
    return .leftOut
  }
}

extension SubjectSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  var description: String { "NATSSubject" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
