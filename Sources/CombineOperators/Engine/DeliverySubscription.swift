import Combine
import InterflowPrimitives
import Synchronization

/// The part of a ``Delivery`` that is not generic: the subscription of an operator's subscriber. A subscriber calls its
/// subscription through a protocol, and generic code that is called so is not specialised.
@usableFromInline
class DeliverySubscription: Subscription, DeliveryOwner, ReleasingSubscription, CustomStringConvertible {
  @usableFromInline final let core: DeliveryCore

  // Formed where the subscriber's type is known, so that what is done in it is specialised.
  @usableFromInline final let act: (DeliverySubscription, DeliveryAction) -> Void

  @usableFromInline final let requested = Atomic(false)

  @inlinable
  init(_ phase: DeliveryDemand.Phase, _ act: @escaping (DeliverySubscription, DeliveryAction) -> Void) {
    core = DeliveryCore(phase)
    self.act = act
  }

  @usableFromInline final var releasesSubscriberOnCancel: Bool { true }

  @usableFromInline var description: String { "Subscription" }

  // MARK: Subscription

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    if demand != .none { core.request(demand.count, self) }
    guard !requested.load(ordering: .relaxed) else { return }
    // After the demand, so that nothing is dropped that this requests.
    requested.store(true, ordering: .relaxed)
    serve()
  }

  /// Whether the subscriber has requested anything, even no values.
  final var hasRequested: Bool { requested.load(ordering: .relaxed) }

  @usableFromInline
  final func cancel() {
    core.cancel(self)
  }

  /// Sends the subscriber its subscription, and then delivers the signals that have arrived.
  @usableFromInline
  final func sendSubscription() {
    core.sendSubscription(self)
  }

  // MARK: The turn

  /// Leaves the turn, after the work that others have left.
  @inlinable
  final func leaveTurn(_ me: UInt, _ previous: UInt) {
    if previous != 0 || !core.turn.leave(me, 0) { leaveTurnSlowly(me, previous) }
  }

  @usableFromInline
  @inline(never)
  final func leaveTurnSlowly(_ me: UInt, _ previous: UInt) {
    core.leaveTurn(me, previous, self)
  }

  /// Records demand that the subscriber has returned, for ``forward(_:)``. With the turn.
  @usableFromInline
  final func addUnforwarded(_ more: Subscribers.Demand) {
    core.lock.lock()
    core.addUnforwardedWithLock(more.count)
    core.lock.unlock()
    core.turn.markWork()
  }

  // MARK: What the core calls

  @usableFromInline
  final func perform(_ action: DeliveryAction) {
    act(self, action)
  }

  @usableFromInline
  func forward(_ more: UInt) {}

  @usableFromInline
  final func serve() {
    core.serveHere(self)
  }

  @usableFromInline
  final func requestedDuringDelivery(_ me: UInt) {
    core.turn.markWork()
  }
}
