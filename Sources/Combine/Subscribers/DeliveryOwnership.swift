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
  @frozen
  @usableFromInline
  enum Owner {
    @inlinable static var link: UInt8 { 0 }
    @inlinable static var undecided: UInt8 { 1 }
    @inlinable static var delivery: UInt8 { 2 }
  }

  // One byte, since every live sink has it in a word with others. Changed with the link's `lock`.
  @usableFromInline let owner: Atomic<UInt8>

  /// - Parameter isShared: Whether objects other than upstream and a cancellable may retain the subscriber.
  @inlinable
  init(isShared: Bool) {
    owner = Atomic(isShared ? Owner.link : Owner.undecided)
  }

  /// Whether only the delivering thread uses what the subscriber holds, until it is deallocated.
  @inlinable var belongsToDelivery: Bool { owner.load(ordering: .relaxed) == Owner.delivery }

  /// Decides who uses what the subscriber holds. To be called with each value, before it is delivered; decides once.
  borrowing func decide(_ link: Link) {
    guard owner.load(ordering: .relaxed) == Owner.undecided, let upstream = link.currentUpstream else { return }
    let belongs = upstream.releasesSubscriberOnCancel
    link.lock.lock()
    // After a cancellation, what the subscriber holds has been released.
    owner.store(belongs && link.isLinked ? Owner.delivery : Owner.link, ordering: .relaxed)
    link.lock.unlock()
  }
}
