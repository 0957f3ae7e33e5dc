import CNATS
import Combine
import Dispatch
import InterflowPrimitives

/// One subscriber of a durable.
///
/// Requests for messages and settlements are kept in the state until the connection's outbox sends them. Nothing here
/// blocks, apart from the creation of the durable, which is called on the connection's background threads.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class PullSubscription: DeliveringSubscription<ReceivedMessage>, @unchecked Sendable {
  /// When a message is acknowledged.
  enum Acknowledgement {
    /// When the subscriber has received it.
    case whenReceived
    /// By the program; a message that the program releases without an acknowledgement goes back.
    case byHandOrReturned
    /// By the program.
    case byHand
  }

  /// A settlement that has not been sent.
  private struct Unsent {
    let reply: String
    let settlement: Settlement
  }

  /// Another one for each temporary durable.
  private var consumer: PullConsumer
  private let isTemporary: Bool
  private let undecodable: NATSUndecodable
  private let acknowledgement: Acknowledgement

  /// So often in a row, with a pause between, the server says that there is no durable where it is gone.
  private static let maxMissing = 4

  /// How long to wait before another request, when the server has refused one.
  static let pause = Duration.milliseconds(250)

  final var pulls: PullState
  /// How many bytes the messages have that have arrived, and that the subscriber has not received.
  private var bufferedBytes = 0
  private var settlements: [Unsent] = []
  /// What goes back when nothing can arrive any more: the server would send it to this subscription again.
  private var returned: [Unsent] = []
  /// Whether the outbox sends, or is about to.
  private var isSending = false
  /// Whether messages can arrive.
  private var isReceiving = false
  /// Whether the durable exists.
  private var hasDurable = false
  /// Whether it is being created, and whether it has to be created again after that.
  private var isCreating = false
  private var isStale = false
  /// What is requested while the connection is interrupted would be requested twice when it is restored.
  final var isConnected = true
  /// Whether requests wait because the server has refused one.
  final var isPaused = false
  /// How often the server has said that there is no durable, one time after the other.
  final var missing = 0
  /// Whether the server has refused a request since the durable was checked.
  private var wasRefused = false
  /// Whether a timer has been set for the next deadline.
  final var hasTimer = false

  init(_ consumer: PullConsumer, _ receiver: Receiver, _ acknowledgement: Acknowledgement) {
    self.consumer = consumer
    isTemporary = consumer.isTemporary
    undecodable = consumer.settings.undecodable
    self.acknowledgement = acknowledgement
    // With what servers count beside the payload.
    let largest = min(consumer.connection.maxPayload, 1 << 30) + (8 << 10)
    pulls = PullState(
      window: consumer.settings.window, bytes: consumer.settings.maxPullBytes, largest: largest)
    super.init(consumer.connection, receiver, while: consumer.operation)
  }

  final var current: PullConsumer {
    lock.lock()
    defer { lock.unlock() }
    return consumer
  }

  // MARK: Beginning and end

  override func begin() {
    needDurable()
  }

  /// Creates the durable, or makes it again, before more is requested.
  private func needDurable() {
    lock.lock()
    hasDurable = false
    // What is being created may be that of before.
    isStale = isCreating
    let begins = !isCreating && !delivery.isOver
    if begins { isCreating = true }
    lock.unlock()
    if begins { connection.background.start { self.create() } }
  }

  /// Blocks.
  ///
  /// - Parameters:
  ///   - isRetry: Whether an attempt before has failed.
  ///   - wasDeleted: Whether it has deleted the durable that is to be made again.
  private func create(isRetry: Bool = false, wasDeleted: Bool = false) {
    lock.lock()
    let isDeleted = wasDeleted && !isStale
    let (isOver, isAgain) = (delivery.isOver, isReceiving)
    if isAgain, isStale || !isRetry { consumer = consumer.successor }
    isStale = false
    let consumer = consumer
    lock.unlock()
    // It may exist where the answer to an attempt was lost.
    if isOver, isTemporary { consumer.delete() }
    if isOver { return }
    if let error = isAgain ? consumer.createAnew(isDeleted: isDeleted) : consumer.create() {
      // Others that made it again meanwhile may have succeeded: theirs is not deleted.
      if isAgain, error.isOfDurableMadeAnewByOthers { return createLater(wasDeleted: true) }
      // The one before is not gone yet.
      if isAgain, isTemporary, error.isOfAnotherDurable { return createLater() }
      // As with interruptions later: a cluster that chooses a leader does not answer for seconds.
      return error.isTransient ? createLater() : end(error)
    }
    do throws(NATSError) {
      if !isAgain { try receiveMessages() }
    } catch {
      return end(error)
    }
    created()
  }

  private func createLater(wasDeleted: Bool = false) {
    Deadlines.shared.add(after: Self.pause) { [self] in
      connection.background.start { self.create(isRetry: true, wasDeleted: wasDeleted) }
    }
  }

  private func receiveMessages() throws(NATSError) {
    let created = try MessageSubscription(
      connection.handle, "\(current.inbox).*", while: operation, arrived: { self.arrived($0) },
      ended: { self.receivesNoMore() })
    lock.lock()
    isReceiving = true
    lock.unlock()
    opened(created)
  }

  /// Blocks.
  private func created() {
    lock.lock()
    let (isOver, isAgain) = (delivery.isOver, isStale)
    isCreating = isAgain
    hasDurable = !isAgain
    if hasDurable { consumer.created() }
    lock.unlock()
    // The end may have come before the durable.
    if isOver, isTemporary { return current.delete() }
    if isAgain { return create() }
    sendSoon()
    check()
  }

  /// Makes the durable again where it is ahead of its stream. Other subscriptions go on with the new one. Blocks.
  private func check() {
    if !isTemporary, current.isAhead { needDurable() }
  }

  /// What arrives meanwhile goes back.
  override func close(_ subscription: MessageSubscription) {
    connection.outbox.post { _ in subscription.drain() }
    if isTemporary { connection.background.start { self.current.delete() } }
  }

  private func receivesNoMore() {
    lock.lock()
    isReceiving = false
    settlements += returned
    returned = []
    lock.unlock()
    sendSoon()
  }

  override func connectionChanged(to status: NATSConnection.Status) {
    lock.lock()
    let wasConnected = isConnected
    if case .connected = status { isConnected = true } else { isConnected = false }
    let isRestored = isConnected && !wasConnected
    pulls.lost()
    lock.unlock()
    if isRestored, isTemporary { return needDurable() }
    sendSoon()
    if isRestored { connection.background.start { self.check() } }
  }

  // MARK: Messages

  /// Called on a thread of the library.
  private func arrived(_ pointer: OpaquePointer) {
    let message = ReceivedMessage(pointer, self, returnsWhenReleased: acknowledgement == .byHandOrReturned)
    if natsMsg_GetReply(pointer) == nil { return reported(current.report(message)) }
    lock.lock()
    pulls.arrived(bytes: message.size)
    let isAccepted = delivery.isAccepting
    if isAccepted {
      delivery.append(message)
      bufferedBytes += message.size
    }
    lock.unlock()
    if isAccepted { wake() } else { message.settle(.nak(after: nil)) }
  }

  override func drop(_ message: ReceivedMessage) {
    message.settle(.nak(after: nil))
  }

  private func leftBuffer(_ message: ReceivedMessage) {
    lock.lock()
    bufferedBytes -= message.size
    lock.unlock()
  }

  override func delivered(_ message: ReceivedMessage, isReceived: Bool) {
    leftBuffer(message)
    if acknowledgement == .whenReceived {
      message.settle(isReceived ? .ack : .nak(after: nil))
    } else {
      sendSoon()
    }
  }

  override func undecodable(_ message: ReceivedMessage, _ error: NATSError) -> Undecodable {
    leftBuffer(message)
    switch undecodable {
    case .fail: return .fails
    case .skip: message.settle(.term)
    case .deadLetter(let subject):
      connection.sender.publish(message.bytes, to: subject, id: nil) { result in
        switch result {
        case .success: message.settle(.term)
        case .failure(let error): self.end(error)
        }
      }
    }
    return .leftOut
  }

  /// Sends a settlement after those before.
  ///
  /// - Parameter reply: The message's subject for settlements.
  func settle(_ reply: String, _ settlement: Settlement) {
    let unsent = Unsent(reply: reply, settlement: settlement)
    lock.lock()
    if case .nak = settlement, !delivery.isAccepting, isReceiving {
      returned.append(unsent)
    } else {
      settlements.append(unsent)
    }
    lock.unlock()
    sendSoon()
  }

  // MARK: Sending

  override func demandGrew() {
    sendSoon()
  }

  /// Posts to the outbox if there is something to send.
  func sendSoon() {
    lock.lock()
    let begins = !isSending && (!settlements.isEmpty || batch != nil)
    if begins { isSending = true }
    lock.unlock()
    if begins { connection.outbox.post { self.send($0) } }
  }

  /// How many messages to request.
  private var batch: Int? {
    lock.assertHeld()
    guard hasDurable, isConnected, !isPaused, delivery.isAccepting else { return nil }
    return pulls.batch(demand: delivery.demand, buffered: delivery.buffer.count, bufferedBytes: bufferedBytes)
  }

  /// Runs on the outbox's thread.
  private func send(_ handle: ConnectionHandle) {
    let now = DispatchTime.now()
    lock.lock()
    isSending = false
    let settlements = settlements
    self.settlements = []
    let areLast = delivery.isOver
    let confirmed = settlements.map { unsent in
      guard case .ack = unsent.settlement, !areLast else { return false }
      return pulls.acknowledges(demand: delivery.demand, deadline: now + connection.requestTimeout.dispatchInterval)
    }
    let pull = batch.map { pulls.begin($0, at: now) }
    let consumer = consumer
    lock.unlock()
    for (unsent, isConfirmed) in zip(settlements, confirmed) {
      consumer.send(unsent.settlement, to: unsent.reply, confirmed: isConfirmed, handle)
    }
    if let pull { consumer.send(pull, handle) }
    if pull != nil || confirmed.contains(true) { startTimer() }
  }

  private func reported(_ report: PullConsumer.Report) {
    switch report {
    case .ended(let id, let isFull):
      update { $0.ended(id, isFull: isFull) }
      checkAfterRefusal()
    case .confirmed: update { $0.confirmed() }
    case .waiting(let count, let last): reported(waiting: count, upTo: last)
    case .refused(let id): refused(id)
    case .failed(let error, let pull): fail(error, pull)
    case .nothing: break
    }
  }

  private func refused(_ id: UInt64) {
    lock.lock()
    wasRefused = true
    lock.unlock()
    update { $0.ended(id) }
    pause()
  }

  /// The server that has the stream may be another now, or one that was killed.
  private func checkAfterRefusal() {
    lock.lock()
    let checks = wasRefused
    wasRefused = false
    lock.unlock()
    if checks { connection.background.start { self.check() } }
  }

  private func fail(_ error: NATSError, _ pull: UInt64?) {
    lock.lock()
    // A durable is deleted to be made again, too.
    let isExpected = !hasDurable
    lock.unlock()
    if isExpected { return update { if let pull { $0.ended(pull) } } }
    // The answer to the request for information says whether there is a new one.
    if error.kind == .notFound, let pull { return refused(pull) }
    // Another client may be about to make it again.
    if error.kind == .notFound, isMissingForTheFirstTimes() { return pause() }
    end(error)
  }

  private func isMissingForTheFirstTimes() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    missing += 1
    return missing < Self.maxMissing
  }

  private func update(_ body: (inout PullState) -> Void) {
    lock.lock()
    body(&pulls)
    lock.unlock()
    sendSoon()
  }
}

extension PullSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  var description: String { "NATSStream" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
