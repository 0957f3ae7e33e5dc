import CNATS
import Foundation

/// A bucket of keys and values: a stream with a subject for each key.
struct Bucket: Sendable {
  let name: String
  let connection: NATSConnection
  private let context: JetStreamContext
  /// How many servers hold each value.
  private let replicas: Int

  var stream: String { "KV_\(name)" }

  func subject(_ key: String) -> String { "$KV.\(name).\(key)" }

  /// Where revisions are sent. Servers of another domain take them only with the prefix of its requests.
  private func target(_ key: String) -> String {
    let prefix = connection.jetStreamPrefix
    return prefix == JetStreamContext.defaultPrefix ? subject(key) : "\(prefix).\(subject(key))"
  }

  func key(ofSubject subject: String) -> String {
    String(subject.utf8.dropFirst("$KV.\(name).".utf8.count)) ?? subject
  }

  /// Creates a bucket or uses the one with the same settings; uses the one that exists where there are no settings.
  init(_ connection: NATSConnection, _ name: String, _ settings: NATSBucketSettings?) async throws(NATSError) {
    let operation = settings == nil ? "looking for the bucket “\(name)”" : "creating the bucket “\(name)”"
    try KeyName.checkBucket(name, while: operation)
    if let settings, !(1...64).contains(settings.history) {
      throw NATSError(
        kind: .misuse, operation: operation, message: "a history of 1 to 64 was expected, not \(settings.history)")
    }
    let context = connection.context
    if let settings {
      try await connection.createStream(while: operation) { settings.withConfiguration(bucket: name, $0) }
      replicas = settings.replicas
    } else {
      replicas = try await connection.call(operation) {
        context.stream("KV_\(name)", while: operation) { Int(clamping: $1.Replicas) }
      }
    }
    self.name = name
    self.connection = connection
    self.context = context
  }

  /// When the bucket was created: another one of the name has another date. Blocks.
  func created() -> Result<Int64, NATSError> {
    context.stream(stream, while: "looking for the bucket “\(name)”") { information, _ in information.Created }
  }

  /// The last revision of a key, from the server that leads the bucket; `nil` where it has none.
  func newest(_ key: String) async throws(NATSError) -> BucketEntry? {
    let message = try await connection.storedMessage(
      .last(subject: subject(key)), ofStream: stream, while: "reading “\(key)” of the bucket “\(name)”")
    guard let message else { return nil }
    let isDeleted = Self.saysThatItIsDeleted { message.headers[$0] }
    return BucketEntry(key: key, revision: message.sequence, bytes: isDeleted ? nil : message.bytes)
  }

  /// Whether a key has no revision, as the server says that leads the bucket; `nil` where it has not said so, for whatever
  /// reason.
  func isMissing(_ key: String) async -> Bool? {
    do throws(NATSError) {
      return try await newest(key) == nil
    } catch {
      return nil
    }
  }

  private static let operationHeader = "KV-Operation"

  /// Whether a revision with these headers says that the key has been deleted, or has expired. Servers of version 2.11 and
  /// later store the latter in buckets that keep such markers.
  private static func saysThatItIsDeleted(_ header: (String) -> String?) -> Bool {
    if let operation = header(operationHeader) { return operation == "DEL" || operation == "PURGE" }
    return ["MaxAge", "Purge", "Remove"].contains(header("Nats-Marker-Reason"))
  }

  /// The bytes of a revision; `nil` where it says that the key has been deleted.
  static func bytes(of message: OpaquePointer) -> Data? {
    let isDeleted = saysThatItIsDeleted { name in
      var text: UnsafePointer<CChar>?
      return natsMsgHeader_Get(message, name, &text) == NATS_OK ? text.map { String(cString: $0) } : nil
    }
    return isDeleted ? nil : Data(messageOfLibrary: message)
  }

  /// Stores a revision after all that was sent before.
  func put(_ bytes: Data, _ key: String) async throws -> UInt64 {
    try await connection.sender.store(bytes, to: target(key), id: nil).sequence
  }

  /// Stores a revision, or deletes the key.
  ///
  /// - Parameter revision: The revision that has to be the key's last one, zero for none; `nil` for any.
  func store(_ bytes: Data?, _ key: String, from revision: UInt64?) async throws(NATSError) -> UInt64 {
    let operation = "\(bytes == nil ? "deleting" : "changing") “\(key)” of the bucket “\(name)”"
    let begin = ContinuousClock.now
    if revision != nil { try await checkUpdates(while: operation) }
    struct Receipt: Decodable { let seq: UInt64 }
    var headers = NATSHeaders()
    if bytes == nil { headers[Self.operationHeader] = "DEL" }
    if let revision { headers["Nats-Expected-Last-Subject-Sequence"] = "\(revision)" }
    // The time for the check is part of the call's.
    let rest = timeLeft(since: begin)
    let answer = try await connection.requests.answer(
      to: bytes ?? Data(), sentTo: target(key), headers: headers, within: rest, while: operation)
    return try JetStreamAnswer.read(Receipt.self, in: answer.bytes, while: operation).seq
  }

