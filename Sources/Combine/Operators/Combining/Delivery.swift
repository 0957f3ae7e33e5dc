import InterflowPrimitives

/// Joins the values of several publishers for one subscriber. What an operator does with them it says in closures, which
/// are called with the turn, one at a time, and capture nothing: what they change is in `values`.
///
/// An operator makes one with its values, joins each publisher with ``join(_:_:accept:onFinish:)``, and then calls
/// ``sendSubscription()``. In its closures it calls ``send(_:)``, ``sendLatest(_:)``, ``requestAnother()`` and
/// ``finish(dropsUnrequested:)``. `WithLatestFrom` and `Sample` of the tests are examples.
///
/// A failure of a publisher ends the stream, after the values that have been requested.
@usableFromInline
final class Delivery<Values: JoinedValues, Downstream: Subscriber>: SerialSubscription<Void, Downstream> {
  // Guarded by the core's lock: both.
  @usableFromInline @exclusivity(unchecked) var links: ContiguousArray<JoinLink> = []
  @usableFromInline @exclusivity(unchecked) var hasCancelledInputs = false

  // Guarded by the turn: everything below it.

  /// The operator's values. They are replaced by new ones at the end.
  @usableFromInline @exclusivity(unchecked) var values: Values
  @usableFromInline @exclusivity(unchecked) var finished: FinishedInputs
  @usableFromInline @exclusivity(unchecked) var requestsAnother = false
  /// Whether the turn is borrowed from another thread, which sleeps in a call of the subscriber. Meaningful when an
  /// input's closure is called while `isCallingSubscriber` is true.
  @usableFromInline @exclusivity(unchecked) var hasBorrowedTurn = false
  @usableFromInline @exclusivity(unchecked) var folding = Folding.none
  /// The value to deliver while `folding` is `pending`, in an object, since few deliveries ever have one.
  @usableFromInline @exclusivity(unchecked) var folded: Folded?

  /// What has become of the values that a delivery causes by values sent from inside it, if only the latest counts.
  @usableFromInline
  enum Folding {
    case none
    /// There is a value to deliver when the delivery has returned.
    case pending
    /// That value is being delivered.
    case delivering
  }

  @usableFromInline
  final class Folded {
    let value: Downstream.Input

    init(_ value: Downstream.Input) {
      self.value = value
    }
  }

  /// - Parameter inputs: How many publishers will be joined.
  @inlinable
  init(_ downstream: Downstream, _ name: OperatorName, _ values: Values, inputs: Int) {
    self.values = values
    finished = FinishedInputs(of: inputs)
    super.init(downstream, name, .awaitingSubscription) {
      let delivery = unsafeDowncast($0, to: Delivery<Values, Downstream>.self)
      if $1 == .releaseValues { delivery.releaseValues() } else { delivery.performTyped($1) }
    }
  }

  // MARK: What an operator calls

  /// Subscribes to one of the publishers, unless the stream has ended. Its index is the number of those joined before.
  /// To be called before ``sendSubscription()``.
  ///
  /// - Parameters:
  ///   - accept: Called with each value.
  ///   - onFinish: Called when the publisher has finished.
  @inlinable
  func join<P: Publisher>(
    _ publisher: P, _ rules: InputRules, accept: @escaping (Delivery, P.Output) -> Void,
    onFinish: @escaping (Delivery) -> Void
  ) where P.Failure == Downstream.Failure {
    let input = JoinInput(self, rules, accept: accept, onFinish: onFinish)
    if add(input) { publisher.subscribe(input) }
  }

  /// Delivers a value immediately if demand allows it, and buffers it otherwise.
  @inlinable
  func send(_ value: Downstream.Input) {
    if let more = deliverAtOnce(value) {
      if more != .none { addUnforwarded(more) }
    } else {
      buffer(value, ())
    }
  }

  /// Delivers a value immediately if demand allows it. Otherwise buffers it in place of an older one that has not been
  /// requested.
  ///
  /// Values that the subscriber causes by sending from inside its `receive` are folded into the newest, which is
  /// delivered once after that call. What that delivery causes in turn is not delivered, so that a subscriber which
  /// writes back does not call itself for ever.
  @inlinable
  func sendLatest(_ value: Downstream.Input) {
    if core.isCallingSubscriber { return sendLatestInsideDelivery(value) }
    deliverLatest(value)
    if folding == .pending { deliverFolded() }
  }

  /// Requests another value from the same publisher, because the one that its closure has been called with causes none.
  /// The closure does nothing after it.
  @inlinable
  func requestAnother() {
    requestsAnother = true
    core.turn.markWork()
  }

  /// Cancels the inputs, and finishes the stream after the buffered values.
  ///
  /// - Parameter dropsUnrequested: Whether values that have not been requested are dropped, so that the completion need
  ///   not wait.
  @usableFromInline
  func finish(dropsUnrequested: Bool = false) {
    cancelInputs()
    finish(.finished, dropsUnrequested: dropsUnrequested)
  }

  // MARK: Inputs

