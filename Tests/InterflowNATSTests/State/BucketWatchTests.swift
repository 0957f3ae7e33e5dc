import CNATS
import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// What a watch survives.
@Suite(.timeLimit(.minutes(60))) struct BucketWatchTests {
  private var patient: NATSOptions {
    var options = NATSOptions()
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
    let connection = try await NATSConnection(urls: [server.url])
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let context = try connection.jetStream()
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
    let connection = try await NATSConnection(urls: [server.url])
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    let values = value.values
    let context = try connection.jetStream()
    #expect(js_DeleteStream(context.pointer, "KV_state", nil, nil) == NATS_OK)
    #expect(await collect(values).error?.kind == .notFound)
  }

  @Test func isReleasedWhileItWaitsForTheServer() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url])
    let bucket = try await Bucket(connection, "state", NATSBucketSettings())
    var watch: BucketWatch? = BucketWatch(bucket, "number") { _, _ in }
    weak let released = watch
    let start = Task { [watch] in try await watch?.start() }
    watch = nil
    start.cancel()
    _ = await start.result
    await until { released == nil }
  }

  @Test func theConnectionIsReleasedWithTheValue() async throws {
    let server = try NATSServer()
    var connection: NATSConnection? = try await NATSConnection(urls: [server.url])
    weak let released = connection
    var value: NATSValue<Int>? = try await NATSValue(connection!, bucket: "state", key: "number")
    connection = nil
    try await value?.send(1)
    #expect(released != nil)
    value = nil
    await until { released == nil }
  }
}
