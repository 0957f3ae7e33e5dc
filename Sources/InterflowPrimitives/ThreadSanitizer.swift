internal import CInterflowPrimitives

/// Reports happens-before relations to ThreadSanitizer, in a program that is compiled for it. In others, it does nothing.
///
/// The run-time library of Swift's tasks reports that enqueuing a task happens before running it. It reports nothing
/// where a continuation is resumed before its task has been suspended, since no task is enqueued. So a thread resumes a
/// continuation with ``Swift/UnsafeContinuation/wake(returning:)``, and the task calls ``acquire(_:)`` with the
/// continuation's address afterwards, unless it takes a lock that the other thread has released before. During `wake`,
/// ThreadSanitizer ignores what this thread reads and writes, also in the task's executor.
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
  /// Identifies this continuation for ``ThreadSanitizer/acquire(_:)``. It is that of its task, which waits for one
  /// continuation at a time.
  @inlinable
  package var address: UInt { unsafeBitCast(self, to: UInt.self) }  // A continuation is a pointer.

  /// Resumes the task, as `resume(returning:)` does, and reports to ThreadSanitizer that this happens before what the
  /// task does next.
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
