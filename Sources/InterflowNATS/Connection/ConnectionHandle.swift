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

  var trace: MessageTrace? { events.trace }

  /// How long one question to the server waits for its answer before another one is sent.
  private static let answerTime = Duration.seconds(1)

  /// Waits until a server has read what was sent. Blocks, at most until the time-out.
  ///
  /// On a busy machine, the library was seen to lose the answer after it had restored the connection, and to wait for it until
  /// its time-out while the connection was idle. So it is asked again from time to time: an answer to a later question says
  /// the same of what was sent before the first.
  ///
  /// - Parameter isWanted: Asked from time to time whether to go on.
  func flush(_ timeout: Duration, while isWanted: () -> Bool) -> natsStatus {
    let deadline = DispatchTime.now() + timeout.dispatchInterval
    guard isFlushing.wait(timeout: deadline) == .success else { return NATS_TIMEOUT }
    defer { isFlushing.signal() }
    while true {
      let now = DispatchTime.now()
      let rest = Duration.nanoseconds(deadline > now ? deadline.uptimeNanoseconds - now.uptimeNanoseconds : 0)
      let status = natsConnection_FlushTimeout(pointer, min(rest, Self.answerTime).milliseconds)
      if status != NATS_TIMEOUT || rest <= Self.answerTime || !isWanted() { return status }
    }
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

  /// Begins to close the connection when all that was sent has been read, which is a flush, too. No other one begins until
  /// the connection is closed, unless one takes long that has begun before.
  func drain(_ timeout: Duration) -> natsStatus {
    if isFlushing.wait(timeout: .now() + min(timeout, Self.answerTime).dispatchInterval) == .success {
      events.whenClosed { self.isFlushing.signal() }
    }
    return natsConnection_DrainTimeout(pointer, timeout.milliseconds)
  }

  deinit {
    events.programCloses()
    // Nobody else has the pointer any more.
    nonisolated(unsafe) let pointer = pointer
    // Closing waits for the library's threads, of which one may be trying to reach a server.
    ThreadPool.calls.start { natsConnection_Destroy(pointer) }
  }
}