  /// - Returns: Whether its publisher is to be subscribed to: the stream has not ended.
  @usableFromInline
  func add(_ input: JoinLink) -> Bool {
    core.lock.lock()
    let isOpen = !hasCancelledInputs
    input.index = links.count
    if isOpen { links.append(input) }
    core.lock.unlock()
    return isOpen
  }

  /// Enters the turn and passes a value to its input's closure.
  ///
  /// - Returns: The demand that the input is to return to its publisher.
  @inlinable
  func receive<Value>(_ value: Value, from input: JoinInput<Value, Values, Downstream>) -> Subscribers.Demand {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    // The stream may have ended while this thread waited for the turn.
    guard input.isLinked else {
      leaveTurn(me, previous)
      return .none
    }
    if previous != 0 { hasBorrowedTurn = previous != me }
    input.accept(self, value)
    guard core.turn.hasWork else {
      leaveTurn(me, previous)
      return .none
    }
    return leaveTurnTakingDemand(for: input, me, previous)
  }

  /// Leaves the turn after a value that has caused demand, or work of another kind.
  ///
  /// - Returns: The demand that the input is to return to its publisher.
  @usableFromInline
  func leaveTurnTakingDemand(for input: JoinLink, _ me: UInt, _ previous: UInt) -> Subscribers.Demand {
    let another: Subscribers.Demand = requestsAnother ? .max(1) : .none
    requestsAnother = false
    let more = input.rules.contains(.returnsDemand) ? takeUnforwarded(me) : .none
    leaveTurn(me, previous)
    if more == .none { return another }
    for link in currentLinks where link !== input && link.rules.contains(.demanded) { link.request(more) }
    return more + another
  }

  @usableFromInline
  func inputFinished(_ index: Int, _ onFinish: (Delivery) -> Void) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    finished.insert(index)
    if folding == .pending { deliverFolded() }
    onFinish(self)
    leaveTurn(me, previous)
  }

  @usableFromInline
  func inputFailed(_ completion: Completion) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    if folding == .pending { deliverFolded() }
    fail(completion)
    leaveTurn(me, previous)
  }

  // MARK: The latest value

  /// Folds the value of the thread that delivers. One that has borrowed the turn delivers its own, which is newer than
  /// what the sleeping owner would deliver.
  @usableFromInline
  func sendLatestInsideDelivery(_ value: Downstream.Input) {
    let outer = folding
    guard hasBorrowedTurn else {
      guard outer != .delivering else { return }
      folding = .pending
      folded = Folded(value)
      return
    }
    folding = .none
    // What the sleeping owner would have delivered is superseded.
    releaseOutsideLock(folded.take())
    deliverLatest(value)
    if folding == .pending { deliverFolded() }
    if outer == .delivering { folding = outer }
  }

  @usableFromInline
  func deliverFolded() {
    folding = .delivering
    if let folded = folded.take() { deliverLatest(folded.value) }
    folding = .none
  }

  @inlinable
  @inline(__always)
  func deliverLatest(_ value: Downstream.Input) {
    if let more = deliverAtOnce(value) {
      if more != .none { addUnforwarded(more) }
    } else {
      replaceBuffered(value)
    }
  }

  /// Buffers a value. At most one buffered value, the latest, has not been requested.
  @usableFromInline
  func replaceBuffered(_ value: Downstream.Input) {
    core.lock.lock()
    let replaced = core.demand.unrequested(of: signals.elements.count) == 0 ? nil : signals.takeNewest()
    core.lock.unlock()
    withExtendedLifetime(replaced) { buffer(value, ()) }
  }

  // MARK: From the base class

  @inlinable
  func releaseValues() {
    let released = (values, folded)
    values = Values()
    folded = nil
    releaseOutsideLock(released)
  }

  @usableFromInline
  override func didDeliver(_ tag: Void) {
    if folding == .pending { deliverFolded() }
  }

  @usableFromInline
  override func forward(_ more: Subscribers.Demand) {
    if more != .none { for link in currentLinks where link.rules.contains(.demanded) { link.request(more) } }
  }

  private var currentLinks: ContiguousArray<JoinLink> {
    core.lock.lock()
    let links = self.links
    core.lock.unlock()
    return links
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    hasCancelledInputs = true
    let links = self.links
    self.links = []
    core.lock.unlock()
    for link in links { link.cancel() }
  }
}

/// The values of an operator that joins publishers: empty at first, and again after the end.
@usableFromInline
protocol JoinedValues {
  init()
}

/// Which of at most seven inputs have finished.
@frozen
@usableFromInline
struct FinishedInputs {
  @usableFromInline var bits: UInt8 = 0
  @usableFromInline let all: UInt8

  @inlinable
  init(of count: Int) {
    all = (1 << count) - 1
  }

  @inlinable
  func contains(_ index: Int) -> Bool { bits & (1 << index) != 0 }

  @inlinable var isEmpty: Bool { bits == 0 }
  @inlinable var isComplete: Bool { bits == all }

  @inlinable
  mutating func insert(_ index: Int) {
    bits |= 1 << index
  }
}
