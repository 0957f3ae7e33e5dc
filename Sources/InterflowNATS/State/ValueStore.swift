import CNATS
import Combine
import Foundation

/// What a watch of one key has seen.
///
/// `@unchecked Sendable`: only the watch's queue uses the variables.
final class ValueStore<Output: Sendable>: @unchecked Sendable {
  let subject = CurrentValueSubject<KnownValue<Output>, NATSError>(KnownValue())
  private let bucket: Bucket
  private let key: String
  private let coding: NATSCoding<Output>
  private let undecodable: NATSUndecodable

  /// The last revision of the value; zero where the bucket is another than that of the value.
  private(set) var revision: UInt64 = 0
  /// The last revision that was no value.
  private var undecodableRevision: UInt64 = 0
  /// Whether the watch has found the key since it began.
  private var isSeen = false

  init(_ bucket: Bucket, _ key: String, _ coding: NATSCoding<Output>, _ undecodable: NATSUndecodable) {
    self.bucket = bucket
    self.key = key
    self.coding = coding
    self.undecodable = undecodable
  }

  /// Runs on the watch's queue.
  func handle(_ event: BucketWatch.Event, _ watch: BucketWatch) {
    switch event {
    case .begins: isSeen = false
    case .replaced: (revision, undecodableRevision) = (0, 0)
    case .entry(let entry):
      isSeen = true
      guard entry.revision > max(revision, undecodableRevision) else { return }
      do throws(NATSError) {
        accept(try entry.known(coding, bucket.name))
      } catch {
        undecodableRevision = entry.revision
        undecodable.apply(to: entry, error, bucket, watch)
      }
    case .complete:
      // A server that has fallen behind may not have the key yet.
      if !isSeen, subject.value.value != nil { confirm(watch) }
    case .ended(let error): subject.send(completion: .failure(error))
    }
  }

  /// Takes over what is not older than what is known. Runs on the watch's queue.
  func accept(_ known: KnownValue<Output>) {
    guard known.revision > revision else { return }
    revision = known.revision
    subject.send(known)
  }

  /// Takes over what the server that leads the bucket has. Runs on the watch's queue.
  ///
  /// - Parameter revision: The last revision that was known before the request.
  func take(_ known: KnownValue<Output>, since revision: UInt64) {
    if known.revision == 0 { return missing(since: revision) }
    // Only another bucket has a smaller one.
    if known.revision < revision, self.revision == revision { self.revision = 0 }
    accept(known)
  }

  /// The server that leads the bucket has no revision. Runs on the watch's queue.
  func missing(since revision: UInt64) {
    if self.revision == revision, subject.value.value != nil { subject.send(KnownValue(revision: revision)) }
  }

  private func confirm(_ watch: BucketWatch) {
    let revision = revision
    Task { [bucket, key] in
      guard await bucket.isMissing(key) else { return }
      watch.queue.async { self.missing(since: revision) }
    }
  }
}

extension BucketEntry {
  func known<Value>(_ coding: NATSCoding<Value>, _ bucket: String) throws(NATSError) -> KnownValue<Value> {
    guard let bytes else { return KnownValue(revision: revision) }
    return KnownValue(
      revision: revision, value: try coding.value(of: bytes, while: "watching “\(key)” of the bucket “\(bucket)”"))
  }
}

extension NATSUndecodable {
  /// Throws where messages cannot be sent to the subject of dead letters.
  func check(while operation: String) throws(NATSError) {
    if case .deadLetter(let subject) = self { try SubjectName.check(subject, wildcards: false, while: operation) }
  }

  /// Does what is to be done with a revision that is no value. Runs on the watch's queue.
  func apply(to entry: BucketEntry, _ error: NATSError, _ bucket: Bucket, _ watch: BucketWatch) {
    switch self {
    case .fail: watch.end(error)
    case .skip: break
    case .deadLetter(let subject):
      bucket.connection.outbox.post { handle in
        let status = handle.publish(entry.bytes ?? Data(), to: subject)
        if status == NATS_OK { return }
        bucket.connection.events.errors.send(
          NATSError(status, while: "sending a revision of “\(entry.key)” that is no value to “\(subject)”"))
      }
    }
  }
}
