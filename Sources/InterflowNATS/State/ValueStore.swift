import CNATS
import Combine
import Foundation
import InterflowPrimitives

/// What a watch of one key has seen.
///
/// What is known is visible to the program at once. Subscribers, which may block, get it on the watch's queue.
///
/// `@unchecked Sendable`: `lock` guards the variables up to `undelivered`; only the watch's queue uses the others.
final class ValueStore<Output: Sendable>: @unchecked Sendable {
  let subject = CurrentValueSubject<KnownValue<Output>, NATSError>(KnownValue())
  private let bucket: Bucket
  private let key: String
  private let coding: NATSCoding<Output>
  private let undecodable: NATSUndecodable

  private let lock = Lock()
  /// The last revision of the value; zero where the bucket is another than that of the value.
  private var revision: UInt64 = 0
  private var newest = KnownValue<Output>()
  private var isOver = false
  /// What subscribers have not got yet. The newest value is in it, or in the subject.
  private var undelivered: [KnownValue<Output>] = []

  /// The last revision that was no value.
  private var undecodableRevision: UInt64 = 0
  /// Whether the watch has found the key since it began.
  private var isSeen = false
  private lazy var confirmation = Confirmation(bucket) { [weak self] _ in
    self?.knownRevision ?? 0
  } missing: { [weak self] _, revision in
    self?.missing(since: revision)
    self?.deliver()
  }

  init(_ bucket: Bucket, _ key: String, _ coding: NATSCoding<Output>, _ undecodable: NATSUndecodable) {
    self.bucket = bucket
    self.key = key
    self.coding = coding
    self.undecodable = undecodable
  }

  /// The value that is not older than any that was seen before.
  var known: KnownValue<Output> {
    lock.lock()
    defer { lock.unlock() }
    return newest
  }

  /// What a request to the server begins with; see ``take(_:since:)``.
  var knownRevision: UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return revision
  }

  /// Runs on the watch's queue.
  func handle(_ event: BucketWatch.Event, _ watch: BucketWatch) {
    switch event {
    case .begins: isSeen = false
    case .replaced:
      undecodableRevision = 0
      lock.lock()
      revision = 0
      lock.unlock()
    case .entry(let entry):
      isSeen = true
      guard entry.revision > max(knownRevision, undecodableRevision) else { return }
      do throws(NATSError) {
        accept(try entry.known(coding, bucket.name))
        deliver()
      } catch {
        undecodableRevision = entry.revision
        undecodable.apply(to: entry, error, bucket, watch)
      }
    case .complete:
      confirmation.ask(!isSeen && known.revision > 0 ? [key] : [], watch)
    case .ended(let error):
      confirmation.end()
      lock.lock()
      isOver = true
      lock.unlock()
      deliver()
      subject.send(completion: .failure(error))
    }
  }

  /// Takes over what is not older than what is known.
  func accept(_ known: KnownValue<Output>) {
    lock.lock()
    acceptWithLock(known)
    lock.unlock()
  }

  /// Takes over what the server that leads the bucket has.
  ///
  /// - Parameter revision: The last revision that was known before the request.
  func take(_ known: KnownValue<Output>, since revision: UInt64) {
    if known.revision == 0 { return missing(since: revision) }
    lock.lock()
    // Only another bucket has a smaller one.
    if known.revision < revision, self.revision == revision { self.revision = 0 }
    acceptWithLock(known)
    lock.unlock()
  }

  /// The server that leads the bucket has no revision.
  func missing(since revision: UInt64) {
    lock.lock()
    // What was seen before it expired must not come back, so `revision` remains.
    if self.revision == revision, !isOver {
      if newest.value != nil { undelivered.append(KnownValue()) }
      newest = KnownValue()
    }
    lock.unlock()
  }

  private func acceptWithLock(_ known: KnownValue<Output>) {
    lock.assertHeld()
    guard known.revision > revision, !isOver else { return }
    revision = known.revision
    setWithLock(known)
  }

  private func setWithLock(_ known: KnownValue<Output>) {
    lock.assertHeld()
    if isOver { return }
    newest = known
    undelivered.append(known)
  }

  /// Runs on the watch's queue.
  func deliver() {
    lock.lock()
    let values = undelivered
    undelivered = []
    lock.unlock()
    for value in values { subject.send(value) }
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
        bucket.connection.events.report(
          NATSError(status, while: "sending a revision of “\(entry.key)” that is no value to “\(subject)”"))
      }
    }
  }
}
