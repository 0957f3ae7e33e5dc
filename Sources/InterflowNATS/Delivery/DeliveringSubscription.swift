import Combine
import InterflowPrimitives

/// A subscription that delivers messages to one subscriber, on a queue of its own.
///
/// Other threads put messages, demand and the end into the state, and schedule the queue. Subclasses determine where
/// messages come from, and what happens with each.
///
/// `@unchecked Sendable`: `lock` guards the variables.
class DeliveringSubscription<Message>: Subscription, @unchecked Sendable {
  /// The subscriber, without its type.
  struct Receiver {
    /// Throws where the message is no value of the subscriber's type.
    let receive: (Message) throws(NATSError) -> Subscribers.Demand
    let complete: (Subscribers.Completion<NATSError>) -> Void
  }

  /// What happens with a message that is no value of the subscriber's type.
  enum Undecodable {
    /// The subscription goes on with the next.
    case leftOut
    case fails
  }

  /// After so many messages, other subscriptions have their turn.
  private static var turn: Int { 1_024 }

  let connection: NATSConnection
  /// What the subscription does, for errors.
  let operation: String
  let queue = SerialQueue(.deliveries)
  let lock = Lock()
  final var delivery = DeliveryState<Message, Subscribers.Completion<NATSError>>(.awaitingSubscription)
  private var receiver: Receiver?
  /// Whether the queue delivers, or is about to.
  private var isAwake = false
  /// The thread in the subscriber's `receive`, and whether another one has cancelled meanwhile: the subscriber may not
  /// have received the message then.
  private var deliveringThread: UInt?
  private var isCancelledElsewhere = false
  private var subscription: MessageSubscription?
  private var status: AnyCancellable?

  init(_ connection: NATSConnection, _ receiver: Receiver, while operation: String) {
    self.connection = connection
    self.receiver = receiver
    self.operation = operation
  }

  // MARK: For subclasses

  /// Begins to receive messages: the subscriber has its subscription.
  func begin() {}

  /// Ends the library's subscription, which was passed to ``opened(_:)``.
  func close(_ subscription: MessageSubscription) {}

  /// The subscriber does not receive the message: the subscription is over.
  func drop(_ message: Message) {}

  /// The subscriber's `receive` has returned.
  ///
  /// - Parameter isReceived: Whether the subscriber has received the message: it was not cancelled before.
  func delivered(_ message: Message, isReceived: Bool) {}

  func undecodable(_ message: Message, _ error: NATSError) -> Undecodable { .fails }

  /// More has been requested.
  func demandGrew() {}

  func connectionChanged(to status: NATSConnection.Status) {}

  // MARK: On any thread

  /// To be called when the subscriber has received the subscription.
  final func start() {
    lock.lock()
    if delivery.phase == .awaitingSubscription { delivery.phase = .open }
    let isOver = delivery.isOver
    lock.unlock()
    if !isOver { begin() }
  }

  /// Messages can arrive from now on.
  final func opened(_ created: MessageSubscription) {
    let status = connection.events.status.sink(
      receiveCompletion: { [weak self] _ in self?.changed(to: .closed(nil)) },
      receiveValue: { [weak self] in self?.changed(to: $0) })
    lock.lock()
    subscription = created
    self.status = status
    lock.unlock()
    wake()
  }

  private func changed(to status: NATSConnection.Status) {
    if case .closed(let error) = status { end(.closed(error, while: operation)) }
    connectionChanged(to: status)
  }

  final func request(_ demand: Subscribers.Demand) {
    precondition(demand > .none, "a demand of at least one value was expected, not of \(demand)")
    lock.lock()
    delivery.requested(demand.max.map { UInt($0) } ?? PackedDemand.unlimited)
    lock.unlock()
    demandGrew()
    wake()
  }

  final func cancel() {
    lock.lock()
    if let deliveringThread, deliveringThread != currentThreadIdentity() { isCancelledElsewhere = true }
    lock.unlock()
    releaseOutsideLock(takeReceiver())
    wake()
  }

  /// Ends without what has not been delivered.
  private func takeReceiver() -> Receiver? {
    lock.lock()
    let receiver = receiver
    self.receiver = nil
    var (messages, _) = delivery.cancelled()
    lock.unlock()
    while let message = messages.popFirst() { drop(message) }
    return receiver
  }

  /// Fails when what has arrived has been delivered.
  final func end(_ error: NATSError) {
    lock.lock()
    _ = delivery.ended(with: .failure(error))
    lock.unlock()
    wake()
  }

  final func wake() {
    lock.lock()
    let begins = !isAwake
    isAwake = true
    lock.unlock()
    if begins { queue.async { self.run() } }
  }

  // MARK: On the queue

  private enum Step {
    case deliver(Message, Receiver)
    case complete(Subscribers.Completion<NATSError>, Receiver?)
    case close(MessageSubscription?, AnyCancellable?)
  }

  private func run() {
    for _ in 0..<Self.turn {
      lock.lock()
      let step = nextStep()
      if step == nil { isAwake = false }
      lock.unlock()
      switch step {
      case .deliver(let message, let receiver)?: deliver(message, receiver)
      case .complete(let completion, let receiver)?: receiver?.complete(completion)
      case .close(let subscription, let status)?:
        status?.cancel()
        if let subscription { close(subscription) }
      case nil: return
      }
    }
    queue.async { self.run() }
  }

  private func nextStep() -> Step? {
    lock.assertHeld()
    if delivery.isOver, subscription != nil || status != nil {
      defer { (subscription, status) = (nil, nil) }
      return .close(subscription, status)
    }
    if let receiver, let message = delivery.takeNext() {
      deliveringThread = currentThreadIdentity()
      return .deliver(message, receiver)
    }
    if let completion = delivery.takeTerminal() {
      defer { receiver = nil }
      return .complete(completion, receiver)
    }
    return nil
  }

  private func deliver(_ message: Message, _ receiver: Receiver) {
    let more: UInt
    do throws(NATSError) {
      more = try receiver.receive(message).max.map { UInt($0) } ?? PackedDemand.unlimited
    } catch {
      switch undecodable(message, error) {
      // It has been taken from the demand, and the subscriber has not received it.
      case .leftOut:
        _ = finishDelivery(more: 1)
        demandGrew()
      case .fails: fail(message, error)
      }
      return
    }
    delivered(message, isReceived: finishDelivery(more: more))
  }

  /// - Returns: Whether the subscriber was not cancelled by another thread before.
  private func finishDelivery(more: UInt) -> Bool {
    lock.lock()
    deliveringThread = nil
    delivery.requested(more)
    let isReceived = !isCancelledElsewhere
    lock.unlock()
    return isReceived
  }

  /// Fails with a message that is no value, without what follows it.
  private func fail(_ message: Message, _ error: NATSError) {
    let receiver = takeReceiver()
    drop(message)
    receiver?.complete(.failure(error))
  }
}
