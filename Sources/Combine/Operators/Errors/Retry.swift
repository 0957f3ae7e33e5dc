import InterflowPrimitives

extension Publishers {
  /// A publisher that subscribes to its upstream again when that has failed.
  @frozen
  public struct Retry<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher that may fail.
    public let upstream: Upstream
    /// How often to subscribe again; `nil` or a negative number means no limit.
    public let retries: Int?

    /// Makes a publisher that subscribes to another again when that has failed.
    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      RetryStage(subscriber, upstream: upstream, retries: retries).subscribe()
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
extension Publishers.Retry: Sendable where Upstream: Sendable {}

/// Subscribes to upstream for each attempt. If upstream fails immediately, this is a loop, so that the stack does not
/// grow.
@usableFromInline
final class RetryStage<Upstream: Publisher, Downstream: Subscriber>: Stage<
  Upstream.Failure, Downstream
>
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  @usableFromInline let upstream: Upstream
  @usableFromInline let replaceableLink = ReplaceableLink("Retry", .servesEarlyCancellation)

  // Guarded by the order of signals, so without a lock: upstream delivers one at a time, and an attempt begins after
  // the failure of the one before.
  @usableFromInline @exclusivity(unchecked) var remainingRetries: Int?
  /// The number of the current attempt. Signals of earlier ones are ignored.
  @usableFromInline @exclusivity(unchecked) var attempt = 0
  /// The right to subscribe to upstream. If an attempt fails while a thread still subscribes, that thread makes the
  /// next attempt.
  @usableFromInline let turn = Turn()

  @inlinable
  init(_ downstream: Downstream, upstream: Upstream, retries: Int?) {
    self.upstream = upstream
    remainingRetries = retries
    super.init(downstream, replaceableLink)
    replaceableLink.successorMayRetainSubscriber = true
  }

  @inlinable
  func subscribe() {
    turn.perform { upstream.subscribe(RetryAttempt(self, attempt)) }
  }

  /// Releases the subscription of an attempt that has failed, and begins the next attempt.
  @inlinable
  func startNextAttempt() {
    _ = replaceableLink.unlink()
    guard !link.hasEnded else { return }
    remainingRetries = remainingRetries.map { $0 - 1 }
    attempt += 1
    subscribe()
  }
}

/// The subscriber of one attempt. It ignores signals that upstream sends after the attempt has failed.
@frozen
@usableFromInline
struct RetryAttempt<Upstream: Publisher, Downstream: Subscriber>: OperatorSubscriber, LinkedSubscription
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let stage: RetryStage<Upstream, Downstream>
  @usableFromInline let number: Int

  @usableFromInline var downstream: Downstream { stage.downstream }
  @usableFromInline var link: UpstreamLink { stage.link }

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(_ stage: RetryStage<Upstream, Downstream>, _ number: Int) {
    self.stage = stage
    self.number = number
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if number != stage.attempt {
      subscription.cancel()
    } else if stage.link.isWaiting {
      // The first subscription, though not always of the first attempt: attempts may fail without one.
      stage.receive(subscription: subscription)
    } else {
      stage.replaceableLink.relink(subscription)
    }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard stage.link.isLinked, number == stage.attempt else { return .none }
    stage.replaceableLink.spend()
    let more = stage.downstream.receive(input)
    // Upstream may have failed during the delivery: the demand is requested from the current attempt.
    if more != .none { stage.replaceableLink.request(more) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard number == stage.attempt else { return }
    if case .failure = completion, stage.remainingRetries != 0 {
      stage.startNextAttempt()
    } else if stage.link.finish(from: .notEnded) {
      stage.downstream.receive(completion: completion)
    }
  }
}

extension Publisher {
  /// Subscribes again when this publisher fails, up to a number of times.
  ///
  /// The failure of the last attempt is forwarded. If the publisher fails immediately, the attempts are made in a loop,
  /// so the stack does not grow. A failure without a subscription counts as an attempt.
  ///
  /// - Demand: Demand that has not been met is requested from the new subscription. Demand that the subscriber returns
  ///   for a value is requested from upstream.
  /// - Cancellation: Cancels the current attempt; no other follows.
  /// - Parameter retries: How often to subscribe again after the first attempt. A negative number means no limit.
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}
