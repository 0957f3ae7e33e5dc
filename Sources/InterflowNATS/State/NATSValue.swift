import Combine
import Interflow

/// A value that all processes of a cluster see and change: the key of a bucket that JetStream stores.
///
/// ```swift
/// let limit = try await NATSValue<Int>(connection, bucket: "settings", key: "limit")
/// try await limit.send(10)
/// try await limit.update { $0 = ($0 ?? 0) + 1 }
/// print(limit.value ?? 0)
/// ```
///
/// ``value`` is the last one seen here, which for a moment may not be the last one that was sent elsewhere; it is never
/// older than one that was seen before. ``refresh()`` reads it from the server. A value that has not changed in the
/// bucket's ``NATSBucketSettings/timeToLive`` is removed without notice: it remains visible here until ``refresh()``, or
/// until the connection is restored after an interruption. In a bucket that was created with markers for what expires,
/// which servers keep from version 2.11 on, the removal is noticed at once.
///
/// A bucket that is deleted and created again counts its revisions from one. This is noticed within some ten seconds, or
/// by ``refresh()``, and then ``value`` is that of the new bucket. Until then it remains what it was, also after ``send(_:)``.
/// If a value of the new bucket has the revision that the old one had, an `update` may replace it without having seen it.
public final class NATSValue<Output: Sendable>: Sendable {
  /// The bucket's name.
  public let bucket: String
  /// The key.
  public let key: String

  private let storage: Bucket
  private let coding: NATSCoding<Output>
  private let store: ValueStore<Output>
  private let watch: BucketWatch

  /// Watches a key, whose last value is known when this returns.
  ///
  /// Looking for the bucket and reading from it may take ``NATSOptions/requestTimeout`` each.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the value retains.
  ///   - bucket: The bucket's name, of letters, digits, `-` and `_`.
  ///   - key: The key, of parts between dots.
  ///   - settings: What the bucket keeps. It is created, unless one with these settings exists; with `nil`, it has to
  ///     exist, with whatever settings.
  ///   - undecodable: What happens with a revision that is no value of the type. With ``NATSUndecodable/skip``, the value
  ///     remains what it was.
  ///   - coding: How values become bytes.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a bucket of the name exists with other settings,
  ///   ``NATSError/Kind/notFound`` where it has to exist and does not. Or a `CancellationError`.
  public init(
    _ connection: NATSConnection, bucket: String, key: String,
    settings: NATSBucketSettings? = NATSBucketSettings(), undecodable: NATSUndecodable = .fail,
    coding: NATSCoding<Output>
  ) async throws {
    try KeyName.check(key, while: "watching a key of the bucket “\(bucket)”")
    try undecodable.check(while: "watching a key of the bucket “\(bucket)”")
    let storage = try await Bucket(connection, bucket, settings)
    let store = ValueStore(storage, key, coding, undecodable)
    watch = BucketWatch(storage, key) { store.handle($0, $1) }
    self.bucket = bucket
    self.key = key
    self.storage = storage
    self.coding = coding
    self.store = store
    try await watch.start()
  }
}

extension NATSValue where Output: Codable {
  /// Watches a key of values in JSON, whose last value is known when this returns.
  ///
  /// Looking for the bucket and reading from it may take ``NATSOptions/requestTimeout`` each.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the value retains.
  ///   - bucket: The bucket's name, of letters, digits, `-` and `_`.
  ///   - key: The key, of parts between dots.
  ///   - settings: What the bucket keeps. It is created, unless one with these settings exists; with `nil`, it has to
  ///     exist, with whatever settings.
  ///   - undecodable: What happens with a revision that is no value of the type. With ``NATSUndecodable/skip``, the value
  ///     remains what it was.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a bucket of the name exists with other settings,
  ///   ``NATSError/Kind/notFound`` where it has to exist and does not. Or a `CancellationError`.
  public convenience init(
    _ connection: NATSConnection, bucket: String, key: String,
    settings: NATSBucketSettings? = NATSBucketSettings(), undecodable: NATSUndecodable = .fail
  ) async throws {
    try await self.init(
      connection, bucket: bucket, key: key, settings: settings, undecodable: undecodable, coding: .json)
  }
}

extension NATSValue {
  /// The value of the last revision seen; `nil` where the key has none.
  public var value: Output? { store.known.value }

  /// The number of the last revision seen, also of one that has deleted the value; zero where there was none, or the server
  /// has said that there is none any more.
  public var revision: UInt64 { store.known.revision }

  /// The value: the current one first, then each that is seen.
  ///
  /// - Demand: The newest value waits for demand; those before it are dropped.
  /// - Failure: A ``NATSError``, where the connection is closed, the bucket deleted, or a revision is no value of the type
  ///   and ``NATSUndecodable/fail`` was chosen. Interruptions of the connection are none: after one, the last value
  ///   follows. After a failure, ``value`` remains what it was.
  /// - Cancellation: Cancelling releases the subscriber and the value, which a subscription retains.
  /// - Thread: Values are delivered on a queue of the value. A subscriber that takes long delays the next, and meanwhile
  ///   ``value`` and ``revision`` may be later ones. Values that are seen meanwhile wait, however many there are. A
  ///   change by this program returns when subscribers have got it, or its time limit is over, or its task is cancelled.
  public var publisher: AnyPublisher<Output?, NATSError> {
    store.subject.map { [self] known in withExtendedLifetime(self) { known.value } }.eraseToAnyPublisher()
  }

