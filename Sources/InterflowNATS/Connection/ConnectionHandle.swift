import CNATS
import Dispatch

/// The library's connection, which is closed and destroyed with the last reference to it.
///
/// `@unchecked Sendable`: the library protects what is behind the pointer, which never changes, with its own locks.
final class ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  private let events: ConnectionEvents

  init(_ pointer: OpaquePointer, _ events: ConnectionEvents) {
    self.pointer = pointer
    self.events = events
  }

  deinit {
    events.programCloses()
    // Nobody else has the pointer any more.
    nonisolated(unsafe) let pointer = pointer
    // Closing waits for the library's threads, of which one may be trying to reach a server.
    DispatchQueue.global().async { natsConnection_Destroy(pointer) }
  }
}
