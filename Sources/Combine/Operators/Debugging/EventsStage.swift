import InterflowPrimitives

/// A ``Stage`` that calls closures with signals, requests and the cancellation, also before the subscription.
@usableFromInline
final class EventsStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let events: EventsLink<Input, Failure>

  @inlinable
  init(_ downstream: Downstream, _ name: OperatorName, _ closures: EventClosures<Input, Failure>) {
    events = EventsLink(name, closures)
    super.init(downstream, events)
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    events.closures?.onSubscription?(subscription)
    super.receive(subscription: subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !link.hasEnded, let closures = events.closures else { return .none }
    if let onOutput = closures.onOutput {
      onOutput(input)
      // The closure may have ended the stream.
      if link.hasEnded { return .none }
    }
    let more = downstream.receive(input)
    if let onRequest = closures.onRequest, more != .none, !link.hasEnded { onRequest(more) }
    return more
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    let closures = events.closures
    guard link.finish(from: .notEnded) else { return }
    _ = events.release()
    closures?.onCompletion?(completion)
    // The closure may have cancelled.
    if !events.isCancelled { downstream.receive(completion: completion) }
  }
}

/// The closures that are called with signals.
@usableFromInline
final class EventClosures<Input, Failure: Error> {
  @usableFromInline let onSubscription: ((any Subscription) -> Void)?
  @usableFromInline let onOutput: ((Input) -> Void)?
  @usableFromInline let onCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  /// Called for requests, and for demand that is returned for a value.
  @usableFromInline let onRequest: ((Subscribers.Demand) -> Void)?
  let onCancel: (() -> Void)?

  @usableFromInline
  init(
    onSubscription: ((any Subscription) -> Void)?, onOutput: ((Input) -> Void)?,
    onCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
    onRequest: ((Subscribers.Demand) -> Void)?, onCancel: (() -> Void)?
  ) {
    self.onSubscription = onSubscription
    self.onOutput = onOutput
    self.onCompletion = onCompletion
    self.onRequest = onRequest
    self.onCancel = onCancel
  }
}

/// An ``UpstreamLink`` that calls closures with requests and the cancellation. It retains all closures, so that they
/// are released at the end even if an upstream retains the stage.
@usableFromInline
final class EventsLink<Input, Failure: Error>: UpstreamLink {
  // Guarded by `lock`.
  private var retainedClosures: EventClosures<Input, Failure>?
  private var hasCancelled = false

  @usableFromInline
  init(_ name: OperatorName, _ closures: EventClosures<Input, Failure>) {
    retainedClosures = closures
    super.init(name, [.servesEarlyRequests, .servesEarlyCancellation])
  }

  /// The closures; `nil` after the end.
  @usableFromInline var closures: EventClosures<Input, Failure>? {
    lock.lock()
    let closures = retainedClosures
    lock.unlock()
    return closures
  }

  /// Whether there was a cancellation since the subscription, also after the completion.
  var isCancelled: Bool {
    lock.lock()
    defer { lock.unlock() }
    return hasCancelled
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    if !hasEnded { closures?.onRequest?(demand) }
    super.request(demand)
  }

  @usableFromInline
  override func cancel() {
    // A cancellation before the subscription is reported, and otherwise ignored.
    guard hasBegun else {
      closures?.onCancel?()
      return
    }
    lock.lock()
    hasCancelled = true
    lock.unlock()
    // The link decides which is first, the cancellation or the completion. Only that one is reported.
    let upstream = end(from: .any).upstream?.takeRetainedValue()
    let closures = release()
    if upstream != nil { closures?.onCancel?() }
    upstream?.cancel()
  }

  /// Releases the closures.
  ///
  /// - Returns: The closures, if this is the first call.
  fileprivate func release() -> EventClosures<Input, Failure>? {
    lock.lock()
    let closures = retainedClosures
    retainedClosures = nil
    lock.unlock()
    return closures
  }
}
