import Synchronization

extension Publishers {
  /// A publisher of the values of one publisher up to the first value of another.
  @frozen
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The publisher whose first value ends the stream.
    public let other: Other

    /// Makes a publisher of the values of one publisher up to the first of another.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = PrefixUntilOutputStage(subscriber)
      other.subscribe(stage.makeOther() as OtherSubscriber<Other.Output, Other.Failure>)
      upstream.subscribe(stage)
    }
  }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

/// A ``Stage`` that another publisher's value stops.
///
/// That value may be delivered on any thread, also before upstream has sent its subscription. If the subscriber is
/// being called meanwhile, the thread that calls it delivers the completion when the call has returned.
@usableFromInline
final class PrefixUntilOutputStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let prefixLink = PrefixUntilOutputLink()

  @usableFromInline
  init(_ downstream: Downstream) {
    super.init(downstream, prefixLink)
  }

  /// Makes the subscriber of the other publisher.
  @usableFromInline
  func makeOther<Other, OtherFailure>() -> OtherSubscriber<Other, OtherFailure> {
    OtherSubscriber(
      prefixLink.other, acceptsEarlySignals: false, onValue: { self.stop() }, onCompletion: { _ in })
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    downstream.receive(subscription: link)
    endCall()
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, prefixLink.beginCall() else { return .none }
    let more = downstream.receive(input)
    endCall()
    return more
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    if prefixLink.finishAll() { downstream.receive(completion: completion) }
  }

  /// Ends the stream because of the other publisher's value: cancels upstream, and delivers the completion if the
  /// subscriber is not being called.
  private func stop() {
    switch prefixLink.stop() {
    case .nothing: break
    case .complete: downstream.receive(completion: .finished)
    case .sendSubscriptionAndComplete:
      downstream.receive(subscription: link)
      endCall()
    }
  }

  /// Ends a call to the subscriber that the link has admitted.
  @inlinable
  func endCall() {
    if prefixLink.endCall() { downstream.receive(completion: .finished) }
  }
}

/// The ``UpstreamLink`` of `prefix(untilOutputFrom:)`, which also holds the link to the other publisher.
@usableFromInline
final class PrefixUntilOutputLink: UpstreamLink {
  @inlinable static var stopped: UInt { 1 }
  @inlinable static var over: UInt { 2 }
  @inlinable static var call: UInt { 4 }

  /// Whether the other publisher has stopped the stream, whether it has ended otherwise, and how many calls to the
  /// subscriber are running, one inside another. The first is counted from the start, until the subscriber has received
  /// its subscription.
  @usableFromInline let state = Atomic<UInt>(PrefixUntilOutputLink.call)

  let other = UpstreamLink("PrefixUntilOutput")

  /// What the caller has to do when the other publisher has stopped the stream.
  enum Effect {
    case nothing
    case complete
    case sendSubscriptionAndComplete
  }

  init() {
    super.init("PrefixUntilOutput", .servesEarlyCancellation)
  }

  /// The other publisher's subscriber retains the stage, too.
  @usableFromInline override var releasesSubscriberOnCancel: Bool {
    super.releasesSubscriberOnCancel && other.releasesSubscriberOnCancel
  }

  /// Begins a call to the subscriber.
  ///
  /// - Returns: Whether it may be made; then ``endCall()`` must follow.
  @inlinable
  func beginCall() -> Bool {
    let old = state.wrappingAdd(Self.call, ordering: .acquiringAndReleasing).oldValue
    if old & (Self.stopped | Self.over) == 0 { return true }
    state.wrappingSubtract(Self.call, ordering: .acquiringAndReleasing)
    return false
  }

  /// Ends a call to the subscriber.
  ///
  /// - Returns: Whether the stream has been stopped meanwhile; then the caller delivers the completion.
  @inlinable
  func endCall() -> Bool {
    state.wrappingSubtract(Self.call, ordering: .acquiringAndReleasing).newValue == Self.stopped
  }

  /// Stops the stream because of the other publisher's value, and cancels upstream.
  func stop() -> Effect {
    let old = state.bitwiseOr(Self.stopped, ordering: .acquiringAndReleasing).oldValue
    switch sever() {
    case .waiting: return .sendSubscriptionAndComplete
    case .linked where old < Self.call: return .complete
    default: return .nothing
    }
  }

  /// Ends the link because upstream has completed, and cancels the other publisher. A completion before the
  /// subscription only cancels the other publisher.
  ///
  /// - Returns: Whether the completion is to be passed on.
  func finishAll() -> Bool {
    let isEnd = finish()
    if isEnd { state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing) }
    if isEnd || isWaiting { other.cancel() }
    return isEnd
  }

  @usableFromInline
  override func cancel() {
    state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing)
    super.cancel()
    other.cancel()
  }
}

extension Publisher {
  /// Passes values on until another publisher delivers a value; then cancels upstream and finishes.
  ///
  /// If the other publisher completes without a value, all values are passed on. If it delivers one before this
  /// publisher has sent a subscription, the subscriber receives a subscription and the completion at once.
  ///
  /// - Demand: Passes through; one value is requested from the other publisher.
  /// - Thread: The other publisher may deliver on any thread. If the subscriber is receiving a value meanwhile, it
  ///   receives the completion right after that, on the same thread.
  /// - Cancellation: Cancels upstream and then the other publisher. The other publisher is also cancelled after its
  ///   first value.
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let stop = PassthroughSubject<Void, Never>()
  /// let cancellable = numbers
  ///   .prefix(untilOutputFrom: stop)
  ///   .sink { print($0) }
  /// numbers.send(1)  // 1
  /// stop.send()
  /// numbers.send(2)
  /// ```
  @inlinable
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}
