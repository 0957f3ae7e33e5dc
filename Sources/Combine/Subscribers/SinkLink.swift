import InterflowPrimitives
import Synchronization

/// A sink's closures, in an object so that they can be released before the sink is. This one ignores the completion, and
/// has no memory for a closure that does.
@usableFromInline
class SinkClosures<Input, Failure: Error> {
  @usableFromInline final let receiveValue: (Input) -> Void

  @inlinable
  init(receiveValue: @escaping (Input) -> Void) {
    self.receiveValue = receiveValue
  }

  @usableFromInline var receiveCompletion: (Subscribers.Completion<Failure>) -> Void { { _ in } }
}

/// The closures of a sink that does not ignore the completion.
@usableFromInline
final class CompletingSinkClosures<Input, Failure: Error>: SinkClosures<Input, Failure> {
  @usableFromInline let complete: (Subscribers.Completion<Failure>) -> Void

  @inlinable
  init(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
  ) {
    complete = receiveCompletion
    super.init(receiveValue: receiveValue)
  }

  @usableFromInline override var receiveCompletion: (Subscribers.Completion<Failure>) -> Void { complete }
}

/// The subscriber that calls a sink's closures: a ``Link`` to its upstream.
///
/// The closures are released at the end. If ``DeliveryOwnership`` says that they belong to the delivering thread, a
/// cancellation does not release them: they are released with this. Otherwise they are taken out under the lock, and
/// each value is delivered with an additional reference to them.
@usableFromInline
final class SinkLink<Input, Failure: Error>: Link, Subscriber {
  @usableFromInline let ownership: DeliveryOwnership
  // Used only while the closures belong to the delivering thread, by that thread.
  @usableFromInline @exclusivity(unchecked) var isDelivering = false
  // A retained reference; `nil` once the closures have been released. `ownership` says what guards it.
  @usableFromInline @exclusivity(unchecked) var closures: Unmanaged<SinkClosures<Input, Failure>>?

  /// - Parameter isShared: Whether others than the upstream and a cancellable may retain this.
  @inlinable
  init(_ closures: SinkClosures<Input, Failure>, isShared: Bool) {
    ownership = DeliveryOwnership(isShared: isShared)
    self.closures = .passRetained(closures)
    super.init()
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
    guard isLinked, ownership.belongsToDelivery, let closures else {
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
    ownership.decide(self)
    current?.receiveValue(input)
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish(from: .notEnded) else { return }
    current?.receiveCompletion(completion)
    if !ownership.belongsToDelivery || !isDelivering { take()?.release() }
  }

  @usableFromInline
  override func cancel() {
    sever()
    if !ownership.belongsToDelivery { take()?.release() }
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
