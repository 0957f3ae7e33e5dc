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
    /// The publisher whose first value lets the values through.
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
      dropLink.other, acceptsEarlySignals: true, onValue: { self.letThrough() }, onCompletion: { self.stop($0) })
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
    guard link.finish(evenIfWaiting: true) else { return }
    dropLink.other.cancel()
    downstream.receive(completion: completion)
  }

  /// Passes a value on that comes before upstream's subscription, if there is demand for it. None is made good for one
  /// that is dropped here, since nothing has been requested from upstream.
  @usableFromInline
  @inline(never)
  func receiveEarly(_ input: Input) -> Subscribers.Demand {
    guard skipped.load(ordering: .acquiring) == Self.open, dropLink.spendEarly() else { return .none }
    return downstream.receive(input)
  }

  /// Counts a value that is dropped.
  ///
  /// - Returns: Whether it is.
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

  private func letThrough() {
    let count = skipped.exchange(Self.open, ordering: .acquiringAndReleasing)
    if count > 0 { link.request(.max(Int(count))) }
  }

  private func stop(_ completion: Subscribers.Completion<Failure>) {
    if dropLink.severFromAnyPhase() != Link.Phase.ended { downstream.receive(completion: completion) }
  }
}

/// The link of `drop(untilOutputFrom:)`, which the subscriber has before upstream is subscribed to, and which holds the
/// link to the other publisher too.
private final class DropUntilOutputLink: UpstreamLink {
  let other = UpstreamLink("DropUntilOutput")

  // Guarded by `lock`: what has been requested before upstream's subscription.
  private var early = Subscribers.Demand.none

  init() {
    super.init("DropUntilOutput", .servesEarlyRequests)
  }

  /// The other publisher's subscriber holds the stage, too.
  override var releasesSubscriberOnCancel: Bool { super.releasesSubscriberOnCancel && other.releasesSubscriberOnCancel }

  /// Takes upstream's subscription, and requests from it what has been requested until now.
  func attach(_ subscription: any Subscription) {
    guard link(subscription) else { return }
    lock.lock()
    let demand = early
    early = .none
    lock.unlock()
    if demand != .none { super.request(demand) }
  }

  /// Counts a value that is delivered before upstream's subscription.
  ///
  /// - Returns: Whether there was demand for it.
  func spendEarly() -> Bool {
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
  /// Drops values until another publisher delivers one; all values after that are passed on.
  ///
  /// The subscriber receives its subscription first; then the other publisher is subscribed to, and then this one. If the
  /// other publisher completes without a value, so does this, and cancels upstream.
  ///
  /// - Demand: Passes through; one value is requested from the other publisher. When that comes, as many values as were
  ///   dropped are requested from upstream, so the subscriber gets what it requested.
  /// - Cancellation: Cancels upstream and then the other publisher, which is also cancelled after its first value.
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
