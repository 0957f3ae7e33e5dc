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
  private var seen: Set<String> = []
  private var isComplete = false
  private var hasChanged = false

  /// - Parameter prefix: With its dot, or empty.
  init(_ bucket: Bucket, _ prefix: String, _ coding: NATSCoding<Value>, _ undecodable: NATSUndecodable) {
    self.bucket = bucket
    self.prefix = prefix
    self.coding = coding
    self.undecodable = undecodable
  }

  func known(_ key: String) -> KnownValue<Value> {
    KnownValue(revision: revisions[key] ?? 0, value: values[key])
  }

  func handle(_ event: BucketWatch.Event, _ watch: BucketWatch) {
    switch event {
    case .begins: (seen, isComplete) = ([], false)
    case .entry(let entry):
      let key = String(entry.key.utf8.dropFirst(prefix.utf8.count)) ?? entry.key
      if !isComplete { seen.insert(key) }
      guard entry.revision > revisions[key] ?? 0 else { return }
      do throws(NATSError) {
        accept(key, try entry.known(coding, bucket.name))
      } catch {
        undecodable.apply(to: entry, error, bucket, watch)
      }
    case .complete:
      isComplete = true
      for key in values.keys where !seen.contains(key) { confirm(key, watch) }
      seen = []
      publish()
    case .ended(let error):
      publish()
      subject.send(completion: .failure(error))
      changes.send(completion: .failure(error))
    }
  }

  /// Takes over what is not older than what is known.
  func accept(_ key: String, _ known: KnownValue<Value>) {
    guard known.revision > revisions[key] ?? 0 else { return }
    revisions[key] = known.revision
    change(key, known)
  }

  /// The server that decides knows no revision.
  ///
  /// - Parameter revision: The last revision that was known before it was asked.
  func missing(_ key: String, since revision: UInt64) {
    if revisions[key] ?? 0 == revision, values[key] != nil { change(key, KnownValue(revision: revision)) }
  }

  private func change(_ key: String, _ known: KnownValue<Value>) {
    let isChange = known.value != nil || values[key] != nil
    values[key] = known.value
    if !isChange { return }
    hasChanged = true
    // First, so that the dictionary has a change that is reported.
    if isComplete { publish() }
    changes.send(NATSDictionary.Change(key: key, value: known.value, revision: known.revision))
  }

  private func publish() {
    if !hasChanged { return }
    hasChanged = false
    subject.send(values)
  }

  /// A server that has fallen behind may not know the key yet.
  private func confirm(_ key: String, _ watch: BucketWatch) {
    let revision = revisions[key] ?? 0
    bucket.connection.background.start { [bucket, prefix] in
      guard case .success(nil) = bucket.newest(prefix + key) else { return }
      watch.queue.async { self.missing(key, since: revision) }
    }
  }
}
