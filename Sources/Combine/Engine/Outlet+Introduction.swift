import InterflowPrimitives

/// An outlet whose inputs may bring something before the subscriber has its subscription: that waits, and so does what
/// other threads bring while the subscriber takes it.
extension Outlet {
  /// Holds everything back until ``introduce()``. For use before there are inputs.
  @inlinable
  final func awaitIntroduction() {
    (deliverer, introducer) = (.introduction, .introduction)
  }

  /// Hands the subscriber its subscription, and then what has come in.
  @usableFromInline
  final func introduce() {
    lock.lock()
    let downstream = self.downstream
    introducer = currentThreadIdentity()
    lock.unlock()
    downstream?.receive(subscription: self)
    lock.lock()
    introducer = 0
    if deliverer == .introduction { deliverer = 0 }
    startDelivering()
  }

  /// With the lock: whether what waits may be delivered though the subscriber still takes its subscription: on the thread
  /// that hands it over, where it is inside a request.
  @usableFromInline
  final var mayDeliverIntroducing: Bool {
    deliverer == .introduction && introducer == currentThreadIdentity() && !waiting.isEmpty
  }
}

extension UInt {
  // No thread is called so.

  /// Stands for the thread that delivers, while none may.
  @inlinable static var introduction: UInt { 1 }

  /// Stands for the thread that delivers, where it does not matter which it is.
  @inlinable static var anyThread: UInt { 2 }
}
