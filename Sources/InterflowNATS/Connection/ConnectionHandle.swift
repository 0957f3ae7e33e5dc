import CNATS
import Dispatch

/// The library's connection, which is closed and destroyed with the last reference to it.
///
/// `@unchecked Sendable`: the library protects what is behind the pointer, which never changes, with its own locks.
final class ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  /// One flush at a time: a flush that is over, and whose thread has not gone on yet, takes the answer of the next one for
  /// its own in the library, and the next one waits until its time-out.
  private let isFlushing = DispatchSemaphore(value: 1)
  private let events: ConnectionEvents

  init(_ pointer: OpaquePointer, _ events: ConnectionEvents) {
    self.pointer = pointer
    self.events = events
  }

  /// Waits until a server has read what was sent. Blocks.
  func flush(_ timeout: Duration) -> natsStatus {
    isFlushing.wait()
    defer { isFlushing.signal() }
    return natsConnection_FlushTimeout(pointer, timeout.milliseconds)
  }

  /// Writes the library's buffer to the socket.
  ///
  /// The library waits for the server to have read it, too. It does not have to wait for long: what is posted meanwhile
  /// waits as well. While another thread waits for a flush, the library writes by itself after a millisecond.
  func flushSoon() {
    guard natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED, isFlushing.wait(timeout: .now()) == .success
    else {
      return
    }
    defer { isFlushing.signal() }
    natsConnection_FlushTimeout(pointer, 1)
  }

  deinit {
    events.programCloses()
    // Nobody else has the pointer any more.
    nonisolated(unsafe) let pointer = pointer
    // Closing waits for the library's threads, of which one may be trying to reach a server.
    ThreadPool.calls.start { natsConnection_Destroy(pointer) }
  }
}
