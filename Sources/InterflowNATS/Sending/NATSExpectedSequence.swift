import CNATS

/// The number that a stream, or one of its subjects, has to have come to for a value to be stored.
///
/// Of several programs that have seen the same values and send what follows from them, one succeeds. The others read what
/// has come in between, and decide again. Where an identifier is sent too, it must be of this value, such as a UUID, and not
/// of its place: a value with the same identifier counts as this one, whoever has sent it.
///
/// ```swift
/// do {
///   try await orders.send(order, expecting: .last(seen))
/// } catch let error as NATSError {
///   guard case .wrongSequence(let found) = error.kind else { throw error }
///   print("seen until \(seen), and the stream is at \(found ?? 0)")
/// }
/// ```
///
/// A send that ended with ``NATSError/Kind/timeout`` may have stored the value, which is then what a second one finds. With
/// an `id`, the second one succeeds, as a duplicate.
public struct NATSExpectedSequence: Sendable, Hashable {
  let sequence: UInt64
  /// Whether it is the last number of the subject, and not of the stream.
  let isOfSubject: Bool

  /// The number of the last value that was sent to the stream, whether the stream still holds it or not; zero before the
  /// first.
  public static func last(_ sequence: UInt64) -> NATSExpectedSequence {
    NATSExpectedSequence(sequence: sequence, isOfSubject: false)
  }

  /// The number of the last value of the subject to which the value is sent that the stream holds; zero for none.
  ///
  /// Servers before version 2.10 may store two values that both expect the same, where several servers hold the stream. With
  /// more than one of ``NATSStreamSettings/replicas``, sending fails with ``NATSError/Kind/unsupported`` then, unless
  /// ``NATSOptions/allowsUnsafeUpdates`` permits it.
  public static func lastOfSubject(_ sequence: UInt64) -> NATSExpectedSequence {
    NATSExpectedSequence(sequence: sequence, isOfSubject: true)
  }

  /// The library sends none for zero.
  var header: String { isOfSubject ? "Nats-Expected-Last-Subject-Sequence" : "Nats-Expected-Last-Sequence" }
}

extension NATSError {
  /// The error of a value that was sent with an expected sequence.
  var ofExpectedSequence: NATSError {
    switch jsErrCode(jetStreamCode) {
    // The second is current servers' code where another value is on its way to being stored, of which they say no number.
    case JSStreamWrongLastSequenceErr, jsErrCode(10_164):
      with(kind: .wrongSequence(found: message.split(separator: " ").last.flatMap { UInt64($0) }))
    default: self
    }
  }
}
