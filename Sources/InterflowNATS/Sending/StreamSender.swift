import CNATS
import Foundation

/// Publishes to the streams of a connection without waiting for each message's acknowledgement.
final class StreamSender: Sendable {
  private let outbox: Outbox
  private let acknowledgements: Acknowledgements
  private let context: JetStreamContext
  private let timeout: Duration
  private let trace: MessageTrace?

  init(
    _ handle: ConnectionHandle, _ outbox: Outbox, _ acknowledgements: Acknowledgements, prefix: String,
    timeout: Duration
  ) throws(NATSError) {
    var options = jsOptions()
    jsOptions_Init(&options)
    options.PublishAsync.AckHandler = { _, message, receipt, error, closure in
      guard let message else { return }
      let acknowledgements = Acknowledgements.with(number: UInt(bitPattern: closure))
      acknowledgements?.acknowledged(message, StreamSender.result(receipt, error))
      natsMsg_Destroy(message)
    }
    options.PublishAsync.AckHandlerClosure = UnsafeMutableRawPointer(bitPattern: acknowledgements.register())
    context = try JetStreamContext(handle, prefix: prefix, options: &options)
    self.outbox = outbox
    self.acknowledgements = acknowledgements
    self.timeout = timeout
    trace = handle.trace
  }

  private static func result(
    _ receipt: UnsafeMutablePointer<jsPubAck>?, _ error: UnsafeMutablePointer<jsPubAckErr>?
  ) -> Result<NATSReceipt, NATSError> {
    if let receipt = receipt?.pointee {
      guard receipt.Sequence > 0 else {
        // What a cluster of version 2.9 answers to a second attempt while it stores the first one, which may fail.
        return .failure(
          NATSError(
            kind: .unavailable, operation: sending,
            message: "a server is about to store a message with the same identifier, and has not done so"))
      }
      return .success(NATSReceipt(sequence: receipt.Sequence, isDuplicate: receipt.Duplicate))
    }
    guard let error = error?.pointee else {
      return .failure(NATSError(kind: .other, operation: sending, message: "the library does not say why it failed"))
    }
    let text = error.ErrText.map { String(cString: $0) } ?? String(cString: natsStatus_GetText(error.Err))
    return .failure(
      NATSError(
        kind: NATSError.Kind(error.Err, jetStream: error.ErrCode), operation: sending, message: text,
        status: error.Err.rawValue, jetStreamCode: error.ErrCode.rawValue))
  }

  private static let sending = "sending to a stream"

  /// Publishes after all that was published before, and returns when a server has stored the message. No thread waits.
  ///
  /// The time limit begins now, and not when the message is written behind others. A message that nobody waits for any more
  /// when its turn comes is not published.
  ///
  /// - Parameter limit: A time limit besides the connection's; `nil` for none.
  /// - Throws: A ``NATSError``, or a `CancellationError` where the task is cancelled meanwhile.
  func store(
    _ bytes: Data, to subject: String, id: String?, headers: NATSHeaders = [:], within limit: Duration? = nil
  ) async throws -> NATSReceipt {
    try Task.checkCancellation()
    let wait = CancellableWait<NATSReceipt>()
    let deadline = Deadlines.shared.add(after: min(limit ?? timeout, timeout)) {
      wait.end(.failure(NATSError.timeout(while: Self.sending)))
    }
    defer { Deadlines.shared.remove(deadline) }
    return try await withTaskCancellationHandler {
      outbox.post { _ in
        if wait.isOver { return }
        let report: Acknowledgements.Report = { wait.end($0.mapError { $0 }) }
        if let error = self.publishNow(bytes, to: subject, id: id, headers, report) { report(.failure(error)) }
      }
      return try await wait.value()
    } onCancel: {
      wait.end(.failure(CancellationError()))
    }
  }

  /// Publishes after all that was published before, and reports when a server has stored the message or has not.
  func publish(
    _ bytes: Data, to subject: String, id: String?, headers: NATSHeaders = [:],
    _ report: @escaping Acknowledgements.Report
  ) {
    outbox.post { _ in
      if let error = self.publishNow(bytes, to: subject, id: id, headers, report) { report(.failure(error)) }
    }
  }

  /// - Returns: Why nothing will be reported.
  private func publishNow(
    _ bytes: Data, to subject: String, id: String?, _ headers: NATSHeaders,
    _ report: @escaping Acknowledgements.Report
  ) -> NATSError? {
    var headers = headers
    guard let sending = trace?.sending(to: subject, &headers) else {
      return publishUntraced(bytes, to: subject, id: id, headers, report)
    }
    let error = publishUntraced(bytes, to: subject, id: id, headers) { result in
      if case .failure(let error) = result { sending.ended(error) } else { sending.ended(nil) }
      report(result)
    }
    if let error { sending.ended(error) }
    return error
  }

  private func publishUntraced(
    _ bytes: Data, to subject: String, id: String?, _ headers: NATSHeaders,
    _ report: @escaping Acknowledgements.Report
  ) -> NATSError? {
    var created: OpaquePointer?
    // Swift would copy the text for a parameter of C's.
    let status = subject.withCString { subject in
      bytes.withUnsafeBytes {
        natsMsg_Create(&created, subject, nil, $0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: $0.count))
      }
    }
    guard status == NATS_OK, let message = created else { return NATSError(status, while: Self.sending) }
    // For one that has not been taken over by the library.
    defer { natsMsg_Destroy(created) }
    let added = headers.add(toMessageOfLibrary: message)
    guard added == NATS_OK else { return NATSError(added, while: Self.sending) }
    if let error = acknowledgements.await(message, report) { return error }
    var options = jsPubOptions()
    jsPubOptions_Init(&options)
    options.MaxWait = timeout.milliseconds
    let published: natsStatus =
      if let id {
        id.withCString {
          options.MsgId = $0
          return js_PublishMsgAsync(context.pointer, &created, &options)
        }
      } else {
        js_PublishMsgAsync(context.pointer, &created, &options)
      }
    if published != NATS_OK {
      acknowledgements.acknowledged(message, .failure(NATSError(published, while: Self.sending)))
    }
    return nil
  }
}
