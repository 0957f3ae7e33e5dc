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
    // The library may still be ending the connection, and take a flush, where that has taken too long for `close()`.
    if let error = events.endError(while: operation) { throw error }
    // Asking the library may block, for as long as the outbox writes: it is asked there.
    let interruptions = events.interruptions
    try await waitForCall(within: requestTimeout, while: operation) { (wait: CallWait<Void>) in
      outbox.post { [handle, events, flushes, requestTimeout] _ in
        let limit = handle.permittedReconnections
        flushes.start {
          if wait.isOver { return }
          let result = handle.flush(
            requestTimeout, reconnectionsUpTo: limit, isWanted: { !wait.isOver }, while: operation)
          let isInterrupted = events.interruptions != interruptions
          wait.end(
            .success(
              (isInterrupted ? result.interrupted(while: operation) : result).mapError {
                // Closing interrupts the connection, too.
                events.endError(while: operation) ?? $0
              }))
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
        if handle.drain(rest) != NATS_OK {
          natsConnection_Close(handle.pointer)
        }
      }
    }
    events.programCloses()
    events.isClosed(reason: nil)
    // The program may look at the status when this has returned.
    _ = try? await waitForCall(within: requestTimeout / 4, while: "closing a connection") { (wait: CallWait<Void>) in
      events.whenDelivered { wait.end(.success(.success(()))) }
    }
  }
}

extension ConnectionHandle {
  /// Waits until the server has read all that was sent.
  ///
  /// The library reports a success, too, where the connection is interrupted meanwhile and with it what was sent.
  ///
  /// - Parameter limit: How often the connection may have been restored when what was sent has been read.
  fileprivate func flush(
    _ timeout: Duration, reconnectionsUpTo limit: UInt64, isWanted: () -> Bool, while operation: String
  ) -> Result<Void, NATSError> {
    let status = flush(timeout, while: isWanted)
    if status != NATS_OK { return .failure(NATSError(status, while: operation)) }
    let isRead = natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED && reconnections <= limit
    return isRead ? .success(()) : Result.success(()).interrupted(while: operation)
  }

  /// How often the connection may have been restored until what has been sent by now is lost.
  fileprivate var permittedReconnections: UInt64 {
    let isConnected = natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED
    // What is sent while the connection is interrupted is kept for the next.
    return reconnections + (isConnected ? 0 : 1)
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

extension Result<Void, NATSError> {
  /// The result of a flush, of which what it waits for may have been lost.
  fileprivate func interrupted(while operation: String) -> Self {
    flatMap {
      .failure(NATSError(kind: .interrupted, operation: operation, message: "the connection was interrupted meanwhile"))
    }
  }
}
