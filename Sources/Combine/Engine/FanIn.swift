import InterflowPrimitives

/// Joins values of several publishers into rows, and delivers the rows through one outlet: what `zip` and
/// `combineLatest` share.
///
/// Every publisher is asked for what the subscriber asks for. A subclass keeps the values, guarded by the same `lock`.
@usableFromInline
class FanIn<Downstream: Subscriber>: Outlet<Void, Downstream> {
  // Guarded by `lock`: `links`, `finishedInputs`. `allInputs` is fixed before the first is subscribed to.
  @usableFromInline @exclusivity(unchecked) final var links: ContiguousArray<UpstreamLink> = []
  @usableFromInline @exclusivity(unchecked) final var allInputs: UInt8 = 0
  @usableFromInline @exclusivity(unchecked) final var finishedInputs: UInt8 = 0

  @inlinable
  override init(_ downstream: Downstream, _ name: OperatorName, batchSize: Int = .max) {
    super.init(downstream, name, batchSize: batchSize)
    awaitIntroduction()
  }

  /// What has come in and was not delivered, to be released where no lock is held.
  @usableFromInline
  func takeValues() -> Any? { nil }

  /// Whether there will be no more rows, given that one more input has finished. Called with the lock.
  @usableFromInline
  func isExhausted() -> Bool { true }

  /// Makes the subscriber of one publisher. For use before the first is subscribed to.
  @inlinable
  final func input<Value>(
    accept: @escaping (Value) -> Subscribers.Demand
  ) -> FanInInput<Value, Downstream> {
    let input = FanInInput(self, index: links.count, accept: accept)
    allInputs |= 1 << links.count
    links.append(input)
    return input
  }

  /// Hands the subscriber its subscription, once all publishers have been subscribed to, and then the completion of
  /// those that have ended already.
  @usableFromInline
  final func start() {
    introduce()
  }

  /// Subscribes to one of the publishers, unless the end has come.
  @inlinable
  final func subscribe<P: Publisher>(_ publisher: P, _ input: FanInInput<P.Output, Downstream>)
  where P.Failure == Downstream.Failure {
    if !input.hasEnded { publisher.subscribe(input) }
  }

  @usableFromInline
  final func inputFinished(_ index: Int) {
    lock.lock()
    finishedInputs |= 1 << index
    let isDone = isExhausted()
    lock.unlock()
    if isDone { conclude() }
  }

  @usableFromInline
  final func hasFinished(_ index: Int) -> Bool { finishedInputs & (1 << index) != 0 }

  /// Whether a row that nobody has asked for is dropped at the end, rather than waited with.
  @usableFromInline
  var dropsUnaskedAtTheEnd: Bool { false }

  /// Ends the stream after the rows that wait.
  @usableFromInline
  final func conclude() {
    cancelInputs()
    finish(.finished, droppingUnasked: dropsUnaskedAtTheEnd)
  }

  @usableFromInline
  final func inputFailed(_ completion: Subscribers.Completion<Downstream.Failure>) {
    cancelInputs()
    finish(completion, droppingUnasked: true)
  }

  @usableFromInline
  final override func asked(_ more: Subscribers.Demand) {
    lock.lock()
    let links = self.links
    lock.unlock()
    for link in links { link.request(more) }
  }

  @usableFromInline
  final override func releaseInputs() {
    cancelInputs()
  }

  private final func cancelInputs() {
    lock.lock()
    let links = self.links
    self.links = []
    let values = takeValues()
    lock.unlock()
    for link in links { link.cancel() }
    withExtendedLifetime(values) {}
  }
}

/// The subscriber of one of the publishers, and the link to it.
@usableFromInline
final class FanInInput<Input, Downstream: Subscriber>: DemandCarrier, Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let stage: FanIn<Downstream>
  @usableFromInline let index: Int
  @usableFromInline let accept: (Input) -> Subscribers.Demand

  @inlinable static var _chainWeight: Int { Downstream._chainWeight + ChainWeight.stage }

  @inlinable
  init(_ stage: FanIn<Downstream>, index: Int, accept: @escaping (Input) -> Subscribers.Demand) {
    self.stage = stage
    self.index = index
    self.accept = accept
    super.init(stage.name)
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    isLinked ? accept(input) : .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish(evenIfWaiting: true) else { return }
    switch completion {
    case .finished: stage.inputFinished(index)
    case .failure: stage.inputFailed(completion)
    }
  }
}
