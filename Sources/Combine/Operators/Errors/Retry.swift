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
    /// How often to subscribe again; `nil` or a negative number for without limit.
    public let retries: Int?

    /// Makes a publisher that tries another again.
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

/// Subscribes again and again, in a loop where the upstream fails at once, so that the stack does not grow.
@usableFromInline
final class RetryStage<Upstream: Publisher, Downstream: Subscriber>: Stage<
  Upstream.Failure, Downstream
>
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  @usableFromInline let upstream: Upstream
  @usableFromInline let replaceableLink = ReplaceableLink("Retry")

  // Signals come one at a time, and a retry follows the failure it answers, so all but the last need no lock.
  @usableFromInline @exclusivity(unchecked) var remainingRetries: Int?
  /// The attempt whose signals count.
  @usableFromInline @exclusivity(unchecked) var attempt = 0
  /// The right to subscribe to upstream; an attempt that fails while the thread that has it subscribes leaves the next
  /// one to that thread.
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

  /// Ends an attempt that has failed, and begins the next.
  @inlinable
  func startNextAttempt() {
    _ = replaceableLink.unlink()
    guard !link.hasEnded else { return }
    remainingRetries = remainingRetries.map { $0 - 1 }
    attempt += 1
    subscribe()
  }
}

/// The subscriber of one attempt, so that what an upstream sends after its failure is not taken for the next one's.
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
      // The first subscription, though attempts may have failed without one.
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
    // Upstream may have failed while the value was delivered: the demand is requested from whatever attempt runs.
    if more != .none { stage.replaceableLink.request(more) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard number == stage.attempt else { return }
    if case .failure = completion, stage.remainingRetries != 0 {
      stage.startNextAttempt()
    } else if stage.link.finish(evenIfWaiting: true) {
      stage.downstream.receive(completion: completion)
    }
  }

  /// Counts before the subscription as well: attempts may fail without one, again and again.
  @usableFromInline
  func cancel() {
    link.cancel()
  }
}

extension Publisher {
  /// Subscribes again when this publisher fails, up to a number of times.
  ///
  /// After the last retry a failure passes through. A publisher that fails at once is tried again in a loop, without
  /// growing the stack. A failure before the subscription counts as well.
  ///
  /// - Demand: What has not been met is requested from the new subscription. Demand that the subscriber returns for a
  ///   value is requested from upstream.
  /// - Parameter retries: How often to subscribe again, after the first attempt; a negative number for without limit.
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}
