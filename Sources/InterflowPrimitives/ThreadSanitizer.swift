internal import CInterflowPrimitives

/// What ThreadSanitizer cannot see by itself of a program that is compiled for it. In other programs, all of it does
/// nothing.
///
/// The run-time library of Swift's tasks tells the sanitizer that the thread which enqueues a task comes before the one
/// that runs it. It does not where a continuation is resumed before its task has been suspended: the task just goes on.
/// So a thread that resumes a continuation tells that itself, with ``Swift/UnsafeContinuation/wake(returning:)``, and
/// the task that goes on calls ``acquire(_:)`` with the continuation's address, unless it takes a lock that the
/// other thread has released before. What the task's executor does to enqueue it is not watched then.
@usableFromInline
package enum ThreadSanitizer {
  /// Whether this program is compiled for ThreadSanitizer.
  package static var isEnabled: Bool { interflow_has_thread_sanitizer() }

  /// All that this thread has written is visible to one that calls ``acquire(_:)`` with the same address later.
  package static func release(_ address: UInt) {
    interflow_sanitizer_release(UnsafeRawPointer(bitPattern: address))
  }

  /// All that a thread has written before it called ``release(_:)`` with this address, or resumed the continuation that
  /// has it, is visible to this one.
  @usableFromInline
  package static func acquire(_ address: UInt) {
    interflow_sanitizer_acquire(UnsafeRawPointer(bitPattern: address))
  }

  @usableFromInline
  static func beginResumption(_ address: UInt) {
    interflow_sanitizer_release(UnsafeRawPointer(bitPattern: address))
    interflow_sanitizer_begin_ignoring()
  }

  @usableFromInline
  static func endResumption() {
    interflow_sanitizer_end_ignoring()
  }
}

extension UnsafeContinuation where E == Never {
  /// What ``ThreadSanitizer`` knows this continuation by: its task, which waits for one thing at a time.
  @inlinable
  package var address: UInt { unsafeBitCast(self, to: UInt.self) }  // A continuation is a pointer.

  /// Resumes the task, as `resume(returning:)` does, and lets ThreadSanitizer see that this comes before what the task
  /// does next.
  @inlinable
  package func wake(returning value: sending T) {
    ThreadSanitizer.beginResumption(address)
    // It reads and writes the frame of a task that may go on, and use the frame again, before this has returned.
    resume(returning: value)
    ThreadSanitizer.endResumption()
  }

  @inlinable
  package func wake() where T == Void { wake(returning: ()) }
}
