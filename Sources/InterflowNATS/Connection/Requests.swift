import CNATS
import Foundation
import InterflowPrimitives

/// The answer to a request.
struct RequestAnswer: Sendable {
  let subject: String
  /// The subject at which who has answered waits for an answer; `nil` if it does not.
  let reply: String?
  let bytes: Data
  let headers: NATSHeaders

  /// What a server says instead of an answer, such as 503 where nobody has subscribed to the subject.
  var status: String? { headers["Status"] }
}

/// Requests whose answers are messages to one subscription: no thread waits for them, however many there are.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class Requests: @unchecked Sendable {
  private struct Waiter {
    let wait: CallWait<RequestAnswer>
    let operation: String
  }

  private let outbox: Outbox
  private let handle: ConnectionHandle
  private let inbox: String
  private let lock = Lock()
  private var waiting: [UInt64: Waiter] = [:]
  private var last: UInt64 = 0
  private var subscription: MessageSubscription?
  private var isClosed = false

  /// - Parameter inbox: A subject of the connection's own, to which answers are sent.
  init(_ handle: ConnectionHandle, _ outbox: Outbox, _ events: ConnectionEvents, inbox: String) {
    (self.handle, self.outbox, self.inbox) = (handle, outbox, inbox)
    events.whenClosed { [weak self] in self?.close() }
  }

  deinit {
    guard let subscription else { return }
    ThreadPool.calls.start { [handle] in withExtendedLifetime(handle) { subscription.end() } }
  }

  /// Sends a request after all that was sent before, and waits for the answer.
  ///
  /// - Parameters:
  ///   - headers: The headers of the request.
  ///   - limit: When to end with ``NATSError/Kind/timeout``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/unavailable`` where nobody has subscribed to the subject.
  func answer(
    to bytes: Data, sentTo subject: String, headers: NATSHeaders = [:], within limit: Duration,
    while operation: String
  ) async throws(NATSError) -> RequestAnswer {
    let number = nextNumber()
    defer { remove(number) }
    let answer = try await waitForCall(within: limit, while: operation) { (wait: CallWait<RequestAnswer>) in
      add(Waiter(wait: wait, operation: operation), number)
      outbox.post { [self] handle in
        // Not where nobody waits any more. What is written during an interruption is sent after it.
        if wait.isOver { return }
        do throws(NATSError) {
          try subscribe(while: operation)
          let status = handle.publish(bytes, to: subject, reply: "\(inbox).\(number)", headers: headers)
          try NATSError.check(status, while: operation)
        } catch {
          wait.end(.success(.failure(error)))
        }
      }
    }
    // A program may answer with such a header, too, and with bytes.
    if answer.status == "503", answer.bytes.isEmpty {
      throw NATSError(NATS_NO_RESPONDERS, while: operation)
    }
    return answer
  }

  /// How many requests have no answer yet: for tests.
  var waitingCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return waiting.count
  }

  private func nextNumber() -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    last += 1
    return last
  }

  private func add(_ waiter: Waiter, _ number: UInt64) {
    lock.lock()
    let isClosed = isClosed
    if !isClosed { waiting[number] = waiter }
    lock.unlock()
    if isClosed { waiter.wait.end(.success(.failure(.closed(nil, while: waiter.operation)))) }
  }

  private func remove(_ number: UInt64) {
    lock.lock()
    let waiter = waiting.removeValue(forKey: number)
    lock.unlock()
    releaseOutsideLock(waiter)
  }

  /// Runs on the outbox's thread.
  private func subscribe(while operation: String) throws(NATSError) {
    lock.lock()
    let isNeeded = subscription == nil
    lock.unlock()
    if !isNeeded { return }
    let created = try MessageSubscription(handle, "\(inbox).*", while: operation) { [weak self] message in
      defer { natsMsg_Destroy(message) }
      self?.arrived(message)
    }
    lock.lock()
    subscription = created
    lock.unlock()
  }

  /// Called on a thread of the library.
  private func arrived(_ message: OpaquePointer) {
    let subject = String(cString: natsMsg_GetSubject(message))
    guard let number = subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    lock.lock()
    let waiter = waiting.removeValue(forKey: number)
    lock.unlock()
    guard let waiter else { return }
    let answer = RequestAnswer(
      subject: subject, reply: natsMsg_GetReply(message).map { String(cString: $0) },
      bytes: Data(messageOfLibrary: message), headers: NATSHeaders(messageOfLibrary: message))
    waiter.wait.end(.success(.success(answer)))
  }

  private func close() {
    lock.lock()
    isClosed = true
    let waiters = waiting.values
    waiting = [:]
    lock.unlock()
    for waiter in waiters { waiter.wait.end(.success(.failure(.closed(nil, while: waiter.operation)))) }
  }
}

extension NATSConnection {
  /// Sends a request, and waits for the answer within a time limit, or that of the connection. No thread waits.
  func answer(
    to bytes: Data, sentTo subject: String, headers: NATSHeaders = [:], within limit: Duration? = nil,
    while operation: String
  ) async throws(NATSError) -> RequestAnswer {
    do throws(NATSError) {
      return try await requests.answer(
        to: bytes, sentTo: subject, headers: headers, within: limit ?? requestTimeout, while: operation)
    } catch {
      throw subject.hasPrefix("\(jetStreamPrefix).") ? error.ofJetStreamRequest : error
    }
  }
}

extension NATSError {
  /// The error of a request to JetStream. Servers that have it subscribe to its requests, also while a cluster has no leader.
  var ofJetStreamRequest: NATSError {
    guard status == NATS_NO_RESPONDERS.rawValue else { return self }
    return NATSError(
      kind: .jetStreamDisabled, operation: operation, message: "no server has JetStream", status: status,
      jetStreamCode: JSNotEnabledErr.rawValue)
  }
}
