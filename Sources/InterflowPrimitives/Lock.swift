import Synchronization

/// A small lock, stored inline in the object that it guards. Not recursive.
///
/// `Mutex.withLock` cannot hold generic state that is not `Sendable`, and the result of its closure costs metadata
/// look-ups at run time if the generic code around it is not specialised. This is the only place that uses the mutex
/// directly.
///
/// ThreadSanitizer does not see that a thread has waited for a `Mutex`: that code is inside the standard library, which
/// is not instrumented. Tests under the sanitizer are therefore built with `-Xswiftc -DINTERFLOW_SANITIZE_THREAD`,
/// which adds an atomic with the same ordering as the mutex: a thread that takes the lock sees all writes of the
/// previous owners.
@frozen
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {  // The mutex is the state, and it protects itself.
  @usableFromInline
  let mutex: Mutex<Void>

  #if INTERFLOW_SANITIZE_THREAD
    @usableFromInline let ordering = Atomic(false)
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
      _ = ordering.load(ordering: .acquiring)
    #endif
  }

  /// Releases the lock. Only the thread that took it may do so.
  @inlinable
  package borrowing func unlock() {
    #if INTERFLOW_SANITIZE_THREAD
      ordering.store(true, ordering: .releasing)
    #endif
    mutex._unsafeUnlock()
  }

  /// Traps in a debug build if no thread holds the lock: for functions whose caller must hold it.
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
