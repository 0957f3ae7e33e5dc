import CNATS
import Combine
import Dispatch
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

/// One subscriber of a subject, to which a queue of its own delivers.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class SubjectSubscription: Subscription, @unchecked Sendable {
  /// The subscriber, without its type.
  struct Receiver {
    /// Throws where the message is no value of the subject's type.
    let receive: (SubjectBytes) throws(NATSError) -> Subscribers.Demand
    let complete: (Subscribers.Completion<NATSError>) -> Void
  }

  struct Settings {
    let subject: String
    let group: String?
    let capacity: Int
    let undecodable: NATSUndecodable
  }

  private let connection: NATSConnection
  private let settings: Settings
  private let losses: SubjectLosses
  private let queue = DispatchQueue(label: "InterflowNATS.subject")

  private let lock = Lock()
  private var receiver: Receiver?
  private var delivery = DeliveryState<SubjectBytes, Subscribers.Completion<NATSError>>(.awaitingSubscription)
  /// Whether the queue delivers, or is about to.
  private var isAwake = false
  private var subscription: MessageSubscription?
  private var status: AnyCancellable?

  init(_ connection: NATSConnection, _ settings: Settings, _ losses: SubjectLosses, _ receiver: Receiver) {
    self.connection = connection
    self.settings = settings
    self.losses = losses
    self.receiver = receiver
  }

  /// Begins, when the subscriber has received the subscription.
  func start() {
    lock.lock()
    if delivery.phase == .awaitingSubscription { delivery.phase = .open }
    let isOver = delivery.isOver
    lock.unlock()
    if isOver { return }
    // Before all that the connection sends from now on.
    connection.outbox.post { self.begin($0) }
  }

  /// Runs on the outbox's thread.
  private func begin(_ handle: ConnectionHandle) {
    let created: MessageSubscription
    do throws(NATSError) {
      created = try MessageSubscription(
        handle, settings.subject, group: settings.group, while: "receiving “\(settings.subject)”"
      ) { self.arrived($0) }
    } catch {
      return end(error)
    }
    let status = connection.events.status.sink(
      receiveCompletion: { [weak self] _ in self?.closed(nil) },
      receiveValue: { [weak self] in
        if case .closed(let error) = $0 { self?.closed(error) }
      })
    lock.lock()
    subscription = created
    self.status = status
    lock.unlock()
    wake()
  }

  private func closed(_ error: NATSError?) {
    end(
      NATSError(
        kind: .closed, operation: "receiving “\(settings.subject)”",
        message: error?.message ?? "the connection was closed"))
  }

  func request(_ demand: Subscribers.Demand) {
    precondition(demand > .none, "a demand of at least one value was expected, not of \(demand)")
    lock.lock()
    delivery.requested(demand.max.map { UInt($0) } ?? PackedDemand.unlimited)
    lock.unlock()
    wake()
  }

  func cancel() {
    lock.lock()
    let receiver = receiver
    self.receiver = nil
    let rest = delivery.cancelled()
    lock.unlock()
    releaseOutsideLock((receiver, rest))
    wake()
  }

  private func end(_ error: NATSError) {
    lock.lock()
    _ = delivery.ended(with: .failure(error))
    lock.unlock()
    wake()
  }

  /// Called on a thread of the library.
  private func arrived(_ pointer: OpaquePointer) {
    defer { natsMsg_Destroy(pointer) }
    let message = SubjectBytes(
      subject: String(cString: natsMsg_GetSubject(pointer)),
      reply: natsMsg_GetReply(pointer).map { String(cString: $0) },
      bytes: natsMsg_GetData(pointer).map { Data(bytes: $0, count: Int(natsMsg_GetDataLength(pointer))) } ?? Data())
    lock.lock()
    let isFull = delivery.isAccepting && delivery.buffer.count >= settings.capacity
    if !isFull { delivery.append(message) }
    lock.unlock()
    if isFull { losses.dropped.add(1, ordering: .relaxed) } else { wake() }
  }

  // MARK: On the queue

  private func wake() {
    lock.lock()
    let begins = !isAwake
    isAwake = true
    lock.unlock()
    if begins { queue.async { self.run() } }
  }

  private enum Step {
    case deliver(SubjectBytes, Receiver)
    case complete(Subscribers.Completion<NATSError>, Receiver?)
    case end(MessageSubscription?, AnyCancellable?)
  }

  private func run() {
    while true {
      lock.lock()
      let step = nextStep()
      if step == nil { isAwake = false }
      lock.unlock()
      switch step {
      case .deliver(let message, let receiver)?: deliver(message, receiver)
      case .complete(let completion, let receiver)?: receiver?.complete(completion)
      case .end(let subscription, let status)?:
        status?.cancel()
        if let subscription { connection.outbox.post { _ in subscription.end() } }
      case nil: return
      }
    }
  }

  private func nextStep() -> Step? {
    lock.assertHeld()
    if delivery.isOver, subscription != nil || status != nil {
      defer { (subscription, status) = (nil, nil) }
      return .end(subscription, status)
    }
    if let receiver, let message = delivery.takeNext() { return .deliver(message, receiver) }
    if let completion = delivery.takeTerminal() {
      defer { receiver = nil }
      return .complete(completion, receiver)
    }
    return nil
  }

  private func deliver(_ message: SubjectBytes, _ receiver: Receiver) {
    let more: UInt
    do throws(NATSError) {
      more = try receiver.receive(message).max.map { UInt($0) } ?? PackedDemand.unlimited
    } catch {
      switch settings.undecodable {
      case .fail: return fail(error)
      case .skip: break
      case .deadLetter(let subject): connection.outbox.post { $0.publish(message.bytes, to: subject) }
      }
      // The message has been taken from the demand, and the subscriber has not received it.
      more = 1
    }
    lock.lock()
    delivery.requested(more)
    lock.unlock()
  }

  /// Ends without what follows the message that is no value.
  private func fail(_ error: NATSError) {
    lock.lock()
    let receiver = receiver
    self.receiver = nil
    let rest = delivery.cancelled()
    lock.unlock()
    releaseOutsideLock(rest)
    receiver?.complete(.failure(error))
  }
}

extension SubjectSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  var description: String { "NATSSubject" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