  /// What is left of the time limit of a call.
  func timeLeft(since begin: ContinuousClock.Instant) -> Duration {
    max(.zero, connection.requestTimeout - begin.duration(to: .now))
  }

  private func checkUpdates(while operation: String) async throws(NATSError) {
    try await connection.checkExpectations(replicas: replicas, of: "bucket", while: operation)
  }

  /// Creates a consumer that gets the last revision of each key, and all that follow. Blocks.
  func push(_ keys: String, to inbox: String) -> Result<(pending: UInt64, delivered: UInt64), NATSError> {
    var configuration = jsConsumerConfig()
    jsConsumerConfig_Init(&configuration)
    configuration.AckPolicy = js_AckNone
    configuration.DeliverPolicy = js_DeliverLastPerSubject
    configuration.MaxDeliver = 1
    configuration.Heartbeat = BucketWatch.heartbeat.nanoseconds
    configuration.MemoryStorage = true
    var code = jsErrCode(0)
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    let status = subject(keys).withCString { filter in
      inbox.withCString { inbox in
        configuration.FilterSubject = filter
        configuration.DeliverSubject = inbox
        return js_AddConsumer(&information, context.pointer, stream, &configuration, nil, &code)
      }
    }
    guard status == NATS_OK, let information else {
      return .failure(NATSError(status, jetStream: code, while: "watching “\(keys)” of the bucket “\(name)”"))
    }
    defer { jsConsumerInfo_Destroy(information) }
    return .success((information.pointee.NumPending, information.pointee.Delivered.Consumer))
  }
}

extension Bucket {
  /// Changes a value, again and again until no other change has come in between.
  ///
  /// - Parameter known: What to try first.
  nonisolated(nonsending) func change<Value>(
    _ key: String, _ known: KnownValue<Value>, _ coding: NATSCoding<Value>, _ body: (inout Value?) throws -> Void
  ) async throws -> KnownValue<Value> {
    do {
      // Before the closure is called.
      try await checkUpdates(while: "changing “\(key)” of the bucket “\(name)”")
      return try await changeUntilStored(key, known, coding, body)
    } catch let error as NATSError where error.kind == .cancelled {
      throw CancellationError()
    }
  }

  private nonisolated(nonsending) func changeUntilStored<Value>(
    _ key: String, _ known: KnownValue<Value>, _ coding: NATSCoding<Value>, _ body: (inout Value?) throws -> Void
  ) async throws -> KnownValue<Value> {
    var known = known
    var isCurrent = false
    while true {
      try Task.checkCancellation()
      var value = known.value
      try body(&value)
      if value == nil, known.value == nil {
        // Where nothing is stored, a conflict would remain unnoticed.
        if isCurrent { return known }
        known = try await read(key, coding)
        isCurrent = true
        continue
      }
      var bytes: Data?
      if let value { bytes = try coding.bytes(of: value, while: "changing “\(key)” of the bucket “\(name)”") }
      if let revision = try await storeUnlessChanged(bytes, key, from: known.revision) {
        return KnownValue(revision: revision, value: value)
      }
      known = try await read(key, coding)
      isCurrent = true
    }
  }

  /// - Returns: The revision; `nil` where another is the key's last one.
  private func storeUnlessChanged(
    _ bytes: Data?, _ key: String, from revision: UInt64
  ) async throws(NATSError) -> UInt64? {
    do {
      return try await store(bytes, key, from: revision)
    } catch {
      if error.kind == .conflict { return nil }
      throw error
    }
  }

  /// The last revision of a key, from the server that leads the bucket.
  func read<Value>(_ key: String, _ coding: NATSCoding<Value>) async throws(NATSError) -> KnownValue<Value> {
    let operation = "reading “\(key)” of the bucket “\(name)”"
    guard let entry = try await newest(key) else { return KnownValue() }
    guard let bytes = entry.bytes else { return KnownValue(revision: entry.revision) }
    return KnownValue(
      revision: entry.revision, value: try coding.value(of: bytes, while: operation))
  }
}
