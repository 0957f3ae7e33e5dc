import InterflowPrimitives

/// Tells closures of every signal that passes, in either direction.
@usableFromInline
final class EventsStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let onSubscription: ((any Subscription) -> Void)?
  @usableFromInline let onOutput: ((Input) -> Void)?
  @usableFromInline let onCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  /// Told of the demand that a value has brought back.
  @usableFromInline let onMore: ((Subscribers.Demand) -> Void)?

  @inlinable
  init(
    _ downstream: Downstream, _ link: EventsLink, onSubscription: ((any Subscription) -> Void)?,
    onOutput: ((Input) -> Void)?, onCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
    onMore: ((Subscribers.Demand) -> Void)?
  ) {
    self.onSubscription = onSubscription
    self.onOutput = onOutput
    self.onCompletion = onCompletion
    self.onMore = onMore
    super.init(downstream, link)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    onSubscription?(subscription)
    super.receive(subscription: subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    onOutput?(input)
    let more = downstream.receive(input)
    if let onMore, more != .none, link.isLinked { onMore(more) }
    return more
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    onCompletion?(completion)
    downstream.receive(completion: completion)
  }
}

/// A link that tells closures of requests and of the cancellation.
@usableFromInline
final class EventsLink: UpstreamLink {
  // Guarded by `lock`: both. Emptied at the end.
  private var onRequest: ((Subscribers.Demand) -> Void)?
  private var onCancel: (() -> Void)?

  @usableFromInline
  init(_ name: OperatorName, onRequest: ((Subscribers.Demand) -> Void)?, onCancel: (() -> Void)?) {
    self.onRequest = onRequest
    self.onCancel = onCancel
    super.init(name)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    lock.lock()
    let onRequest = isLinked ? self.onRequest : nil
    lock.unlock()
    onRequest?(demand)
    super.request(demand)
  }

  @usableFromInline
  override func cancel() {
    let onCancel = releaseClosures()
    if isLinked { onCancel?() }
    sever()
  }

  override func hasFinished() {
    _ = releaseClosures()
  }

  private func releaseClosures() -> (() -> Void)? {
    lock.lock()
    let closures = (onCancel, onRequest)
    onRequest = nil
    onCancel = nil
    lock.unlock()
    return withExtendedLifetime(closures) { closures.0 }
  }
}
