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

/// The subscriber that calls a sink's closures: a ``Link`` to its upstream.
///
/// The closures are released at the end. If everything upstream releases a subscriber that has cancelled, a
/// cancellation does not release them: they are released with this. Then only the delivering thread uses them, and a
/// value costs no lock. Otherwise, and if others may retain this, they are taken out under the lock, and each value is
/// delivered with an additional reference to them.
@usableFromInline
final class SinkLink<Input, Failure: Error>: Link, Subscriber {
  // A retained reference; `nil` once the closures have been released. If `isOwnedByDelivery`, only the delivering
  // thread uses it and `isDelivering`. Otherwise `lock` guards both.
  @usableFromInline @exclusivity(unchecked) var closures: Unmanaged<SinkClosures<Input, Failure>>?

  /// - Parameter isShared: Whether others than the upstream and a cancellable may retain this.
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

  /// Delivers a value with an additional reference to the closures, since a cancellation may release them meanwhile.
  @usableFromInline
  func receiveGuarded(_ input: Input) {
    if hasEnded { return }
    lock.lock()
    let closures = closures?.takeUnretainedValue()
    // While the lock guards the closures, `isDelivering` says that upstream has been checked a second time.
    let checksAgain = isLinked && !traits.contains(.isShared) && !isDelivering
    if checksAgain { isDelivering = true }
    let upstream = checksAgain ? self.upstream : nil
    lock.unlock()
    if let upstream, upstream.nowReleasesSubscriberOnCancel { transferToDelivery() }
    closures?.receiveValue(input)
  }

  /// From now on only the delivering thread uses the closures, unless a cancellation has taken them out meanwhile.
  private func transferToDelivery() {
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
