import CNATS
import Combine

extension NATSConnection {
  /// Runs a call that blocks, within the connection's time limit.
  func call<Success: Sendable>(
    _ operation: String, _ body: @escaping @Sendable () -> Result<Success, NATSError>
  ) async throws(NATSError) -> Success {
    try await queue.run(within: requestTimeout, while: operation, body)
  }

  func flush(while operation: String) async throws(NATSError) {
    try await waitForCall(within: requestTimeout, while: operation) { (wait: CallWait<Void>) in
      outbox.post { [handle, flushes, requestTimeout] _ in
        flushes.start {
          if !wait.isOver { wait.end(.success(handle.flush(requestTimeout, while: operation))) }
        }
      }
    }
  }

  /// Closes the connection, and reports that it is closed when the library has done so or its time is over.
  func closeInTime() async {
    let error = NATSError(kind: .closed, operation: "sending to a stream", message: "the connection is being closed")
    let deadline = ContinuousClock.now + requestTimeout
    _ = try? await waitForCall(within: requestTimeout, while: "closing a connection") { (wait: CallWait<Void>) in
      outbox.post { [events] _ in
        events.acknowledgements.finish(error) { wait.end(.success(.success(()))) }
      }
    }
    // The outbox may not have come to it.
    events.acknowledgements.finish(error) {}
    let rest = max(ContinuousClock.now.duration(to: deadline), requestTimeout / 4)
    _ = try? await waitForCall(within: rest, while: "closing a connection") { (wait: CallWait<Void>) in
      closing.start { [handle, events] in
        // Called by the library's report, which may be made already.
        events.whenClosed { wait.end(.success(.success(()))) }
        if natsConnection_IsClosed(handle.pointer) { return }
        events.programCloses()
        // A connection that is interrupted cannot be drained.
        if natsConnection_DrainTimeout(handle.pointer, rest.milliseconds) != NATS_OK {
          natsConnection_Close(handle.pointer)
        }
      }
    }
    events.programCloses()
    events.isClosed(reason: nil)
  }
}

extension ConnectionHandle {
  /// Waits until the server has read all that was sent.
  ///
  /// The library reports a success, too, where the connection is interrupted meanwhile and with it what was sent.
  fileprivate func flush(_ timeout: Duration, while operation: String) -> Result<Void, NATSError> {
    let wasConnected = natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED
    // What is sent while the connection is interrupted is kept for the next.
    let before = reconnections + (wasConnected ? 0 : 1)
    let status = flush(timeout)
    if status != NATS_OK { return .failure(NATSError(status, while: operation)) }
    if natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED, reconnections <= before { return .success(()) }
    return .failure(
      NATSError(kind: .interrupted, operation: operation, message: "the connection was interrupted meanwhile"))
  }

  /// How often the connection has been restored.
  private var reconnections: UInt64 {
    var statistics: OpaquePointer?
    guard natsStatistics_Create(&statistics) == NATS_OK else { return 0 }
    defer { natsStatistics_Destroy(statistics) }
    var count: UInt64 = 0
    natsConnection_GetStats(pointer, statistics)
    natsStatistics_GetCounts(statistics, nil, nil, nil, nil, &count)
    return count
  }
}
