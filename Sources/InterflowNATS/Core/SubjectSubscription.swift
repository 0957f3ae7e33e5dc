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
struct SubjectBytes: Sendable, DeliverableMessage {
  let subject: String
  let reply: String?
  let bytes: Data
  let headers: NATSHeaders

  let size: Int

  /// Where an answer is sent; `nil` for nowhere. Whoever sends a request could make a program delete a stream with an answer
  /// to a subject of the servers, and lose its connection for good with one to a subject that is too long.
  let answerSubject: String?

  init(subject: String, reply: String?, bytes: Data, headers: NATSHeaders, jetStreamPrefix: String) {
    self.subject = subject
    self.reply = reply
    self.bytes = bytes
    self.headers = headers
    size = Self.size(subject: subject, headers: headers, byteCount: bytes.count)
    answerSubject = reply.flatMap { reply in
      let isOfServers = reply.hasPrefix("$") || reply.hasPrefix(jetStreamPrefix + ".")
      return isOfServers || reply.utf8.count > SubjectName.maxLength ? nil : reply
    }
  }

  /// How many bytes a message has, approximately, with its subject and its headers.
  static func size(subject: String, headers: NATSHeaders, byteCount: Int) -> Int {
    byteCount + headers.reduce(subject.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }
}

/// One subscriber of a subject.
final class SubjectSubscription: DeliveringSubscription<SubjectBytes>, @unchecked Sendable {
  struct Settings {
    let subject: String
    let group: String?
    let capacity: Int
    let byteCapacity: Int
    let undecodable: NATSUndecodable
    /// Whether requests that are not delivered are answered with an error.
    let answersAll: Bool
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
    // Requests that have reached this program reach no other one: they arrive, and are refused.
    let drains = settings.answersAll
    connection.outbox.post { _ in drains ? subscription.drain() : subscription.end() }
  }

  /// Called on a thread of the library.
  private func arrived(_ pointer: OpaquePointer) {
    defer { natsMsg_Destroy(pointer) }
    let subject = String(cString: natsMsg_GetSubject(pointer))
    let headers = NATSHeaders(messageOfLibrary: pointer)
    let isFull = isFull(
      size: SubjectBytes.size(
        subject: subject, headers: headers, byteCount: Int(natsMsg_GetDataLength(pointer))))
    let message = SubjectBytes(
      subject: subject, reply: natsMsg_GetReply(pointer).map { String(cString: $0) },
      // The bytes of one that is refused are not copied.
      bytes: isFull ? Data() : Data(messageOfLibrary: pointer), headers: headers,
      jetStreamPrefix: connection.jetStreamPrefix)
    if isFull {
      losses.dropped.add(1, ordering: .relaxed)
      refuse(message, Refusal.busy, "too many requests wait")
    } else if !accept(message) {
      didFinish(message, .dropped)
    }
  }

  /// Whether there is no room for a message. No other one arrives meanwhile, so that there is still room afterwards.
  private func isFull(size: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard isAccepting, bufferedCount > 0 else { return false }
    return bufferedCount >= settings.capacity || bufferedBytes + size > settings.byteCapacity
  }

  override func didFinish(_ message: SubjectBytes, _ outcome: Outcome) {
    switch outcome {
    case .received, .cancelled: break
    case .dropped: refuse(message, Refusal.notAnswered, "the program has stopped answering")
    }
  }

  private func refuse(_ message: SubjectBytes, _ code: Int, _ reason: String) {
    if !settings.answersAll { return }
    RequestAnswering(connection, to: message.answerSubject).refuse(Refusal(code: code, reason))
  }

  override func continues(after message: SubjectBytes, _ error: NATSError) -> Bool {
    refuse(message, Refusal.undecodable, error.message)
    switch settings.undecodable {
    // Anybody could end a program that answers.
    case .fail: return settings.answersAll
    case .skip: break
    case .deadLetter(let subject):
      connection.outbox.post { [losses] in
        if $0.publish(message.bytes, to: subject) != NATS_OK { losses.unsent.add(1, ordering: .relaxed) }
      }
    }
    return true
  }
}

extension SubjectSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  var description: String { "NATSSubject" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
