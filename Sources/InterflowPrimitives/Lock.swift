import Synchronization

#if os(Linux) || os(Android)
  internal import CInterflowPrimitives
#endif

/// A small lock, stored inline in the object that it guards. Not recursive.
///
/// `Mutex.withLock` cannot hold generic state that is not `Sendable`, and the result of its closure costs metadata
/// look-ups at run time if the generic code around it is not specialised.
///
/// On Linux, this does not use `Mutex` at all: that is code of the standard library, which is not compiled for
/// ThreadSanitizer, so that the sanitizer would not see that one thread has waited for another, in any program that
/// uses this package. What is compiled with the program, it sees.
@frozen
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {  // The atomic, or the mutex, is the state, and protects itself.
  #if os(Linux) || os(Android)
    /// 0 while the lock is free, 1 while it is held, 2 while it is held and a thread may sleep until it is free.
    @usableFromInline let word = Atomic<UInt32>(0)

    @inlinable
    package init() {}

    /// Waits until the lock is free and takes it. Taking it twice on one thread is an error.
    @inlinable
    package borrowing func lock() {
      if word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
      {
        return
      }
      lockSlowly()
    }

    /// Releases the lock. Only the thread that took it may do so.
    @inlinable
    package borrowing func unlock() {
      if word.exchange(0, ordering: .releasing) == 2 { wake() }
    }

    /// Traps in a debug build if no thread holds the lock: for functions whose caller must hold it.
    @inlinable
    package borrowing func assertHeld() {
      assert(word.load(ordering: .relaxed) != 0, "the lock must be held here")
    }

    @usableFromInline
    @inline(never)
    borrowing func lockSlowly() {
      withUnsafePointer(to: word) {
        interflow_lock_slowly(UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: UInt32.self))
      }
    }

    @usableFromInline
    @inline(never)
    borrowing func wake() {
      withUnsafePointer(to: word) {
        interflow_lock_wake(UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: UInt32.self))
      }
    }
  #else
    @usableFromInline let mutex: Mutex<Void>

    @inlinable
    package init() {
      mutex = Mutex(())
    }

    /// Waits until the lock is free and takes it. Taking it twice on one thread is an error.
    @inlinable
    package borrowing func lock() {
      mutex._unsafeLock()
    }

    /// Releases the lock. Only the thread that took it may do so.
    @inlinable
    package borrowing func unlock() {
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
  #endif
}
