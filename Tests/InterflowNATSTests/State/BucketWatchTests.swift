import CNATS
import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// What a watch survives.
@Suite struct BucketWatchTests {
  private var patient: NATSOptions {
    var options = NATSOptions.patient
    options.reconnection = .always(pause: .milliseconds(200))
    return options
  }

  @Test(arguments: 1...2) func seesWhatFollowsTheRestartOfTheServer(run: Int) async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: patient)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let words = try await NATSDictionary<String>(connection, bucket: "state", prefix: "words", settings: nil)
    try await value.send(1)
    for number in 0..<20 { try await words.set("before", for: "k\(number)") }
    let changes = words.changes.asyncStream()
    server.kill()
    try server.restart()
    let other = try await NATSConnection(urls: [server.url], options: patient)
    let otherValue = try await NATSValue<Int>(other, bucket: "state", key: "number")
    let otherWords = try await NATSDictionary<String>(other, bucket: "state", prefix: "words")
    #expect(otherValue.value == 1)
    #expect(otherWords.current.count == 20)
    try await otherValue.send(2)
    try await otherWords.set("after", for: "k3")
    try await otherWords.remove("k4")
    await until { value.value == 2 && words["k3"] == "after" && words["k4"] == nil }
    #expect(words.current == otherWords.current)
    // Nothing is reported that had been seen before.
    var reported: [String] = []
    for try await change in changes.prefix(2) { reported.append("\(change.key) \(change.value ?? "removed")") }
    #expect(reported == ["k3 after", "k4 removed"])
    try await otherValue.send(3)
    await until { value.value == 3 }
  }

  @Test func sendsAgainAfterTheRestartOfTheServer() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: patient)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    var statuses = connection.statuses.makeAsyncIterator()
    server.kill()
    while let status = await statuses.next() {
      if case .reconnecting = status { break }
    }
    try server.restart()
    while let status = await statuses.next() {
      if case .connected = status { break }
    }
    #expect(try await value.send(2) == 2)
    #expect(try await value.update { $0 = ($0 ?? 0) + 1 } == 3)
    #expect(value.value == 3)
  }

  @Test func goesOnWhereTheConsumerIsLost() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let context = connection.context
    var names: UnsafeMutablePointer<jsConsumerNamesList>?
    #expect(js_ConsumerNames(&names, context.pointer, "KV_state", nil, nil) == NATS_OK)
    let list = try #require(names)
    #expect(list.pointee.Count == 1)
    #expect(js_DeleteConsumer(context.pointer, "KV_state", list.pointee.List[0], nil, nil) == NATS_OK)
    jsConsumerNamesList_Destroy(list)
    let other = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await other.send(7)
    await until { value.value == 7 }
  }

  @Test func failsWhereTheBucketIsDeleted() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    let values = value.values
    let context = connection.context
    #expect(js_DeleteStream(context.pointer, "KV_state", nil, nil) == NATS_OK)
    #expect(await collect(values).error?.kind == .notFound)
  }

  @Test func seesABucketThatWasDeletedAndCreatedAgain() async throws {
    let server = try NATSServer()
    let proxy = try TCPProxy(to: server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: patient)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let gone = try await NATSValue<Int>(connection, bucket: "state", key: "gone")
    let words = try await NATSDictionary<String>(connection, bucket: "state", prefix: "words", settings: nil)
    for number in 0..<20 { try await value.send(number) }
    try await gone.send(1)
    for number in 0..<20 { try await words.set("old", for: "k\(number)") }
    let other = try await NATSConnection(urls: [server.url], options: .patient)
    let context = other.context
    #expect(js_DeleteStream(context.pointer, "KV_state", nil, nil) == NATS_OK)
    let bucket = try await Bucket(other, "state", NATSBucketSettings())
    #expect(try await bucket.put(Data("7".utf8), "number") == 1)
    #expect(try await bucket.put(Data(#""new""#.utf8), "words.k3") == 2)
    proxy.cut()
    proxy.restore()
    await until { value.value == 7 && gone.value == nil && words.current == ["k3": "new"] }
    #expect(value.revision == 1)
    #expect(gone.revision == 0)
    #expect(try await value.update { $0 = ($0 ?? 0) + 1 } == 8)
    #expect(try await words.update("k4") { $0 = $0 ?? "first" } == "first")
  }

  @Test func aMessageThatIsNoValueIsSentOnOnce() async throws {
    let server = try NATSServer()
    let proxy = try TCPProxy(to: server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: patient)
    let letters = try await NATSStream<Data>(connection, "LETTERS", subjects: ["letters"], coding: .data)
    let value = try await NATSValue<Int>(
      connection, bucket: "state", key: "number", undecodable: .deadLetter(subject: "letters"))
    let words = try await NATSDictionary<Int>(
      connection, bucket: "state", prefix: "words", undecodable: .deadLetter(subject: "letters"))
    let other = try await NATSConnection(urls: [server.url], options: .patient)
    let bucket = try await Bucket(other, "state", nil)
    _ = try await bucket.put(Data("one".utf8), "number")
    _ = try await bucket.put(Data("two".utf8), "words.k")
    while try await letters.state().messageCount < 2 { await Task.yield() }
    let (interrupted, restored) = (Signal(), Signal())
    let status = connection.status.dropFirst().sink {
      if case .connected = $0 { restored.fire() } else { interrupted.fire() }
    }
    proxy.cut()
    await interrupted.wait()
    proxy.restore()
    await restored.wait()
    // Other watches of the connection begin again as well; these have seen the key by then.
    _ = try await bucket.put(Data("3".utf8), "number")
    _ = try await bucket.put(Data("4".utf8), "words.l")
    await until { value.value == 3 && words["l"] == 4 }
    try await connection.flush()
    #expect(try await letters.state().messageCount == 2)
    status.cancel()
  }

  @Test func aMessageThatCannotBeSentOnIsReported() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: patient)
    let bucket = try await Bucket(connection, "state", NATSBucketSettings())
    let watch = BucketWatch(bucket, "number") { _, _ in }
    let (reported, interrupted) = (Signal(), Signal())
    let errors = Shared<[NATSError]>([])
    let cancellables = [
      connection.errors.sink { error in
        errors.update { $0.append(error) }
        reported.fire()
      },
      connection.status.sink { if case .reconnecting = $0 { interrupted.fire() } },
    ]
    server.kill()
    await interrupted.wait()
    // What is sent while the connection is interrupted waits in a buffer, up to its size.
    connection.outbox.post { while $0.publish(Data(count: 100_000), to: "full") == NATS_OK {} }
    let error = NATSError(kind: .undecodable, operation: "a test", message: "")
    NATSUndecodable.deadLetter(subject: "letters")
      .apply(to: BucketEntry(key: "number", revision: 1, bytes: Data(count: 200_000)), error, bucket, watch)
    await reported.wait()
    #expect(errors.value.map(\.operation) == ["sending a revision of “number” that is no value to “letters”"])
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func isReleasedWhileItWaitsForTheServer() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let bucket = try await Bucket(connection, "state", NATSBucketSettings())
    var watch: BucketWatch? = BucketWatch(bucket, "number") { _, _ in }
    weak let released = watch
    let start = Task { [watch] in try await watch?.start() }
    watch = nil
    start.cancel()
    _ = await start.result
    await until { released == nil }
  }

  @Test func watchesShareThreads() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let bucket = try await Bucket(connection, "state", NATSBucketSettings())
    let before = try threadCount()
    let seen = Shared(Set<Int>())
    var watches: [BucketWatch] = []
    for number in 0..<1_000 {
      let watch = BucketWatch(bucket, "k\(number % 10)") { event, _ in
        if case .entry = event { seen.update { _ = $0.insert(number) } }
      }
      try await watch.start()
      watches.append(watch)
    }
    for number in 0..<10 { _ = try await bucket.put(Data("1".utf8), "k\(number)") }
    await until { seen.value.count == 1_000 }
    // Those of the process for deliveries and for calls, and what other tests have begun meanwhile.
    #expect(try threadCount() - before < 400)
    withExtendedLifetime(watches) {}
  }

  @Test func theConnectionIsReleasedWithTheValue() async throws {
    let server = try NATSServer()
    var connection: NATSConnection? = try await NATSConnection(urls: [server.url], options: .patient)
    weak let released = connection
    var value: NATSValue<Int>? = try await NATSValue(connection!, bucket: "state", key: "number")
    connection = nil
    try await value?.send(1)
    #expect(released != nil)
    value = nil
    await until { released == nil }
  }
}