  /// The value for a loop: the current one first, then each that is seen; those that the loop does not take in time are
  /// dropped, except for the newest.
  public var values: CombineAsyncStream<AnyPublisher<Output?, NATSError>> {
    publisher.asyncStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Replaces the value, whatever it is, and returns when a server has stored it and ``value`` shows it.
  ///
  /// - Cancellation: Cancelling the task ends the wait with a `CancellationError`. The value may be stored nonetheless.
  ///
  /// - Returns: The revision.
  /// - Throws: A ``NATSError``, or a `CancellationError`. After ``NATSError/Kind/timeout`` and
  ///   ``NATSError/Kind/closed`` the value may have been stored or not.
  @discardableResult
  public func send(_ value: Output) async throws -> UInt64 {
    let bytes = try coding.bytes(of: value, while: "sending “\(key)” to the bucket “\(bucket)”")
    let begin = ContinuousClock.now
    return await seen(KnownValue(revision: try await storage.put(bytes, key), value: value), since: begin)
  }

  /// Replaces the value if its last revision is the one given.
  ///
  /// > Warning: Servers before version 2.10 lose changes of a bucket with more than one of
  /// > ``NATSBucketSettings/replicas`` that are made at the same time. There, this fails with
  /// > ``NATSError/Kind/unsupported``, unless ``NATSOptions/allowsUnsafeUpdates`` is set.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - revision: What ``revision`` was when the value was read; zero where the key had none.
  /// - Returns: The revision.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/conflict`` where another revision is the last one. After
  ///   ``NATSError/Kind/timeout`` the value may have been stored or not.
  @discardableResult
  public func update(_ value: Output, from revision: UInt64) async throws(NATSError) -> UInt64 {
    let bytes = try coding.bytes(of: value, while: "changing “\(key)” of the bucket “\(bucket)”")
    let begin = ContinuousClock.now
    let stored = try await storage.store(bytes, key, from: revision)
    return await seen(KnownValue(revision: stored, value: value), since: begin)
  }

  /// Changes the value, and changes it again where another change has come in between.
  ///
  /// > Warning: Servers before version 2.10 lose changes of a bucket with more than one of
  /// > ``NATSBucketSettings/replicas`` that are made at the same time. There, this fails with
  /// > ``NATSError/Kind/unsupported``, unless ``NATSOptions/allowsUnsafeUpdates`` is set.
  ///
  /// ```swift
  /// try await limit.update { $0 = ($0 ?? 0) + 1 }
  /// ```
  ///
  /// Each request to the servers may take ``NATSOptions/requestTimeout``, of which there are two for each time that the
  /// closure is called, and one before, for the servers' versions, where several hold the bucket.
  ///
  /// - Cancellation: Cancelling the task ends it at once with a `CancellationError`. The value may be changed nonetheless.
  ///
  /// - Parameter body: Changes the value, which is `nil` where the key has none; `nil` deletes it. It may be called
  ///   several times.
  /// - Returns: The value that was stored.
  /// - Throws: A ``NATSError``, what the closure throws, or a `CancellationError`. After ``NATSError/Kind/timeout`` the
  ///   value may have been changed or not.
  @discardableResult
  public nonisolated(nonsending) func update(_ body: (inout Output?) throws -> Void) async throws -> Output? {
    let known = try await storage.change(key, store.known, coding, body)
    _ = await seen(known, since: .now)
    return known.value
  }

  /// Deletes the value, whatever it is, and returns when a server has done so and ``value`` is `nil`.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``. After ``NATSError/Kind/timeout`` the value may have been deleted or not.
  public func delete() async throws(NATSError) {
    let begin = ContinuousClock.now
    _ = await seen(KnownValue(revision: try await storage.store(nil, key, from: nil)), since: begin)
  }

  /// Reads the last value from the server, which ``value`` shows then.
  ///
  /// - Cancellation: Cancelling the task ends the wait at once, with ``NATSError/Kind/cancelled``.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/undecodable`` where it is no value of the type.
  @discardableResult
  public func refresh() async throws(NATSError) -> Output? {
    let (begin, before) = (ContinuousClock.now, store.knownRevision)
    let known = try await storage.read(key, coding)
    store.take(known, since: before)
    await deliver(since: begin)
    return known.value
  }

  private func seen(_ known: KnownValue<Output>, since begin: ContinuousClock.Instant) async -> UInt64 {
    store.accept(known)
    await deliver(since: begin)
    return known.revision
  }

  /// Waits for subscribers within what is left of a call's time.
  private func deliver(since begin: ContinuousClock.Instant) async {
    await watch.run(within: storage.timeLeft(since: begin)) { [store] in store.deliver() }
  }
}
