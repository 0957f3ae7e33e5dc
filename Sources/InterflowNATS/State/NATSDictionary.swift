import Combine
import Interflow

/// Values that all processes of a cluster see and change: the keys of a bucket that JetStream stores, or those with a
/// prefix.
///
/// ```swift
/// let prices = try await NATSDictionary<Double>(connection, bucket: "shop", prefix: "prices")
/// try await prices.set(1.5, for: "apple")
/// print(prices["apple"] ?? 0)
/// ```
///
/// The values are the last ones seen here, which for a moment may not be the last ones that were sent elsewhere; none is
/// ever older than one that was seen before. One that has not changed in the bucket's ``NATSBucketSettings/timeToLive`` is
/// removed without notice: it remains visible here until ``refresh(_:)``, or until the connection is restored after an
/// interruption. In a bucket that was created with markers for what expires, which servers keep from version 2.11 on, the
/// removal is noticed at once.
///
/// A bucket that is deleted and created again counts its revisions from one. This is noticed within some ten seconds, for
/// one key by ``refresh(_:)``, and then the dictionary is that of the new bucket. Until then it remains what it was, also
/// after ``set(_:for:)``.
/// If a value of the new bucket has the revision that the old one had, an `update` may replace it without having seen it.
public final class NATSDictionary<Value: Sendable>: Sendable {
  /// A change of one key.
  public struct Change: Sendable {
    /// The key, without the prefix.
    public let key: String
    /// The value; `nil` where it has been removed.
    public let value: Value?
    /// The number of the key's last revision, which grows with each change in the bucket.
    public let revision: UInt64
  }

  /// The bucket's name.
  public let bucket: String
  /// What the keys begin with, before a dot; empty for all keys of the bucket.
  public let prefix: String

  private let storage: Bucket
  private let coding: NATSCoding<Value>
  private let store: DictionaryStore<Value>
  private let watch: BucketWatch

  /// Watches the keys, of which all are known when this returns.
  ///
  /// Looking for the bucket and reading from it may take ``NATSOptions/requestTimeout`` each.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the dictionary retains.
  ///   - bucket: The bucket's name, of letters, digits, `-` and `_`.
  ///   - prefix: What the keys begin with, before a dot, of which the dictionary's keys are the rest; empty for all keys.
  ///   - settings: What the bucket keeps. It is created, unless one with these settings exists; with `nil`, it has to
  ///     exist, with whatever settings.
  ///   - undecodable: What happens with a revision that is no value of the type. With ``NATSUndecodable/skip``, the value
  ///     remains what it was.
  ///   - coding: How values become bytes.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a bucket of the name exists with other settings,
  ///   ``NATSError/Kind/notFound`` where it has to exist and does not. Or a `CancellationError`.
  public init(
    _ connection: NATSConnection, bucket: String, prefix: String = "",
    settings: NATSBucketSettings? = NATSBucketSettings(), undecodable: NATSUndecodable = .fail,
    coding: NATSCoding<Value>
  ) async throws {
    if !prefix.isEmpty { try KeyName.check(prefix, while: "watching the bucket “\(bucket)”") }
    try undecodable.check(while: "watching the bucket “\(bucket)”")
    let storage = try await Bucket(connection, bucket, settings)
    let start = prefix.isEmpty ? "" : prefix + "."
    let store = DictionaryStore(storage, start, coding, undecodable)
    watch = BucketWatch(storage, start + ">") { store.handle($0, $1) }
    self.bucket = bucket
    self.prefix = prefix
    self.storage = storage
    self.coding = coding
    self.store = store
    try await watch.start()
  }
}

extension NATSDictionary where Value: Codable {
  /// Watches the keys of values in JSON, of which all are known when this returns.
  ///
  /// Looking for the bucket and reading from it may take ``NATSOptions/requestTimeout`` each.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the dictionary retains.
  ///   - bucket: The bucket's name, of letters, digits, `-` and `_`.
  ///   - prefix: What the keys begin with, before a dot, of which the dictionary's keys are the rest; empty for all keys.
  ///   - settings: What the bucket keeps. It is created, unless one with these settings exists; with `nil`, it has to
  ///     exist, with whatever settings.
  ///   - undecodable: What happens with a revision that is no value of the type. With ``NATSUndecodable/skip``, the value
  ///     remains what it was.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a bucket of the name exists with other settings,
  ///   ``NATSError/Kind/notFound`` where it has to exist and does not. Or a `CancellationError`.
  public convenience init(
    _ connection: NATSConnection, bucket: String, prefix: String = "",
    settings: NATSBucketSettings? = NATSBucketSettings(), undecodable: NATSUndecodable = .fail
  ) async throws {
    try await self.init(
      connection, bucket: bucket, prefix: prefix, settings: settings, undecodable: undecodable, coding: .json)
  }
}

extension NATSDictionary {
  /// The values of the last revisions seen.
  public var current: [String: Value] { store.current }

  /// The value of a key's last revision seen; `nil` where it has none.
  public subscript(key: String) -> Value? { store.current[key] }

