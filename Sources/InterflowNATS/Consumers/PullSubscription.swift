import CNATS
import Combine
import Dispatch
import InterflowPrimitives

/// One subscriber of a durable. Everything that it does, it does on its own queue: deliver, pull, acknowledge.
///
/// Other threads leave what they bring (messages, demand, settlements, the cancellation) in the state, and see to it that
/// the queue looks at it.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class PullSubscription: Subscription, Settling, @unchecked Sendable {
  /// The subscriber, without its type.
  struct Receiver {
    /// Throws where the message is no value of the stream's type.
    let receive: (ReceivedMessage) throws(NATSError) -> Subscribers.Demand
    let complete: (Subscribers.Completion<NATSError>) -> Void
  }

  /// When a message is acknowledged.
  enum Acknowledgement {
    /// When the subscriber has received it.
    case whenReceived
    /// By whoever has it; it goes back when it is released without.
    case byHandOrReturned
    /// By whoever has it.
    case byHand
  }

  private let consumer: PullConsumer
  private let acknowledgement: Acknowledgement
  private let queue = DispatchQueue(label: "InterflowNATS.consumer")

  /// How long to wait before the server is asked again for what it has refused.
  private static let pause = DispatchTimeInterval.milliseconds(250)

  private let lock = Lock()
  private var receiver: Receiver?
  private var delivery = DeliveryState<ReceivedMessage, Subscribers.Completion<NATSError>>(.awaitingSubscription)
  private var pulls: PullState
  private var settlements: [(reply: String, Settlement)] = []
  /// What goes back when nothing can arrive any more: the server would send it to this subscription again.
  private var returned: [(reply: String, Settlement)] = []
  /// Whether the queue looks at the state, or is about to.
  private var isAwake = false
  /// Whether the durable exists and its messages can arrive.
  private var isReceiving = false
  /// Whether requests wait because the server has refused one.
  private var isPaused = false
  private var isTimed = false
  /// The thread in the subscriber's `receive`, and whether another one has cancelled meanwhile: the subscriber may not
  /// have seen the message then.
  private var deliveringThread: UInt?
  private var isCancelledElsewhere = false
  private var subscription: MessageSubscription?
  private var status: AnyCancellable?

  init(_ consumer: PullConsumer, _ receiver: Receiver, _ acknowledgement: Acknowledgement) {
    self.consumer = consumer
    self.receiver = receiver
    self.acknowledgement = acknowledgement
    pulls = PullState(window: max(1, consumer.settings.maxPull))
  }

  /// Begins, when the subscriber has received the subscription.
  func start() {
    lock.lock()
    if delivery.phase == .awaitingSubscription { delivery.phase = .open }
    let isOver = delivery.isOver
    lock.unlock()
    if isOver { return }
    consumer.connection.queue.start { self.begin() }
  }

  /// Runs where calls may block.
  private func begin() {
    if let error = consumer.create() {
      // As with interruptions later: a cluster that chooses a leader does not answer for seconds.
      return [.timeout, .disconnected].contains(error.kind) ? beginLater() : end(error)
    }
    let created: MessageSubscription
    do throws(NATSError) {
      created = try MessageSubscription(
        consumer.connection.handle, "\(consumer.inbox).*", while: consumer.operation,
        arrived: { self.arrived($0) }, ended: { self.receivesNoMore() })
    } catch {
      return end(error)
    }
    let status = consumer.connection.events.status.sink(
      receiveCompletion: { [weak self] _ in self?.changed(to: .closed(nil)) },
      receiveValue: { [weak self] in self?.changed(to: $0) })
    lock.lock()
    subscription = created
    self.status = status
    isReceiving = true
    lock.unlock()
    wake()
  }

  private func beginLater() {
    queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
      lock.lock()
      let isOver = delivery.isOver
      lock.unlock()
      if !isOver { consumer.connection.queue.start { self.begin() } }
    }
  }

  private func receivesNoMore() {
    lock.lock()
    isReceiving = false
    settlements += returned
    returned = []
    lock.unlock()
    wake()
  }

  // MARK: What other threads bring

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
    if let deliveringThread, deliveringThread != currentThreadIdentity() { isCancelledElsewhere = true }
    var (messages, _) = delivery.cancelled()
    lock.unlock()
    while let message = messages.popFirst() { message.settle(.nak(after: nil)) }
    releaseOutsideLock(receiver)
    wake()
  }

  func settle(_ reply: String, _ settlement: Settlement) {
    lock.lock()
    if case .nak = settlement, delivery.isOver, isReceiving {
      returned.append((reply, settlement))
    } else {
      settlements.append((reply, settlement))
    }
    lock.unlock()
    wake()
  }

  private func arrived(_ pointer: OpaquePointer) {
    let message = ReceivedMessage(pointer, self, returnsWhenReleased: acknowledgement == .byHandOrReturned)
    if natsMsg_GetReply(pointer) == nil { return reported(consumer.report(message)) }
    lock.lock()
    pulls.arrived()
    let isAccepted = delivery.isAccepting
    if isAccepted { delivery.append(message) }
    lock.unlock()
    if isAccepted { wake() } else { message.settle(.nak(after: nil)) }
  }

  private func reported(_ report: PullConsumer.Report) {
    lock.lock()
    switch report {
    case .ended(let id): pulls.ended(id)
    case .confirmed: pulls.confirmed()
    case .refused(let id):
      pulls.ended(id)
      lock.unlock()
      return pause()
    case .failed(let error):
      lock.unlock()
      return end(error)
    case .nothing: break
    }
    lock.unlock()
    wake()
  }

  private func changed(to status: NATSConnection.Status) {
    switch status {
    case .connected:
      lock.lock()
      pulls.lost()
      lock.unlock()
      wake()
    case .reconnecting: break
    case .closed(let error):
      end(
        NATSError(
          kind: .closed, operation: consumer.operation,
          message: error?.message ?? "the connection was closed"))
    }
  }

  /// Asks again after a while, if there still is a durable.
  private func pause() {
    lock.lock()
    let begins = !isPaused && !delivery.isOver
    if begins { isPaused = true }
    lock.unlock()
    guard begins else { return }
    consumer.connection.queue.start {
      if let error = self.consumer.missing() { return self.end(error) }
      self.queue.asyncAfter(deadline: .now() + Self.pause) {
        self.lock.lock()
        self.isPaused = false
        self.lock.unlock()
        self.wake()
      }
    }
  }

  private func end(_ error: NATSError) {
    lock.lock()
    _ = delivery.ended(with: .failure(error))
    lock.unlock()
    wake()
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
    case settle([(reply: String, Settlement, confirmed: Bool)])
    case pull(PullState.Pull)
    case deliver(ReceivedMessage, Receiver)
    case complete(Subscribers.Completion<NATSError>, Receiver?)
    case end(MessageSubscription?, AnyCancellable?)
  }

  private func run() {
    var unwritten = 0
    while true {
      lock.lock()
      let step = nextStep()
      if step == nil, unwritten == 0 { isAwake = false }
      lock.unlock()
      switch step {
      case .settle(let settlements)?:
        for (reply, settlement, confirmed) in settlements {
          consumer.send(settlement, to: reply, confirmed: confirmed)
        }
        unwritten += settlements.count
        if settlements.contains(where: \.confirmed) { time() }
      case .pull(let pull)?:
        consumer.send(pull)
        unwritten += 1
        time()
      case .deliver(let message, let receiver)?:
        deliver(message, receiver)
      case .complete(let completion, let receiver)?:
        receiver?.complete(completion)
      case .end(let subscription, let status)?:
        status?.cancel()
        // What arrives meanwhile goes back.
        subscription?.drain()
      case nil:
        if unwritten == 0 { return }
        // What is large fills the library's buffer by itself, or waits for a millisecond.
        if unwritten < 64 { consumer.connection.handle.flush() }
        unwritten = 0
      }
    }
  }

  private func nextStep() -> Step? {
    lock.assertHeld()
    if delivery.isOver, subscription != nil || status != nil {
      defer { (subscription, status) = (nil, nil) }
      return .end(subscription, status)
    }
    if !settlements.isEmpty {
      let deadline = DispatchTime.now() + .nanoseconds(Int(consumer.connection.requestTimeout.nanoseconds))
      let settled = settlements.map { reply, settlement -> (String, Settlement, confirmed: Bool) in
        guard case .ack = settlement, !delivery.isOver else { return (reply, settlement, false) }
        return (reply, settlement, pulls.acknowledges(demand: delivery.demand, deadline: deadline))
      }
      settlements = []
      return .settle(settled)
    }
    if isReceiving, !isPaused, delivery.isAccepting,
      let pull = pulls.next(
        demand: delivery.demand, buffered: delivery.buffer.count,
        deadline: .now() + .nanoseconds(Int(PullConsumer.expiration.nanoseconds) + 1_000_000_000))
    {
      return .pull(pull)
    }
    if let receiver, let message = delivery.takeNext() { return .deliver(message, receiver) }
    if let completion = delivery.takeTerminal() {
      let receiver = receiver
      self.receiver = nil
      return .complete(completion, receiver)
    }
    return nil
  }

  private func deliver(_ message: ReceivedMessage, _ receiver: Receiver) {
    let more: Subscribers.Demand
    lock.lock()
    // Cancelled since the message was taken.
    let isOver = delivery.isOver
    deliveringThread = currentThreadIdentity()
    lock.unlock()
    if isOver { return message.settle(.nak(after: nil)) }
    do throws(NATSError) {
      more = try receiver.receive(message)
    } catch {
      return undecodable(message, error)
    }
    lock.lock()
    delivery.requested(more.max.map { UInt($0) } ?? PackedDemand.unlimited)
    deliveringThread = nil
    let isReceived = !isCancelledElsewhere
    lock.unlock()
    if acknowledgement == .whenReceived { message.settle(isReceived ? .ack : .nak(after: nil)) }
  }

  /// The message has been taken from the demand, and the subscriber has not received it.
  private func undecodable(_ message: ReceivedMessage, _ error: NATSError) {
    switch consumer.settings.undecodable {
    case .fail: return end(error)
    case .skip: message.settle(.term)
    case .deadLetter(let subject):
      consumer.connection.sender.publish(message.bytes, to: subject, id: nil) { result in
        switch result {
        case .success: message.settle(.term)
        case .failure(let error): self.end(error)
        }
      }
    }
    lock.lock()
    delivery.requested(1)
    lock.unlock()
  }

  /// Asks again where a server has ended with a request, or with the confirmation of an acknowledgement.
  private func time() {
    lock.lock()
    let begins = !isTimed
    isTimed = true
    lock.unlock()
    if begins { queue.asyncAfter(deadline: .now() + .seconds(1)) { self.checkTime() } }
  }

  private func checkTime() {
    lock.lock()
    let isLate = pulls.deadline.map { $0 < .now() } ?? false
    if isLate { pulls.lost() }
    isTimed = !delivery.isOver && pulls.deadline != nil
    let continues = isTimed
    lock.unlock()
    if continues { queue.asyncAfter(deadline: .now() + .seconds(1)) { self.checkTime() } }
    // Nobody answers for a durable that has been deleted.
    if isLate { pause() }
  }
}

extension PullSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  var description: String { "NATSStream" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
