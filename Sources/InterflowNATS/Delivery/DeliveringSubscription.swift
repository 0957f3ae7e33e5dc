import Combine
import InterflowPrimitives

/// What is buffered until it is delivered.
protocol DeliverableMessage: SendableMetatype {
  /// How many bytes it has.
  var size: Int { get }
}

/// A subscription that delivers messages to one subscriber, on a queue of its own.
///
/// Other threads put messages, demand and the end into the state, and schedule the queue. Subclasses determine where
/// messages come from, which they pass to ``accept(_:recording:)``, and what happens with each afterwards, in
/// ``didFinish(_:_:)``.
///
/// `@unchecked Sendable`: `lock` guards the variables.
class DeliveringSubscription<Message: DeliverableMessage>: Subscription, @unchecked Sendable {
  /// The subscriber, without its type.
  struct Receiver {
    /// Throws where the message is no value of the subscriber's type.
    let receive: (Message) throws(NATSError) -> Subscribers.Demand
    let complete: (Subscribers.Completion<NATSError>) -> Void
  }

  /// What has become of a message.
  enum Outcome {
    /// The subscriber has received it: its `receive` has returned.
    case received
    /// Another thread has cancelled while the subscriber's `receive` ran, which may not have received it.
    case cancelled
    /// It was not delivered: the subscription is over.
    case dropped
  }

  /// After so many messages, other subscriptions have their turn.
  private static var turn: Int { 1_024 }

  let connection: NATSConnection
  /// What the subscription does, for errors.
  let operation: String
  let queue = SerialQueue(.deliveries)
  let lock = Lock()
  private var delivery = DeliveryState<Message, Subscribers.Completion<NATSError>>(.awaitingSubscription)
  /// How many bytes the messages have that are buffered.
  final private(set) var bufferedBytes = 0
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

  /// A message is not buffered any more, and is a value, as far as is known.
  func didFinish(_ message: Message, _ outcome: Outcome) {}

  /// A message is no value of the subscriber's type.
  ///
  /// - Returns: Whether the subscription goes on with the next, and this one has been dealt with. Otherwise, it fails, and the
  ///   message is dropped as well.
  func continues(after message: Message, _ error: NATSError) -> Bool { false }

  /// The subscriber has been released, at a cancellation or the end: it gets nothing more.
  func didReleaseSubscriber() {}

  /// More has been requested.
  func demandGrew() {}

  func connectionChanged(to status: NATSConnection.Status) {}

  // MARK: For subclasses, with the lock

  /// How many messages have been requested and not delivered, and how many of them have arrived.
  final var demand: UInt { delivery.demand }
  final var bufferedCount: Int { delivery.buffer.count }
  final var isAccepting: Bool { delivery.isAccepting }
  final var isOver: Bool { delivery.isOver }

  final func addDemand(_ count: UInt) {
    if !isOver { delivery.requested(count) }
  }

  final func withdrawDemand(_ count: Int) {
    delivery.withdraw(UInt(count))
  }

  // MARK: On any thread

  /// Buffers a message that has arrived, to be delivered.
  ///
  /// - Parameter record: Records the arrival in the subclass's state, and says whether the message is wanted. Called with the
  ///   lock, also where the subscription is over.
  /// - Returns: Whether the subscription is not over, and the message is wanted.
  @discardableResult
  final func accept(_ message: Message, recording record: () -> Bool = { true }) -> Bool {
    lock.lock()
    let isAccepted = record() && delivery.isAccepting
    if isAccepted {
      delivery.append(message)
      bufferedBytes += message.size
    }
    lock.unlock()
    if isAccepted { wake() }
    return isAccepted
  }

  /// To be called when the subscriber has received the subscription.
  final func start() {
    lock.lock()
    if delivery.phase == .awaitingSubscription { delivery.phase = .open }
    let isOver = delivery.isOver
    lock.unlock()
    if !isOver { begin() }
  }

  /// Messages arrive at another subscription of the library's from now on.
  ///
  /// - Returns: The one to end: that of before, or this one where all is over. `nil` where there is none.
  final func replaceSubscription(with created: MessageSubscription) -> MessageSubscription? {
    lock.lock()
    defer { lock.unlock() }
    if subscription == nil { return created }
    defer { subscription = created }
    return subscription
  }

  /// Messages can arrive from now on.
  final func opened(_ created: MessageSubscription) {
    lock.lock()
    // Before the status, after which another one may take its place.
    subscription = created
    lock.unlock()
    let status = connection.events.status.sink(
      receiveCompletion: { [weak self] _ in self?.changed(to: .closed(nil)) },
      receiveValue: { [weak self] in self?.changed(to: $0) })
    lock.lock()
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
    // A message may be taken for delivery until the receiver is.
    if deliveringThread != currentThreadIdentity() { isCancelledElsewhere = true }
    lock.unlock()
    releaseOutsideLock(takeReceiver())
    didReleaseSubscriber()
    wake()
  }

  /// Ends without what has not been delivered.
  private func takeReceiver() -> Receiver? {
    lock.lock()
    let receiver = receiver
    self.receiver = nil
    var (messages, _) = delivery.cancelled()
    bufferedBytes = 0
    lock.unlock()
    while let message = messages.popFirst() { didFinish(message, .dropped) }
    return receiver
  }

  /// Fails when what has arrived has been delivered.
  final func end(_ error: NATSError) {
    lock.lock()
    _ = delivery.ended(with: .failure(error))
    lock.unlock()
    wake()
  }

  private func wake() {
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
      case .complete(let completion, let receiver)?:
        receiver?.complete(completion)
        didReleaseSubscriber()
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
      bufferedBytes -= message.size
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
      guard continues(after: message, error) else { return fail(message, error) }
      // It has been taken from the demand, and the subscriber has not received it.
      _ = finishDelivery(more: 1)
      return demandGrew()
    }
    didFinish(message, finishDelivery(more: more) ? .received : .cancelled)
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
    didFinish(message, .dropped)
    receiver?.complete(.failure(error))
    didReleaseSubscriber()
  }
}