  /// The dictionary: the current one first, then the one after each change that is seen.
  ///
  /// What several keys had when it began, or after an interruption of the connection, is one change. Each change copies
  /// the dictionary: where there are many keys, ``changes`` takes less time.
  ///
  /// - Demand: The newest dictionary waits for demand; those before it are dropped.
  /// - Failure: A ``NATSError``, where the connection is closed, the bucket deleted, or a revision is no value of the type
  ///   and ``NATSUndecodable/fail`` was chosen. Interruptions of the connection are none. After a failure,
  ///   ``current`` remains what it was.
  /// - Cancellation: Cancelling releases the subscriber and the dictionary, which a subscription retains.
  /// - Thread: Dictionaries are delivered on a queue of this one. A subscriber that takes long delays the next, which
  ///   has all changes that are seen meanwhile, and ``current`` may be a later one. A change by this program returns when
  ///   subscribers have got it, or its time limit is over, or its task is cancelled.
  public var publisher: AnyPublisher<[String: Value], NATSError> {
    store.subject.map { [self] values in withExtendedLifetime(self) { values } }.eraseToAnyPublisher()
  }

  /// The dictionary for a loop: the current one first, then those after changes; those that the loop does not take in
  /// time are dropped, except for the newest.
  public var values: CombineAsyncStream<AnyPublisher<[String: Value], NATSError>> {
    publisher.asyncStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The changes that are seen from now on, each key's in the order of their revisions.
  ///
  /// After an interruption of the connection, only the last change of each key follows; of changes that are stored faster
  /// than they are seen here, or while a subscriber takes long, too, some are left out that are followed by others of the
  /// key.
  ///
  /// - Demand: Changes that have not been requested are kept in memory, however many there are.
  /// - Failure: As of ``publisher``.
  /// - Cancellation: Cancelling drops what is kept, and releases the subscriber and the dictionary.
  /// - Thread: Changes are delivered on a queue of the dictionary, or by the request that they have waited for.
  public var changes: AnyPublisher<Change, NATSError> {
    store.changes
      .map { [self] change in withExtendedLifetime(self) { change } }
      .buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest)
      .eraseToAnyPublisher()
  }

  /// Replaces a value, whatever it is, and returns when a server has stored it and it is visible here.
  ///
  /// - Cancellation: Cancelling the task ends the wait with a `CancellationError`. The value may be stored nonetheless.
  ///
  /// - Returns: The revision.
  /// - Throws: A ``NATSError``, or a `CancellationError`. After ``NATSError/Kind/timeout`` and
  ///   ``NATSError/Kind/closed`` the value may have been stored or not.
  @discardableResult
  public func set(_ value: Value, for key: String) async throws -> UInt64 {
    let name = try name(of: key)
    let bytes = try coding.bytes(of: value, while: "sending “\(name)” to the bucket “\(bucket)”")
    let begin = ContinuousClock.now
    return await seen(key, KnownValue(revision: try await storage.put(bytes, name), value: value), since: begin)
  }

  /// Changes a value, and changes it again where another change has come in between.
  ///
  /// > Warning: Servers before version 2.10 lose changes of a bucket with more than one of
  /// > ``NATSBucketSettings/replicas`` that are made at the same time. There, this fails with
  /// > ``NATSError/Kind/unsupported``, unless ``NATSOptions/allowsUnsafeUpdates`` is set.
  ///
  /// ```swift
  /// try await prices.update("apple") { $0 = ($0 ?? 1) * 1.1 }
  /// ```
  ///
  /// Each request to the servers may take ``NATSOptions/requestTimeout``, of which there are two for each time that the
  /// closure is called, and one before, for the servers' versions, where several hold the bucket.
  ///
  /// - Cancellation: Cancelling the task ends it at once with a `CancellationError`. The value may be changed nonetheless.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: Changes the value, which is `nil` where the key has none; `nil` removes it. It may be called several times.
  /// - Returns: The value that was stored.
  /// - Throws: A ``NATSError``, what the closure throws, or a `CancellationError`. After ``NATSError/Kind/timeout`` the
  ///   value may have been changed or not.
  @discardableResult
  public nonisolated(nonsending) func update(
    _ key: String, _ body: (inout Value?) throws -> Void
  ) async throws -> Value? {
    let name = try name(of: key)
    let known = try await storage.change(name, store.known(key), coding, body)
    _ = await seen(key, known, since: .now)
    return known.value
  }

  /// Removes a value, whatever it is, and returns when a server has done so and it is not visible here any more.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``. After ``NATSError/Kind/timeout`` the value may have been removed or not.
  public func remove(_ key: String) async throws(NATSError) {
    let name = try name(of: key)
    let begin = ContinuousClock.now
    _ = await seen(key, KnownValue(revision: try await storage.store(nil, name, from: nil)), since: begin)
  }

  /// Reads a key's last value from the server, which is visible here then.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/undecodable`` where it is no value of the type.
  @discardableResult
  public func refresh(_ key: String) async throws(NATSError) -> Value? {
    let name = try name(of: key)
    let (begin, before) = (ContinuousClock.now, store.known(key).revision)
    let known = try await storage.read(name, coding)
    store.take(key, known, since: before)
    await deliver(since: begin)
    return known.value
  }

  private func name(of key: String) throws(NATSError) -> String {
    try KeyName.check(key, while: "using a key of the bucket “\(bucket)”")
    if prefix.isEmpty { return key }
    let name = "\(prefix).\(key)"
    try KeyName.check(name, while: "using a key of the bucket “\(bucket)”")
    return name
  }

  private func seen(
    _ key: String, _ known: KnownValue<Value>, since begin: ContinuousClock.Instant
  ) async -> UInt64 {
    store.accept(key, known)
    await deliver(since: begin)
    return known.revision
  }

  /// Waits for subscribers within what is left of a call's time.
  private func deliver(since begin: ContinuousClock.Instant) async {
    await watch.run(within: storage.timeLeft(since: begin)) { [store] in store.deliver() }
  }
}
