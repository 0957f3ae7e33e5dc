import InterflowPrimitives

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
  @usableFromInline let turn = Turn()

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
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    if link.link(subscription) { downstream.receive(subscription: link) }
    if !turn.leave(me, previous) { completeAndLeave(me) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    let more = link.isLinked ? downstream.receive(input) : .none
    if !turn.leave(me, previous) { completeAndLeave(me) }
    return more
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    if prefixLink.finishAll() { downstream.receive(completion: completion) }
  }

  /// Ends the stream because of the other publisher's value: cancels upstream, and delivers the completion if the
  /// subscriber is not being called.
  private func stop() {
    prefixLink.stop()
    turn.perform(complete)
  }

  /// Delivers the completion, and leaves the turn.
  @usableFromInline
  @inline(never)
  func completeAndLeave(_ me: UInt) {
    repeat {
      turn.clearWork()
      complete()
    } while !turn.leave(me, 0)
  }

  /// Delivers what is due after a stop. With the turn.
  private func complete() {
    switch prefixLink.takeDue() {
    case .nothing: return
    case .subscriptionAndCompletion:
      downstream.receive(subscription: link)
      guard prefixLink.isCompletionWanted else { return }
    case .completion: break
    }
    downstream.receive(completion: .finished)
  }
}

/// The ``UpstreamLink`` of `prefix(untilOutputFrom:)`, which also holds the link to the other publisher.
@usableFromInline
final class PrefixUntilOutputLink: UpstreamLink {
  /// The signals that the subscriber has yet to receive because the other publisher has stopped the stream.
  enum Due {
    case nothing
    case completion
    case subscriptionAndCompletion
  }

  // Guarded by `lock`: `due` and `isCancelled`.
  @exclusivity(unchecked) private var due = Due.nothing
  @exclusivity(unchecked) private var isCancelled = false

  let other = UpstreamLink("PrefixUntilOutput")

  init() {
    super.init("PrefixUntilOutput", .servesEarlyCancellation)
  }

  /// The other publisher's subscriber retains the stage, too.
  override var releasesSubscriberOnCancel: Bool { super.releasesSubscriberOnCancel && other.releasesSubscriberOnCancel }

  /// Ends the link because of the other publisher's value, and cancels upstream.
  func stop() {
    let phase = severFromAnyPhase()
    guard phase != Phase.ended else { return }
    lock.lock()
    due = phase == Phase.waiting ? .subscriptionAndCompletion : .completion
    lock.unlock()
  }

  /// Takes out what the subscriber has yet to receive.
  func takeDue() -> Due {
    lock.lock()
    let due = isCancelled ? .nothing : due
    self.due = .nothing
    lock.unlock()
    return due
  }

  /// Whether the subscriber has not cancelled.
  var isCompletionWanted: Bool {
    lock.lock()
    let isCancelled = isCancelled
    lock.unlock()
    return !isCancelled
  }

  /// Ends the link because upstream has completed, and cancels the other publisher. A completion before the
  /// subscription only cancels the other publisher.
  ///
  /// - Returns: Whether the completion is to be passed on.
  func finishAll() -> Bool {
    let isEnd = finish()
    if isEnd || isWaiting { other.cancel() }
    return isEnd
  }

  @usableFromInline
  override func cancel() {
    lock.lock()
    isCancelled = true
    lock.unlock()
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
