import InterflowPrimitives

/// The subscription of `merge` and `flatMap`: delivers the values of several publishers as they arrive.
///
/// If demand is limited, one value is requested from each publisher, and the next when that one has been delivered. So
/// at most one value of each is buffered.
@usableFromInline
class MergeSubscription<Downstream: Subscriber>: SerialSubscription<MergeInput<Downstream>, Downstream> {
  // Guarded by the core's lock: all four. `inputsToRequest` are the inputs from which a value is to be requested, because a
  // buffered value of theirs has been delivered. `freedPlaces` counts the inputs that have finished and whose buffered
  // values have been delivered.
  @usableFromInline @exclusivity(unchecked) final var inputs = InnerTable()
  @usableFromInline @exclusivity(unchecked) final var hasAllInputs = false
  @usableFromInline @exclusivity(unchecked) final var inputsToRequest: ContiguousArray<TableLink> = []
  @usableFromInline @exclusivity(unchecked) final var freedPlaces = 0

  /// Whether buffered values are delivered in the order of their publishers, rather than in the order of their arrival.
  @usableFromInline
  var deliversInOrderOfInputs: Bool { true }

  /// Whether a publisher that has failed is cancelled like the others.
  @usableFromInline
  var cancelsFailedInput: Bool { true }

  @usableFromInline override var acceptsEmptyRequests: Bool { cancelsFailedInput }

  /// Sends the subscriber its subscription, and subscribes to all publishers, which a closure adds.
  @inlinable
  final func start(_ addAll: (MergeSubscription) -> Void) {
    currentDownstream?.receive(subscription: self)
    addAll(self)
    finishAdding()
  }

  /// Subscribes to another publisher, unless the stream has ended.
  @inlinable
  final func add<P: Publisher>(_ publisher: P)
  where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
    if let input = addInput() { publisher.subscribe(MergeUpstreamSubscriber(input)) }
  }

  /// Adds an input for another publisher, before that is subscribed to.
  ///
  /// - Returns: The publisher's subscriber; `nil` if the stream has ended.
  @inlinable
  final func addInput() -> MergeInput<Downstream>? {
    let input = MergeInput(self)
    core.lock.lock()
    let isOpen = isAccepting
    if isOpen { inputs.insert(input) }
    core.lock.unlock()
    return isOpen ? input : nil
  }

  /// No more publishers will be added: the stream finishes when the inputs have finished.
  ///
  /// - Parameter nests: Whether the completion may be delivered during the delivery of a value.
  @usableFromInline
  final func finishAdding(nests: Bool = true) {
    core.lock.lock()
    hasAllInputs = true
    let isDone = inputs.isEmpty
    core.lock.unlock()
    if isDone { finish(.finished, nests: nests) }
  }

  /// Inputs have finished and their values have been delivered, so other publishers may take their places.
  @usableFromInline
  func inputsDidFinish(_ count: Int) {}

  // MARK: From the inputs

  @inlinable
  final func receive(_ value: Downstream.Input, from input: MergeInput<Downstream>) -> Subscribers.Demand {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    guard let more = deliverAtOnce(value) else {
      input.buffered += 1
      buffer(value, of: input)
      leaveTurn(me, previous)
      return .none
    }
    leaveTurn(me, previous)
    if input.isUnlimited { return more }
    return more == .unlimited ? requestUnlimited(returningTo: input) : .max(1)
  }

  @usableFromInline
  final func buffer(_ value: Downstream.Input, of input: MergeInput<Downstream>) {
    guard deliversInOrderOfInputs else { return buffer(value, input) }
    core.lock.lock()
    signals.insert((input, value), core.demand) { $0.0.number < $1.0.number }
    let isDeliverable = self.isDeliverable
    core.lock.unlock()
    if isDeliverable { deliverBuffered() }
  }

  /// The subscriber has returned unlimited demand for a value: requests unlimited values from the other publishers.
  ///
  /// - Returns: The demand that the input is to return to its publisher.
  @usableFromInline
  final func requestUnlimited(returningTo input: MergeInput<Downstream>) -> Subscribers.Demand {
    let isFirst = input.becomesUnlimited()
    forward(.unlimited)
    return isFirst ? .unlimited : .none
  }

  /// - Returns: The demand to request from a publisher that has sent its subscription.
  @usableFromInline
  final func initialDemand(of input: MergeInput<Downstream>) -> Subscribers.Demand {
    core.lock.lock()
    let isUnlimited = core.demand.isUnlimited
    if isUnlimited { _ = input.becomesUnlimited() }
    core.lock.unlock()
    return isUnlimited ? .unlimited : .max(1)
  }

  @usableFromInline
  final func finished(_ input: MergeInput<Downstream>) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    core.lock.lock()
    inputs.remove(input)
    let isDone = hasAllInputs && inputs.isEmpty
    core.lock.unlock()
    input.hasFinished = true
    let isFree = !isDone && input.buffered == 0
    if isDone {
      close(.finished)
      deliverBuffered()
    }
    leaveTurn(me, previous)
    if isFree { inputsDidFinish(1) }
  }

  // MARK: From the base class

  @usableFromInline
  final override func didDeliver(_ input: MergeInput<Downstream>) {
    input.buffered -= 1
    core.lock.lock()
    if !input.hasFinished {
      inputsToRequest.append(input)
    } else if input.buffered == 0 {
      freedPlaces += 1
    }
    core.requestForwarding()
    core.lock.unlock()
    core.turn.markWork()
  }

  @usableFromInline
  final override func forward(_ more: Subscribers.Demand) {
    var toRequest: ContiguousArray<TableLink> = []
    core.lock.lock()
    swap(&toRequest, &inputsToRequest)
    let freed = freedPlaces
    freedPlaces = 0
    let all = more == .unlimited ? inputs.members : []
    core.lock.unlock()
    for input in all where input.isLinked && input.becomesUnlimited() { input.request(.unlimited) }
    for input in toRequest where !input.isUnlimited { input.request(.max(1)) }
    if freed > 0 { inputsDidFinish(freed) }
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let inputs = self.inputs.members
    self.inputs = InnerTable()
    inputsToRequest = []
    core.lock.unlock()
    for input in inputs { input.cancel() }
  }
}

