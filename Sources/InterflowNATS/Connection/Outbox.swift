import CNATS
import Dispatch
import InterflowPrimitives

/// What a connection sends, in the order in which it was posted, on one thread of its own: writing to a socket blocks
/// when the server does not keep up.
///
/// The library writes what it has buffered after a millisecond, or when its buffer is full. A batch that is small is
/// therefore followed by a flush, which writes at once: several senders with little to send each do not wait.
///
/// `@unchecked Sendable`: `lock` guards `posted` and `isSending`.
final class Outbox: @unchecked Sendable {
  /// Something to send, called on the outbox's thread.
  typealias Letter = @Sendable (ConnectionHandle) -> Void

  /// From so many letters in a batch on, the library's buffer is left to fill.
  private static let largeBatch = 64

  private let handle: ConnectionHandle
  private let queue = DispatchQueue(label: "InterflowNATS.outbox")
  private let lock = Lock()
  private var posted: [Letter] = []
  private var isSending = false

  init(_ handle: ConnectionHandle) {
    self.handle = handle
  }

  /// Sends after all that was posted before.
  func post(_ letter: @escaping Letter) {
    lock.lock()
    posted.append(letter)
    let begins = !isSending
    isSending = true
    lock.unlock()
    if begins { queue.async { self.send() } }
  }

  /// Sends a message that nobody answers to the sender. Where the connection is closed, it is dropped.
  func post(_ text: String, to subject: String, reply: String? = nil) {
    post { $0.publish(text, to: subject, reply: reply) }
  }

  /// Returns when all that was posted before has been sent.
  func finish() async {
    await withCheckedContinuation { continuation in
      post { _ in continuation.resume() }
    }
  }

  private func send() {
    while true {
      lock.lock()
      let batch = posted
      posted = []
      if batch.isEmpty { isSending = false }
      lock.unlock()
      if batch.isEmpty { return }
      for letter in batch { letter(handle) }
      if batch.count < Self.largeBatch { handle.flush() }
    }
  }
}

extension ConnectionHandle {
  /// Writes a message into the library's buffer.
  func publish(_ text: String, to subject: String, reply: String?) {
    if let reply {
      natsConnection_PublishRequestString(pointer, subject, reply, text)
    } else {
      natsConnection_PublishString(pointer, subject, text)
    }
  }

  /// Writes the library's buffer to the socket, and waits until the server has read it, if there is one.
  func flush() {
    if natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED { natsConnection_FlushTimeout(pointer, 1_000) }
  }
}
