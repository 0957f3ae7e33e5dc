import Synchronization

/// A small lock, held inline in the object that it guards. Not recursive.
///
/// `Mutex.withLock` cannot hold generic state that is not `Sendable`, and its closure's result costs look-ups in the
/// runtime's metadata where the generic code around it is not specialised. This is the one place that opens it up.
///
/// ThreadSanitizer cannot see a `Mutex` that had to wait: that path is inside the standard library, which is not
/// instrumented. Tests under the sanitizer are therefore built with `-Xswiftc -DINTERFLOW_SANITIZE_THREAD`, which
/// spells out what the mutex guarantees: who takes the lock sees what those who held it before have done.
@frozen
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {  // The mutex is the state, and it protects itself.
  @usableFromInline
  let mutex: Mutex<Void>

  #if INTERFLOW_SANITIZE_THREAD
    @usableFromInline let handover = Atomic(false)
  #endif

  @inlinable
  package init() {
    mutex = Mutex(())
  }

  /// Waits until the lock is free and takes it. Taking it twice on one thread is an error.
  @inlinable
  package borrowing func lock() {
    mutex._unsafeLock()
    #if INTERFLOW_SANITIZE_THREAD
      _ = handover.load(ordering: .acquiring)
    #endif
  }

  /// Gives the lock back. Only the thread that took it may do so.
  @inlinable
  package borrowing func unlock() {
    #if INTERFLOW_SANITIZE_THREAD
      handover.store(true, ordering: .releasing)
    #endif
    mutex._unsafeUnlock()
  }

  /// Stops a debug build when nobody holds the lock: for helpers whose caller must hold it.
  @inlinable
  package borrowing func assertHeld() {
    assert(
      {
        guard mutex._unsafeTryLock() else { return true }
        mutex._unsafeUnlock()
        return false
      }(), "the lock must be held here")
  }
}