/// The subscriber of one of the publishers, and the link to that publisher.
@usableFromInline
final class MergeInput<Downstream: Subscriber>: TableLink, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let merge: MergeSubscription<Downstream>

  /// Zero, since `flatMap` makes a publisher for each value: see ``SpecializationDepth``.
  @inlinable static var specializationDepth: Int { 0 }

  // Guarded by the turn: both. An input that has finished keeps its place while a value of it is buffered. Otherwise
  // one publisher after another could finish and leave a buffered value.
  @usableFromInline @exclusivity(unchecked) var buffered = 0
  @usableFromInline @exclusivity(unchecked) var hasFinished = false

  @inlinable
  init(_ merge: MergeSubscription<Downstream>) {
    self.merge = merge
    super.init(merge.name)
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link(subscription) { subscription.request(merge.initialDemand(of: self)) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    isLinked ? merge.receive(input, from: self) : .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: if finish(from: .notEnded) { merge.finished(self) }
    case .failure: if merge.cancelsFailedInput ? !hasEnded : finish(from: .notEnded) { merge.fail(completion) }
    }
  }
}

/// The subscriber for a publisher that is part of the chain: forwards to an input, and has a specialization depth.
@frozen
@usableFromInline
struct MergeUpstreamSubscriber<Downstream: Subscriber>: OperatorSubscriber {
  @usableFromInline let input: MergeInput<Downstream>

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(_ input: MergeInput<Downstream>) {
    self.input = input
  }

  @inlinable
  func receive(subscription: any Subscription) {
    input.receive(subscription: subscription)
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Downstream.Input) -> Subscribers.Demand {
    input.receive(value)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    input.receive(completion: completion)
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { input.combineIdentifier }
  @usableFromInline var description: String { input.description }
  @usableFromInline var playgroundDescription: Any { input.playgroundDescription }
  @usableFromInline var customMirror: Mirror { input.customMirror }
}
