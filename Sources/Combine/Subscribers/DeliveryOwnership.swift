import Synchronization

/// Whether only the delivering thread uses what a subscriber at the end of a chain holds.
///
/// That is so if nothing but upstream and a cancellable retains the subscriber, and if everything upstream releases a
/// subscriber that has cancelled. Then a cancellation releases nothing itself: what the subscriber holds is released
/// with it, and a value costs no lock. Otherwise the link's `lock` guards what it holds, and a cancellation releases
/// it.
@frozen
@usableFromInline
struct DeliveryOwnership: ~Copyable {
  // Changed with the link's `lock`: both.
  @usableFromInline let belongs = Atomic(false)
  @usableFromInline let isUndecided: Atomic<Bool>

  /// - Parameter isShared: Whether objects other than upstream and a cancellable may retain the subscriber.
  @inlinable
  init(isShared: Bool) {
    isUndecided = Atomic(!isShared)
  }

  /// Whether only the delivering thread uses what the subscriber holds, until it is deallocated.
  @inlinable var belongsToDelivery: Bool { belongs.load(ordering: .relaxed) }

  /// Decides who uses what the subscriber holds. To be called with each value, before it is delivered; decides once.
  borrowing func decide(_ link: Link) {
    guard isUndecided.load(ordering: .relaxed), let upstream = link.currentUpstream else { return }
    let belongs = upstream.releasesSubscriberOnCancel
    link.lock.lock()
    isUndecided.store(false, ordering: .relaxed)
    // After a cancellation, what the subscriber holds has been released.
    if belongs, link.isLinked { self.belongs.store(true, ordering: .relaxed) }
    link.lock.unlock()
  }
}
