import Combine
import Foundation

/// What a watch of a bucket's keys has seen.
///
/// `@unchecked Sendable`: only the watch's queue uses the variables.
final class DictionaryStore<Value: Sendable>: @unchecked Sendable {
  let subject = CurrentValueSubject<[String: Value], NATSError>([:])
  let changes = PassthroughSubject<NATSDictionary<Value>.Change, NATSError>()
  private let bucket: Bucket
  private let prefix: String
  private let coding: NATSCoding<Value>
  private let undecodable: NATSUndecodable

  private var values: [String: Value] = [:]
  /// Also of keys that have been deleted, so that they do not come back.
  private var revisions: [String: UInt64] = [:]
  /// The last revisions that were no values.
  private var undecodableRevisions: [String: UInt64] = [:]
  /// Changes that have not been reported.
  private var unreported: [NATSDictionary<Value>.Change] = []
  /// The keys that the watch has found since it began, until it is complete.
  private var seen: Set<String> = []
  private var isComplete = false
  /// The keys that the watch has not found. The server that leads the bucket may have them.
  private var unconfirmed: [String] = []
  private var isConfirming = false

  /// - Parameter prefix: With its dot, or empty.
  init(_ bucket: Bucket, _ prefix: String, _ coding: NATSCoding<Value>, _ undecodable: NATSUndecodable) {
    self.bucket = bucket
    self.prefix = prefix
    self.coding = coding
    self.undecodable = undecodable
  }

  /// What a change begins with. The value of a bucket that has been replaced is none.
  func known(_ key: String) -> KnownValue<Value> {
    revisions[key].map { KnownValue(revision: $0, value: values[key]) } ?? KnownValue()
  }

  func handle(_ event: BucketWatch.Event, _ watch: BucketWatch) {
    switch event {
    case .begins: (seen, unconfirmed, isComplete) = ([], [], false)
    case .replaced: (revisions, undecodableRevisions) = ([:], [:])
    case .entry(let entry): handle(entry, watch)
    case .complete:
      isComplete = true
      unconfirmed = values.keys.filter { !seen.contains($0) }
      seen = []
      publish()
      confirmNext(watch)
    case .ended(let error):
      unconfirmed = []
      publish()
      subject.send(completion: .failure(error))
      changes.send(completion: .failure(error))
    }
  }

  private func handle(_ entry: BucketEntry, _ watch: BucketWatch) {
    let key = String(entry.key.utf8.dropFirst(prefix.utf8.count)) ?? entry.key
    if !isComplete { seen.insert(key) }
    guard entry.revision > max(revisions[key] ?? 0, undecodableRevisions[key] ?? 0) else { return }
    do throws(NATSError) {
      update(key, try entry.known(coding, bucket.name))
    } catch {
      undecodableRevisions[key] = entry.revision
      undecodable.apply(to: entry, error, bucket, watch)
    }
    // What several keys had when the watch began is one change.
    if isComplete { publish() }
  }

  /// Takes over what the program has stored or read, unless it is older than what is known.
  func accept(_ key: String, _ known: KnownValue<Value>) {
    update(key, known)
    publish()
  }

  /// Takes over what the server that leads the bucket has.
  ///
  /// - Parameter revision: The last revision that was known before the request.
  func take(_ key: String, _ known: KnownValue<Value>, since revision: UInt64) {
    if known.revision == 0 { return missing(key, since: revision) }
    // Only another bucket has a smaller one.
    if known.revision < revision, revisions[key] == revision { revisions[key] = 0 }
    accept(key, known)
  }

  /// The server that leads the bucket has no revision.
  func missing(_ key: String, since revision: UInt64) {
    guard revisions[key] ?? 0 == revision, values[key] != nil else { return }
    change(key, KnownValue(revision: revision))
    publish()
  }

  private func update(_ key: String, _ known: KnownValue<Value>) {
    guard known.revision > revisions[key] ?? 0 else { return }
    revisions[key] = known.revision
    change(key, known)
  }

  private func change(_ key: String, _ known: KnownValue<Value>) {
    guard known.value != nil || values[key] != nil else { return }
    values[key] = known.value
    unreported.append(NATSDictionary.Change(key: key, value: known.value, revision: known.revision))
  }

  /// The dictionary first, so that it has a change that is reported.
  private func publish() {
    if unreported.isEmpty { return }
    let reported = unreported
    unreported = []
    subject.send(values)
    for change in reported { changes.send(change) }
  }

  /// One after the other, since there may be many.
  private func confirmNext(_ watch: BucketWatch) {
    guard !isConfirming, let key = unconfirmed.popLast() else { return }
    isConfirming = true
    let revision = revisions[key] ?? 0
    Task { [bucket, prefix, weak watch] in
      let isMissing = await bucket.isMissing(prefix + key)
      guard let watch else { return }
      watch.queue.async {
        self.isConfirming = false
        if isMissing { self.missing(key, since: revision) }
        self.confirmNext(watch)
      }
    }
  }
}
