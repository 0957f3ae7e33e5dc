import Combine
import Foundation
import InterflowPrimitives

/// What a watch of a bucket's keys has seen.
///
/// What is known is visible to the program at once. Subscribers, which may block, get it on the watch's queue.
///
/// `@unchecked Sendable`: `lock` guards the variables up to `undelivered`; only the watch's queue uses the others.
final class DictionaryStore<Value: Sendable>: @unchecked Sendable {
  /// A dictionary, and the last change of each key since the one before.
  private struct Report {
    var values: [String: Value] = [:]
    private(set) var changes: [NATSDictionary<Value>.Change] = []
    private var places: [String: Int] = [:]

    /// - Returns: The change that this one replaces.
    mutating func add(_ change: NATSDictionary<Value>.Change) -> NATSDictionary<Value>.Change? {
      if let place = places[change.key] {
        let replaced = changes[place]
        changes[place] = change
        return replaced
      }
      places[change.key] = changes.count
      changes.append(change)
      return nil
    }
  }

  let subject = CurrentValueSubject<[String: Value], NATSError>([:])
  let changes = PassthroughSubject<NATSDictionary<Value>.Change, NATSError>()
  private let bucket: Bucket
  private let prefix: String
  private let coding: NATSCoding<Value>
  private let undecodable: NATSUndecodable

  private let lock = Lock()
  private var values: [String: Value] = [:]
  /// Also of keys that have been deleted, so that they do not come back.
  private var revisions: [String: UInt64] = [:]
  /// Changes that belong to the next dictionary.
  private var unreported: [NATSDictionary<Value>.Change] = []
  /// Values to release where no lock is held.
  private var replaced: [Value] = []
  private var newest: [String: Value] = [:]
  private var isOver = false
  /// What subscribers have not got yet: one report, however many changes there are while a subscriber blocks.
  private var undelivered: Report?

  /// The last revisions that were no values.
  private var undecodableRevisions: [String: UInt64] = [:]
  /// The keys that the watch has found since it began, until it is complete.
  private var seen: Set<String> = []
  private var isComplete = false
  private lazy var confirmation = Confirmation(bucket, prefix: prefix) { [weak self] key in
    self?.known(key).revision ?? 0
  } missing: { [weak self] key, revision in
    guard let self else { return }
    // What several keys had when the watch began is one change.
    missing(key, since: revision, reports: isComplete)
    deliver()
  }

  /// - Parameter prefix: With its dot, or empty.
  init(_ bucket: Bucket, _ prefix: String, _ coding: NATSCoding<Value>, _ undecodable: NATSUndecodable) {
    self.bucket = bucket
    self.prefix = prefix
    self.coding = coding
    self.undecodable = undecodable
  }

  /// The dictionary, of which no value is older than one that was seen before.
  var current: [String: Value] {
    lock.lock()
    defer { lock.unlock() }
    return newest
  }

  /// What a change begins with. The value of a bucket that has been replaced is none.
  func known(_ key: String) -> KnownValue<Value> {
    lock.lock()
    defer { lock.unlock() }
    return revisions[key].map { KnownValue(revision: $0, value: values[key]) } ?? KnownValue()
  }

  /// Runs on the watch's queue.
  func handle(_ event: BucketWatch.Event, _ watch: BucketWatch) {
    switch event {
    case .begins: (seen, isComplete) = ([], false)
    case .replaced:
      undecodableRevisions = [:]
      lock.lock()
      revisions = [:]
      lock.unlock()
    case .entry(let entry): handle(entry, watch)
    case .complete:
      isComplete = true
      lock.lock()
      reportWithLock()
      let keys = Array(values.keys)
      lock.unlock()
      let unseen = keys.filter { !seen.contains($0) }
      seen = []
      deliver()
      confirmation.ask(unseen, watch)
    case .ended(let error):
      confirmation.end()
      lock.lock()
      reportWithLock()
      isOver = true
      lock.unlock()
      deliver()
      subject.send(completion: .failure(error))
      changes.send(completion: .failure(error))
    }
  }

  private func handle(_ entry: BucketEntry, _ watch: BucketWatch) {
    let key = String(entry.key.utf8.dropFirst(prefix.utf8.count)) ?? entry.key
    if !isComplete { seen.insert(key) }
    guard entry.revision > max(known(key).revision, undecodableRevisions[key] ?? 0) else { return }
    do throws(NATSError) {
      let known = try entry.known(coding, bucket.name)
      lock.lock()
      updateWithLock(key, known)
      // What several keys had when the watch began is one change.
      if isComplete { reportWithLock() }
      lock.unlock()
      deliver()
    } catch {
      undecodableRevisions[key] = entry.revision
      undecodable.apply(to: entry, error, bucket, watch)
    }
  }

  /// Takes over what the program has stored or read, unless it is older than what is known.
  func accept(_ key: String, _ known: KnownValue<Value>) {
    lock.lock()
    updateWithLock(key, known)
    reportWithLock()
    let replaced = takeReplacedWithLock()
    lock.unlock()
    releaseOutsideLock(replaced)
  }

  /// Takes over what the server that leads the bucket has.
  ///
  /// - Parameter revision: The last revision that was known before the request.
  func take(_ key: String, _ known: KnownValue<Value>, since revision: UInt64) {
    if known.revision == 0 { return missing(key, since: revision) }
    lock.lock()
    // Only another bucket has a smaller one.
    if known.revision < revision, revisions[key] == revision { revisions[key] = 0 }
    updateWithLock(key, known)
    reportWithLock()
    let replaced = takeReplacedWithLock()
    lock.unlock()
    releaseOutsideLock(replaced)
  }

  /// The server that leads the bucket has no revision.
  ///
  /// - Parameter reports: Whether the change is reported now, and not with the next one.
  func missing(_ key: String, since revision: UInt64, reports: Bool = true) {
    lock.lock()
    if revisions[key] ?? 0 == revision, values[key] != nil {
      changeWithLock(key, KnownValue(revision: revision))
      if reports { reportWithLock() }
    }
    let replaced = takeReplacedWithLock()
    lock.unlock()
    releaseOutsideLock(replaced)
  }

  private func takeReplacedWithLock() -> [Value] {
    lock.assertHeld()
    defer { replaced = [] }
    return replaced
  }

  private func updateWithLock(_ key: String, _ known: KnownValue<Value>) {
    lock.assertHeld()
    guard known.revision > revisions[key] ?? 0 else { return }
    revisions[key] = known.revision
    changeWithLock(key, known)
  }

  private func changeWithLock(_ key: String, _ known: KnownValue<Value>) {
    lock.assertHeld()
    let before = values[key]
    guard known.value != nil || before != nil else { return }
    if let before { replaced.append(before) }
    values[key] = known.value
    unreported.append(NATSDictionary.Change(key: key, value: known.value, revision: known.revision))
  }

  private func reportWithLock() {
    lock.assertHeld()
    if unreported.isEmpty { return }
    if !isOver { newest = values }
    var report = undelivered ?? Report()
    // Or there are two owners of the report, and each change copies it.
    undelivered = nil
    report.values = values
    for change in unreported {
      if let value = report.add(change)?.value { replaced.append(value) }
    }
    undelivered = report
    unreported = []
  }

  /// The dictionary first, so that it has a change that is reported. Runs on the watch's queue.
  func deliver() {
    lock.lock()
    let (report, replaced) = (undelivered, takeReplacedWithLock())
    undelivered = nil
    lock.unlock()
    releaseOutsideLock(replaced)
    guard let report else { return }
    subject.send(report.values)
    for change in report.changes { changes.send(change) }
  }
}
