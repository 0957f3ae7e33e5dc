import InterflowPrimitives
import Synchronization

/// A sink's closures, in an object so that they can be released before the sink is.
@usableFromInline
final class SinkClosures<Input, Failure: Error> {
  @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
  @usableFromInline let receiveValue: (Input) -> Void

  @inlinable
  init(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
  ) {
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }
}

/// The subscriber that calls a sink's closures, and its link upstream.
///
/// The closures are released at the end. Where everything upstream releases a subscriber that has cancelled, the
/// cancellation leaves them to that: so nobody but the thread that delivers touches them, and a value costs no lock.
/// Otherwise, and where somebody else may keep this, they are taken out under the lock, and a value is delivered with a
/// reference of its own.
@usableFromInline
final class SinkLink<Input, Failure: Error>: Link, Subscriber {
  // A retained reference, `nil` once the closures have gone. While upstream releases cancelled subscribers, it is the
  // upstream's one signal at a time that guards it, with `isDelivering`. Otherwise `lock` does.
  @usableFromInline @exclusivity(unchecked) var closures: Unmanaged<SinkClosures<Input, Failure>>?

  /// - Parameter isShared: Whether others than the upstream and a cancellable may keep this.
  @inlinable
  init(_ closures: SinkClosures<Input, Failure>, isShared: Bool) {
    self.closures = .passRetained(closures)
    super.init(isShared ? .isShared : [])
  }

  deinit {
    closures?.release()
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if link(subscription) { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard isLinked, isOwnedByDelivery, let closures else {
      receiveGuarded(input)
      return .none
    }
    let isOutermost = !isDelivering
    isDelivering = true
    closures._withUnsafeGuaranteedRef { $0.receiveValue(input) }
    if isOutermost {
      isDelivering = false
      if hasEnded { take()?.release() }
    }
    return .none
  }

  /// With a reference to the closures that a cancellation meanwhile cannot take away.
  @usableFromInline
  func receiveGuarded(_ input: Input) {
    if hasEnded { return }
    lock.lock()
    let closures = closures?.takeUnretainedValue()
    // As long as the lock guards the closures, `isDelivering` says that upstream has been asked once more.
    let asksAgain = isLinked && !traits.contains(.isShared) && !isDelivering
    if asksAgain { isDelivering = true }
    let upstream = asksAgain ? self.upstream : nil
    lock.unlock()
    if let upstream, upstream.nowReleasesSubscriberOnCancel { leaveToUpstream() }
    closures?.receiveValue(input)
  }

  /// From now on upstream guards the closures, unless there was a cancellation meanwhile, which has taken them out.
  private func leaveToUpstream() {
    lock.lock()
    if isLinked {
      isDelivering = false
      upstreamReleasesSubscriber.store(true, ordering: .relaxed)
    }
    lock.unlock()
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish(evenIfWaiting: true) else { return }
    current?.receiveCompletion(completion)
    if !isOwnedByDelivery || !isDelivering { take()?.release() }
  }

  @usableFromInline
  override func cancel() {
    sever()
    if !isOwnedByDelivery { take()?.release() }
  }

  /// The closures, until the end.
  var current: SinkClosures<Input, Failure>? {
    lock.lock()
    let closures = closures?.takeUnretainedValue()
    lock.unlock()
    return closures
  }

  /// Takes the closures out, to be released without the lock.
  @usableFromInline
  func take() -> Unmanaged<SinkClosures<Input, Failure>>? {
    lock.lock()
    let closures = self.closures
    self.closures = nil
    lock.unlock()
    return closures
  }

  @usableFromInline override var description: String { "Sink" }
  @usableFromInline override var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
