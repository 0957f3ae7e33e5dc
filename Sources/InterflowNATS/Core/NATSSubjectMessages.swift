import Combine

/// A value with the subject to which it was sent, and its headers.
public struct NATSSubjectMessage<Value: Sendable>: Sendable {
  /// The subject to which the value was sent.
  public let subject: String
  /// The subject at which the sender waits for an answer; `nil` if it does not.
  public let reply: String?
  /// The headers.
  public let headers: NATSHeaders
  /// The value.
  public let value: Value
}

/// The values of a subject with the subjects to which they were sent, and their headers.
///
/// Demand, failure, cancellation and thread are those of the ``NATSSubject``.
public struct NATSSubjectMessages<Value: Sendable>: Publisher {
  /// A value with the subject to which it was sent.
  public typealias Output = NATSSubjectMessage<Value>
  /// An error of the connection or of a message.
  public typealias Failure = NATSError

  let subject: NATSSubject<Value>

  /// Subscribes.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == NATSSubjectMessage<Value>, Downstream.Failure == NATSError {
    subject.subscribe(subscriber) {
      NATSSubjectMessage(subject: $0.subject, reply: $0.reply, headers: $0.headers, value: $1)
    }
  }
}
