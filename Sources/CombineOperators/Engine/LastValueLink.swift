import Combine
import InterflowPrimitives
import Synchronization

/// The subscription of an operator that delivers one more value after those of its one upstream. It counts the demand,
/// so that the value waits for it.
@usableFromInline
final class LastValueLink: Subscription, ReleasingSubscription, CustomStringConvertible {
  @usableFromInline let description: String
  @usableFromInline let demand = PackedDemand()
  /// Whether a value is being delivered, so that the last one waits. Written by whoever delivers, one after the other, and
  /// read by others under `lock`: the deliverer takes that after each change that matters to them.
  @usableFromInline let isDelivering = Atomic(false)

  // Guarded by `lock`: `upstream`, `last`.
  private let lock = Lock()
  private var upstream: (any Subscription)?
  private var last: (value: () -> Void, completion: () -> Void)?

  /// The stage, and the subscriber with it, is released by upstream.
  @usableFromInline private(set) var releasesSubscriberOnCancel = false

  @inlinable static var linked: UInt { PackedDemand.flag(0) }
  /// Upstream has completed, or the subscriber has cancelled.
  @inlinable static var ended: UInt { PackedDemand.flag(1) }

  /// The subscriber has cancelled.
  @inlinable static var cancelled: UInt { PackedDemand.flag(2) }

  @usableFromInline
  init(name: String) {
    description = name
  }

  @inlinable var isLinked: Bool { demand.load() & (Self.linked | Self.ended) == Self.linked }

  @inlinable var isCancelled: Bool { demand.hasFlag(Self.cancelled) }

  /// Accepts the subscription. A second one, or one that arrives after the end, is cancelled.
  ///
  /// - Returns: Whether it was accepted.
  @usableFromInline
  func attach(_ subscription: any Subscription) -> Bool {
    let releases = (subscription as? any ReleasingSubscription)?.releasesSubscriberOnCancel ?? false
    lock.lock()
    let isFirst = demand.load() & (Self.linked | Self.ended) == 0
    if isFirst {
      upstream = subscription
      releasesSubscriberOnCancel = releases
      demand.set(Self.linked)
    }
    lock.unlock()
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  /// Counts a value, and calls a closure that delivers it. The last value is delivered afterwards, if it is due then.
  ///
  /// - Returns: The demand that the subscriber returned.
  @inlinable
  func deliver(_ value: () -> Subscribers.Demand) -> Subscribers.Demand {
    demand.spend()
    let isNested = isDelivering.load(ordering: .relaxed)
    if !isNested { isDelivering.store(true, ordering: .relaxed) }
    let more = value()
    if more != .none { demand.add(more.count) }
    if !isNested {
      isDelivering.store(false, ordering: .releasing)
      if demand.hasFlag(Self.ended) { deliverLast() }
    }
    return more
  }

  /// Delivers the last value and the completion, as soon as there is demand. Ignored after the end.
  @usableFromInline
  func finish(_ value: @escaping () -> Void, completion: @escaping () -> Void) {
    lock.lock()
    guard isLinked else { return lock.unlock() }
    demand.set(Self.ended)
    let completed = upstream
    upstream = nil
    last = (value, completion)
    lock.unlock()
    releaseOutsideLock(completed)
    deliverLast()
  }

  @usableFromInline
  func request(_ more: Subscribers.Demand) {
    guard more != .none else { return }
    lock.lock()
    demand.add(more.count)
    let upstream = self.upstream
    lock.unlock()
    if let upstream { upstream.request(more) } else { deliverLast() }
  }

  @usableFromInline
  func cancel() {
    lock.lock()
    demand.set(Self.ended | Self.cancelled)
    let (upstream, last) = (self.upstream, self.last)
    self.upstream = nil
    self.last = nil
    lock.unlock()
    upstream?.cancel()
    releaseOutsideLock(last)
  }

  @usableFromInline
  func deliverLast() {
    lock.lock()
    let state = demand.load()
    let waits = state & PackedDemand.mask == 0 || isDelivering.load(ordering: .acquiring)
    let last = waits ? nil : self.last.take()
    lock.unlock()
    guard let last else { return }
    last.value()
    if !isCancelled { last.completion() }
  }
}
