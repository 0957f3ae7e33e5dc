import CNATS
import Foundation
import Interflow

extension TraceEvent.Kind {
  /// A message has been sent, or one for a stream has been stored. The message is its subject.
  public static let sent = TraceEvent.Kind(rawValue: "nats.sent")
  /// A message has arrived. The message is its subject.
  public static let received = TraceEvent.Kind(rawValue: "nats.received")
}

/// Reports messages, each with an id that it carries from the program that sends it to those that receive it.
///
/// What the module says to servers itself, and their answers to it, is not reported.
struct MessageTrace: Sendable {
  /// The header with the id.
  static let header = "Interflow-Trace"

  let hook: TraceHook
  let source: String
  /// What the subjects begin with on which the module and the servers talk to each other.
  private let ownPrefixes: [String]

  init(_ hook: TraceHook, _ options: NATSOptions) {
    self.hook = hook
    source = options.name ?? "nats"
    ownPrefixes = ["$JS.", options.inboxPrefix + "."] + (options.jetStreamPrefix.map { [$0 + "."] } ?? [])
  }

  /// A message that is being sent.
  struct Sending: Sendable {
    fileprivate let trace: MessageTrace
    fileprivate let subject: String
    fileprivate let id: String
    fileprivate let start = ContinuousClock.now

    /// It has been sent, or stored, or has not.
    func ended(_ error: (any Error)?) {
      trace.hook(
        TraceEvent(
          kind: .sent, source: trace.source, message: subject, id: id, start: start, duration: .now - start,
          error: error))
    }
  }

  /// Gives a message an id; nil for one that is not reported.
  func sending(to subject: String, _ headers: inout NATSHeaders) -> Sending? {
    identify(&headers, to: subject).map { Sending(trace: self, subject: subject, id: $0) }
  }

  /// Gives a message the id with which it is sent, perhaps several times; none where it is not reported.
  @discardableResult
  func identify(_ headers: inout NATSHeaders, to subject: String) -> String? {
    guard hook.isOn, isReported(subject) else { return nil }
    let id = headers[Self.header] ?? String(UInt64.random(in: 1 ... .max), radix: 16)
    headers[Self.header] = id
    return id
  }

  /// A message of the library's has arrived, which nobody else uses yet.
  func received(_ message: OpaquePointer) {
    guard hook.isOn else { return }
    let subject = String(cString: natsMsg_GetSubject(message))
    guard isReported(subject) else { return }
    var id: UnsafePointer<CChar>?
    let hasId = natsMsgHeader_Get(message, Self.header, &id) == NATS_OK
    hook(
      TraceEvent(
        kind: .received, source: source, message: subject, id: hasId ? id.map { String(cString: $0) } : nil, start: .now
      ))
  }

  private func isReported(_ subject: String) -> Bool { !ownPrefixes.contains { subject.hasPrefix($0) } }
}
