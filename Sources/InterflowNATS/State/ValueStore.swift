import Combine
import Foundation

/// What a watch of one key has seen.
///
/// `@unchecked Sendable`: only the watch's queue uses `seen`.
final class ValueStore<Output: Sendable>: @unchecked Sendable {
  let subject = CurrentValueSubject<KnownValue<Output>, NATSError>(KnownValue())
  private let bucket: Bucket
  private let key: String
  private let coding: NATSCoding<Output>
  private let undecodable: NATSUndecodable
  private var seen = false

  init(_ bucket: Bucket, _ key: String, _ coding: NATSCoding<Output>, _ undecodable: NATSUndecodable) {
    self.bucket = bucket
    self.key = key
    self.coding = coding
    self.undecodable = undecodable
  }

  /// Runs on the watch's queue.
  func handle(_ event: BucketWatch.Event, _ watch: BucketWatch) {
    switch event {
    case .begins: seen = false
    case .entry(let entry):
      seen = true
      guard entry.revision > subject.value.revision else { return }
      do throws(NATSError) {
        accept(try entry.known(coding, bucket.name))
      } catch {
        undecodable.apply(to: entry, error, bucket, watch)
      }
    case .complete:
      // A server that has fallen behind may not know the key yet.
      if !seen, subject.value.value != nil { confirm(watch) }
    case .ended(let error): subject.send(completion: .failure(error))
    }
  }

  /// Takes over what is not older than what is known. Runs on the watch's queue.
  func accept(_ known: KnownValue<Output>) {
    if known.revision > subject.value.revision { subject.send(known) }
  }

  /// The server that decides knows no revision. Runs on the watch's queue.
  ///
  /// - Parameter revision: The last revision that was known before it was asked.
  func missing(since revision: UInt64) {
    if subject.value.revision == revision, subject.value.value != nil { subject.send(KnownValue(revision: revision)) }
  }

  private func confirm(_ watch: BucketWatch) {
    let revision = subject.value.revision
    bucket.connection.background.start { [bucket, key] in
      guard case .success(nil) = bucket.newest(key) else { return }
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
  /// Does what is to be done with a revision that is no value. Runs on the watch's queue.
  func apply(to entry: BucketEntry, _ error: NATSError, _ bucket: Bucket, _ watch: BucketWatch) {
    switch self {
    case .fail: watch.end(error)
    case .skip: break
    case .deadLetter(let subject):
      bucket.connection.outbox.post { $0.publish(entry.bytes ?? Data(), to: subject) }
    }
  }
}
