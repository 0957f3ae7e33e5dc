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
final class PullSubscription: RequestingSubscription<ReceivedMessage>, @unchecked Sendable {
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

  /// How long to wait before another request, when the server has refused one.
  static let pause = Duration.milliseconds(250)

  final var pulls: PullState
  private var settlements: [Unsent] = []
  /// What goes back when nothing can arrive any more: the server would send it to this subscription again.
  private var returned: [Unsent] = []
  final var state = DurableState()
  /// Called where a request brings no more messages, with how many are not wanted from this subscription any more, and why;
  /// `nil` where they stay wanted. Set before the beginning, and released with the subscriber.
  final var whenUnused: (@Sendable (Int, Unused) -> Void)?

  /// Whether a durable that others have deleted is made again; otherwise, that is a failure. Set before the beginning.
  final var makesMissingAgain = false

  init(_ consumer: PullConsumer, _ receiver: Receiver, _ acknowledgement: Acknowledgement) {
    self.consumer = consumer
    isTemporary = consumer.isTemporary
    undecodable = consumer.settings.undecodable
    self.acknowledgement = acknowledgement
    pulls = PullState(
      window: consumer.settings.window, bytes: consumer.settings.maxPullBytes,
      largest: consumer.connection.largestMessage, isShared: true)
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
  private func needDurable(wasDeleted: Bool = false) {
    lock.lock()
    let begins = !isOver && state.needed()
    lock.unlock()
    if begins { connection.background.start { self.create(wasDeleted: wasDeleted) } }
  }

  /// Blocks.
  ///
  /// - Parameters:
  ///   - isRetry: Whether an attempt before has failed.
  ///   - wasDeleted: Whether the durable that is to be made again has been deleted, by that attempt or by others.
  private func create(isRetry: Bool = false, wasDeleted: Bool = false) {
    lock.lock()
    let isOver = isOver
    let creation = state.beginsCreation(isRetry: isRetry, wasDeleted: wasDeleted)
    let isAgain = creation.isAgain
    if isAgain, creation.isNew { consumer = consumer.successor }
    let consumer = consumer
    lock.unlock()
    // It may exist where the answer to an attempt was lost.
    if isOver, isTemporary { consumer.delete() }
    if isOver { return }
    if let error = isAgain ? consumer.recreate(isDeleted: creation.isDeleted) : consumer.create() {
      // Others that made it again meanwhile may have succeeded: theirs is not deleted.
      if isAgain, error.isOfDurableRecreatedByOthers { return createLater(wasDeleted: true) }
      // The one before is not gone yet.
      if isAgain, isTemporary, error.isOfAnotherDurable { return createLater() }
      // As with interruptions later: a cluster that chooses a leader does not answer for seconds.
      return creation.isRepeated(after: error) ? createLater() : end(error)
    }
    do throws(NATSError) {
      if !isAgain { try receiveMessages() }
    } catch {
      return end(error)
    }
    created()
  }

  private func createLater(wasDeleted: Bool = false) {
    takeBackUnused(.noMessages(after: .zero))
    Deadlines.shared.add(after: Self.pause) { [self] in
      connection.background.start { self.create(isRetry: true, wasDeleted: wasDeleted) }
    }
  }

  private func receiveMessages() throws(NATSError) {
    let created = try subscription(to: 0)
    lock.lock()
    state.receives = true
    lock.unlock()
    opened(created)
  }

  /// May block.
  final func subscription(to inbox: Int) throws(NATSError) -> MessageSubscription {
    try MessageSubscription(
      connection.handle, "\(current.inbox(inbox)).*", while: operation, arrived: { self.arrived($0, at: inbox) },
      ended: { self.ended(inbox: inbox) })
  }

  /// Blocks.
  private func created() {
    lock.lock()
    let (isOver, isAgain) = (isOver, state.created())
    if !isAgain { consumer.created() }
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

  private func ended(inbox: Int) {
    lock.lock()
    // At the end of the subscription, another one may not have been opened.
    let receivesNoMore = isOver || inbox == state.inbox
    if receivesNoMore {
      state.receives = false
      settlements += returned
      returned = []
    }
    lock.unlock()
    if receivesNoMore { sendSoon() }
  }

  override func connectionChanged(to status: NATSConnection.Status) {
    lock.lock()
    let isRestored = state.connectionChanged(isConnected: status.isConnected)
    pulls.lost()
    // The server that has the durable may be another one than that whose connection has ended, and has the requests still.
    let opensInbox = !status.isConnected && !isOver && state.leaveInbox()
    lock.unlock()
    if opensInbox { openInboxSoon() }
    updateTimer()
    if isRestored, isTemporary { return needDurable() }
    sendSoon()
    if isRestored { connection.background.start { self.check() } }
  }

  override func didReleaseSubscriber() {
    lock.lock()
    let whenUnused = whenUnused.take()
    lock.unlock()
    releaseOutsideLock(whenUnused)
  }

  // MARK: Messages

  /// Called on a thread of the library.
  private func arrived(_ pointer: OpaquePointer, at inbox: Int) {
    let message = ReceivedMessage(pointer, self, returnsWhenReleased: acknowledgement == .byHandOrReturned)
    if natsMsg_GetReply(pointer) == nil { return reported(current.report(message), at: inbox) }
    let isAccepted = accept(message) {
      state.delivered()
      // It was given up otherwise, and is wanted only where what has been requested since has not come.
      guard inbox == state.inbox else { return demand > UInt(bufferedCount) }
      pulls.arrived(bytes: message.size)
      // What was wanted elsewhere by now would wait here until something else is wanted from this subscription.
      if whenUnused != nil, demand <= UInt(bufferedCount) { addDemand(1) }
      return true
    }
    if !isAccepted { message.settle(.nak(after: nil)) }
  }

  override func didFinish(_ message: ReceivedMessage, _ outcome: Outcome) {
    switch outcome {
    case .received where acknowledgement != .whenReceived: sendSoon()
    case .received: message.settle(.ack)
    case .cancelled where acknowledgement != .whenReceived: sendSoon()
    case .cancelled, .dropped: message.settle(.nak(after: nil))
    }
  }

  override func continues(after message: ReceivedMessage, _ error: NATSError) -> Bool {
    switch undecodable {
    case .fail: return false
    case .skip: message.settle(.term)
    case .deadLetter(let subject): sendOn(message.bytes, to: subject) { message.settle(.term) }
    }
    return true
  }

  /// Sends a settlement after those before.
  ///
  /// - Parameter reply: The message's subject for settlements.
  func settle(_ reply: String, _ settlement: Settlement) {
    let unsent = Unsent(reply: reply, settlement: settlement)
    lock.lock()
    if case .nak = settlement, !isAccepting, state.receives {
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

  override var hasMessagesToSend: Bool { !settlements.isEmpty || batch != nil }

  /// How many messages to request.
  private var batch: Int? {
    lock.assertHeld()
    guard state.mayRequest, isAccepting else { return nil }
    return pulls.batch(demand: demand, buffered: bufferedCount, bufferedBytes: bufferedBytes)
  }

  override func send(_ handle: ConnectionHandle) {
    let now = DispatchTime.now()
    lock.lock()
    let settlements = settlements
    self.settlements = []
    let areLast = isOver
    let acknowledgements = settlements.indices.filter { settlements[$0].settlement.isAck }
    let confirmation =
      areLast
      ? nil
      : pulls.acknowledges(
        acknowledgements.count, demand: demand, at: now,
        deadline: now + connection.requestTimeout.dispatchInterval)
    let pull = batch.map { pulls.begin($0, at: now) }
    let (consumer, inbox) = (consumer, consumer.inbox(state.inbox))
    lock.unlock()
    for (index, unsent) in settlements.enumerated() {
      let isLast = index == acknowledgements.last
      consumer.send(
        unsent.settlement, to: unsent.reply, confirmation: isLast ? confirmation : nil, inbox: inbox, handle)
    }
    if let pull { consumer.send(pull, inbox: inbox, handle) }
    if pull != nil || confirmation != nil { updateTimer() }
  }

  private func reported(_ report: PullConsumer.Report, at inbox: Int) {
    lock.lock()
    // What has been given up says nothing of what has been requested since.
    let isCurrent = inbox == state.inbox
    lock.unlock()
    if !isCurrent { return }
    switch report {
    case .ended(let id, let isFull):
      ended(id, isFull: isFull)
      checkAfterRefusal()
    case .confirmed(let id): update { $0.confirmed(id, at: .now()) }
    case .waiting(let count, let last): reported(waiting: count, upTo: last)
    case .refused(let id): refused(id)
    case .failed(let error, let pull): fail(error, pull)
    case .nothing: break
    }
  }

  private func refused(_ id: UInt64) {
    lock.lock()
    state.refused()
    lock.unlock()
    pause()
    ended(id, isServed: false)
  }

  private func ended(_ id: UInt64, isFull: Bool = false, isServed: Bool = true) {
    lock.lock()
    let pull = pulls.ended(id, isFull: isFull)
    lock.unlock()
    if let pull { takeBackUnused(isServed && !isFull ? .noMessages(after: pull.expiration) : .refused) }
    sendSoon()
  }

  private func checkAfterRefusal() {
    lock.lock()
    let checks = state.served()
    lock.unlock()
    if checks { connection.background.start { self.check() } }
  }

  private func fail(_ error: NATSError, _ pull: UInt64?) {
    lock.lock()
    // A durable is deleted to be made again, too.
    let isExpected = !state.isPresent
    lock.unlock()
    if isExpected {
      if let pull { ended(pull, isServed: false) }
      return
    }
    // The answer to the request for information says whether there is a new one.
    if error.kind == .notFound, let pull { return refused(pull) }
    // Another client may be about to make it again.
    if error.kind == .notFound, mayBeMadeAgain() { return pause() }
    if error.kind == .notFound, makesMissingAgain { return needDurable(wasDeleted: true) }
    end(error)
  }

  private func mayBeMadeAgain() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return state.reportedMissing()
  }

  /// While the connection is interrupted, nothing is late, and the deadlines that have passed would be looked at all the time.
  override var deadline: DispatchTime? { state.isConnected ? pulls.deadline : nil }

  override func checkTime(at now: DispatchTime) {
    checkLateness(at: now)
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
