import Combine
import InterflowPrimitives

extension Publishers {
  /// A publisher that subscribes to another again after a failure, when a third says so.
  ///
  /// See ``Combine/Publisher/retryWhen(_:)``.
  public struct RetryWhen<Upstream: Publisher, Trigger: Publisher, Output, Failure: Error>: Publisher
  where Output == Upstream.Output, Failure == Upstream.Failure {
    private let upstream: Upstream
    private let errorTrigger: (AnyPublisher<Upstream.Failure, Never>) -> Trigger

    init(upstream: Upstream, errorTrigger: @escaping (AnyPublisher<Upstream.Failure, Never>) -> Trigger) {
      self.upstream = upstream
      self.errorTrigger = errorTrigger
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let errors = PassthroughSubject<Failure, Never>()
      // The trigger may request the next failure only after the value that causes the attempt which fails.
      let latest = errors.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
      let delivery = Delivery(subscriber, "RetryWhen", RetryState<Failure>())
      let input = RetryInput(delivery, upstream, errors)
      let trigger = RetryTrigger<Trigger.Output, Trigger.Failure, _, _>(delivery, input)
      if delivery.add(trigger, .unlimited) { errorTrigger(latest.eraseToAnyPublisher()).subscribe(trigger) }
      let isOpen = delivery.add(input, .replaceable)
      // First, as in ``Delivery/joinAlone(_:accept:onCompletion:)``.
      delivery.sendSubscription()
      // The trigger may have ended the stream, or the subscriber.
      if isOpen, !input.hasEnded { upstream.subscribe(RetryAttempt(input)) }
    }
  }
}

private struct RetryState<Failure: Error>: DeliveryValues {
  enum Step {
    /// There is nothing to do: an attempt goes on, or the stream has ended.
    case idle
    /// An attempt has failed. The trigger decides.
    case failed
    /// The next attempt is to be made.
    case due
  }

  var step = Step.idle
  /// The failure of the latest attempt that has failed.
  var latest: Failure?
}

/// The subscription to upstream, which each attempt replaces.
///
/// The delivery's turn is not held while it subscribes to upstream, or sends a failure to the trigger.
private final class RetryInput<Upstream: Publisher, Downstream: Subscriber>: InputLink
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  typealias Failure = Upstream.Failure

  private let delivery: Delivery<RetryState<Failure>, Downstream>
  private let upstream: Upstream
  private let errors: PassthroughSubject<Failure, Never>
  /// The right to subscribe to upstream. If the next attempt becomes due while a thread still subscribes, that thread
  /// makes it, in a loop, so that a publisher which always fails immediately does not grow the stack.
  private let turn = Turn()

  init(
    _ delivery: Delivery<RetryState<Failure>, Downstream>, _ upstream: Upstream,
    _ errors: PassthroughSubject<Failure, Never>
  ) {
    self.delivery = delivery
    self.upstream = upstream
    self.errors = errors
    super.init(.replaceable)
  }

  /// Makes another attempt, if it is due.
  func subscribeIfDue() {
    turn.perform {
      var isDue = false
      delivery.withTurn {
        isDue = $0.values.step == .due
        if isDue { $0.values.step = .idle }
      }
      if isDue, reopen() { upstream.subscribe(RetryAttempt(self)) }
    }
  }

  func receive(_ value: Upstream.Output) {
    guard isLinked else { return }
    delivery.withTurn {
      // The stream may have ended while this thread waited for the turn.
      guard isLinked else { return }
      spend()
      $0.send(value)
    }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish() else { return }
    switch completion {
    case .finished:
      delivery.withTurn { $0.finish() }
    case .failure(let failure):
      var replaced: RetryState<Failure>?
      delivery.withTurn {
        guard $0.isAccepting else { return }
        // Released when the new one is whole, since that may run code that ends the stream.
        replaced = $0.values
        $0.values = RetryState(step: .failed, latest: failure)
      }
      releaseOutsideLock(replaced)
      errors.send(failure)
    }
  }
}

/// The subscriber of one attempt. What its publisher still sends after its completion must not be taken for the next
/// attempt's.
private final class RetryAttempt<Upstream: Publisher, Downstream: Subscriber>: Subscriber
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  typealias Input = Upstream.Output
  typealias Failure = Upstream.Failure

  private let target: RetryInput<Upstream, Downstream>
  private let isOver = Flag()

  init(_ target: RetryInput<Upstream, Downstream>) {
    self.target = target
  }

  func receive(subscription: any Subscription) {
    if isOver.value { subscription.cancel() } else { target.attach(subscription) }
  }

  func receive(_ value: Input) -> Subscribers.Demand {
    if !isOver.value { target.receive(value) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if isOver.set() { target.receive(completion: completion) }
  }
}

/// The subscriber of the publisher that says when to subscribe again.
private final class RetryTrigger<Input, Failure: Error, Upstream: Publisher, Downstream: Subscriber>: InputLink,
  Subscriber
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  private let delivery: Delivery<RetryState<Upstream.Failure>, Downstream>
  // Weak, since the subject of the failures may retain this subscriber. The delivery retains the input.
  private weak let input: RetryInput<Upstream, Downstream>?

  init(_ delivery: Delivery<RetryState<Upstream.Failure>, Downstream>, _ input: RetryInput<Upstream, Downstream>) {
    self.delivery = delivery
    self.input = input
    super.init(.unlimited)
  }

  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  func receive(_ value: Input) -> Subscribers.Demand {
    guard isLinked else { return .none }
    var isDue = false
    delivery.withTurn {
      isDue = isLinked && $0.values.step == .failed
      if isDue { $0.values.step = .due }
    }
    if isDue { input?.subscribeIfDue() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish() else { return }
    delivery.withTurn {
      if case .failure(let failure) = completion, let failure = failure as? Upstream.Failure ?? $0.values.latest {
        $0.finish(.failure(failure), unrequested: .dropped)
      } else {
        $0.finish()
      }
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher again after a failure, when a publisher that a closure makes of the failures delivers a
  /// value.
  ///
  /// ```swift
  /// let quotes = connection.retryWhen { failures in
  ///   failures.delay(for: .seconds(1), scheduler: queue)
  /// }
  /// ```
  ///
  /// A value of that publisher which comes while there is no failure to answer, as during an attempt, is ignored.
  ///
  /// The completion of that publisher is the stream's, and comes at once. So it does not limit the retries with an operator
  /// such as `prefix(_:)`, which finishes with its last value: the attempt that this value starts would be cancelled, and
  /// the failure lost. ``Combine/Publisher/retry(_:delay:backoff:jitter:on:options:when:)`` has a limit. If that publisher
  /// fails with a failure of another kind, the stream fails with the latest of this publisher, or finishes if there was
  /// none.
  ///
  /// - Demand: What has been requested and not delivered is requested from the next subscription. The latest failure is
  ///   stored until the publisher that the closure has made requests it.
  /// - Cancellation: Cancels this publisher and the one that the closure has made.
  /// - Parameter errorTrigger: Makes a publisher of the failures, which says when to subscribe again.
  public func retryWhen<RetryTrigger: Publisher>(
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> RetryTrigger
  ) -> Publishers.RetryWhen<Self, RetryTrigger, Output, Failure> {
    Publishers.RetryWhen(upstream: self, errorTrigger: errorTrigger)
  }
}
