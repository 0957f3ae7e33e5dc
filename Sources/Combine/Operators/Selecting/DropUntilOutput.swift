import Synchronization

extension Publishers {
  /// A publisher of the values of one publisher after the first value of another.
  @frozen
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The publisher after whose first value the values are passed on.
    public let other: Other

    /// Makes a publisher of the values of one publisher after the first of another.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = DropUntilOutputStage(subscriber)
      subscriber.receive(subscription: stage.link)
      other.subscribe(stage.makeOther() as OtherSubscriber<Other.Output, Failure>)
      upstream.subscribe(stage)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

/// A ``Stage`` that drops values, and counts them, until another publisher has delivered a value.
@usableFromInline
final class DropUntilOutputStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable static var open: UInt { .max }

  private let dropLink = DropUntilOutputLink()

  /// How many values have been dropped, or ``open``.
  @usableFromInline let skipped = Atomic<UInt>(0)

  @usableFromInline
  init(_ downstream: Downstream) {
    super.init(downstream, dropLink)
  }

  /// Makes the subscriber of the other publisher.
  @usableFromInline
  func makeOther<Other>() -> OtherSubscriber<Other, Failure> {
    // A completion without a value, or before the subscription, ends the stream.
    OtherSubscriber(
      dropLink.other, acceptsEarlySignals: true, onValue: { self.stopDropping() }, onCompletion: { self.end($0) })
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    dropLink.attach(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return receiveEarly(input) }
    return skip() ? .none : downstream.receive(input)
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish(from: .notEnded) else { return }
    dropLink.other.cancel()
    downstream.receive(completion: completion)
  }

  /// Passes on a value that comes before upstream's subscription, if there is demand for it. A value that is dropped
  /// here requests no other, since nothing has been requested from upstream.
  @usableFromInline
  @inline(never)
  func receiveEarly(_ input: Input) -> Subscribers.Demand {
    guard skipped.load(ordering: .acquiring) == Self.open, dropLink.takeEarlyDemand() else { return .none }
    return downstream.receive(input)
  }

  /// Counts a value as dropped, if values are still dropped.
  ///
  /// - Returns: Whether the value is dropped.
  @inlinable
  func skip() -> Bool {
    var old = skipped.load(ordering: .acquiring)
    while old != Self.open {
      let (exchanged, original) = skipped.weakCompareExchange(
        expected: old, desired: old + 1, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      old = original
    }
    return false
  }

  private func stopDropping() {
    let count = skipped.exchange(Self.open, ordering: .acquiringAndReleasing)
    if count > 0 { link.request(.max(Int(count))) }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    if dropLink.sever() != .ended { downstream.receive(completion: completion) }
  }
}

/// The ``UpstreamLink`` of `drop(untilOutputFrom:)`. The subscriber gets it before upstream is subscribed to. It also
/// holds the link to the other publisher.
private final class DropUntilOutputLink: UpstreamLink {
  let other = UpstreamLink("DropUntilOutput")

  // Guarded by `lock`: the demand requested before upstream's subscription.
  private var early = Subscribers.Demand.none

  init() {
    super.init("DropUntilOutput", [.servesEarlyRequests, .servesEarlyCancellation])
  }

  /// The other publisher may still retain the stage, and can no longer be asked when the first value arrives.
  @usableFromInline override var releasesSubscriberOnCancel: Bool { false }

  /// Links upstream's subscription, and makes the early requests.
  func attach(_ subscription: any Subscription) {
    guard link(subscription) else { return }
    lock.lock()
    let demand = early
    early = .none
    lock.unlock()
    if demand != .none { super.request(demand) }
  }

  /// Takes one from the early demand, for a value that comes before upstream's subscription.
  ///
  /// - Returns: Whether there was demand for it.
  func takeEarlyDemand() -> Bool {
    lock.lock()
    let isRequested = isWaiting && early != .none
    if isRequested { early -= 1 }
    lock.unlock()
    return isRequested
  }

  override func request(_ demand: Subscribers.Demand) {
    if demand == .none { return }
    lock.lock()
    let isEarly = isWaiting
    if isEarly { early += demand }
    lock.unlock()
    if !isEarly { super.request(demand) }
  }

  override func cancel() {
    super.cancel()
    other.cancel()
  }
}

extension Publisher {
  /// Drops values until another publisher delivers a value; later values are passed on.
  ///
  /// The subscriber receives its subscription first; then the other publisher is subscribed to, and then this one. If
  /// the other publisher completes without a value, its completion is passed on, and upstream is cancelled.
  ///
  /// - Demand: Passes through; one value is requested from the other publisher. When that value arrives, as many values
  ///   as were dropped are requested from upstream, so the subscriber gets as many as it has requested.
  /// - Cancellation: Cancels upstream and then the other publisher. The other publisher is also cancelled after its
  ///   first value.
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let start = PassthroughSubject<Void, Never>()
  /// let cancellable = numbers
  ///   .drop(untilOutputFrom: start)
  ///   .sink { print($0) }
  /// numbers.send(1)
  /// start.send()
  /// numbers.send(2)  // 2
  /// ```
  @inlinable
  public func drop<P: Publisher>(
    untilOutputFrom publisher: P
  ) -> Publishers.DropUntilOutput<Self, P> where Failure == P.Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}
