import CNATS
import InterflowPrimitives

/// What a connection sends, in the order in which it was posted, on one thread at a time, where it may block: writing to a
/// socket does when the server does not keep up.
///
/// The library writes what it has buffered after a millisecond, or when its buffer is full. When nothing more waits to be
/// sent, a flush therefore writes at once. What is posted meanwhile shares the next packet.
///
/// `@unchecked Sendable`: `lock` guards `posted` and `isSending`.
final class Outbox: @unchecked Sendable {
  /// Something to send, called on the outbox's thread. An array of closures alone would allocate each once more.
  private struct QueuedMessage {
    let send: @Sendable (ConnectionHandle) -> Void
  }

  private static let keptCapacity = 1_024

  private let handle: ConnectionHandle
  private let queue = SerialQueue(.outboxes)
  private let lock = Lock()
  private var posted: [QueuedMessage] = []
  private var isSending = false

  init(_ handle: ConnectionHandle) {
    self.handle = handle
  }

  /// Sends after all that was posted before.
  func post(_ message: @escaping @Sendable (ConnectionHandle) -> Void) {
    lock.lock()
    posted.append(QueuedMessage(send: message))
    let begins = !isSending
    isSending = true
    lock.unlock()
    if begins { queue.async { self.send() } }
  }

  /// Returns when all that was posted before has been sent.
  func finish() async {
    await waitForResult { report in
      post { _ in report(()) }
    }
  }

  private func send() {
    var batch: [QueuedMessage] = []
    var isWritten = true
    while true {
      lock.lock()
      swap(&batch, &posted)
      if batch.isEmpty, isWritten { isSending = false }
      lock.unlock()
      if batch.isEmpty {
        if isWritten { return }
        handle.flushSoon()
      }
      for message in batch { message.send(handle) }
      isWritten = batch.isEmpty
      // Its storage takes the messages after the next.
      batch.removeAll(keepingCapacity: batch.count <= Self.keptCapacity)
    }
  }
}
