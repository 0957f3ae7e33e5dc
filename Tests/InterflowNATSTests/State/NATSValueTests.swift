import Combine
import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSValueTests {
  private struct Broken: Error {}

  private func connected() async throws -> (server: NATSServer, connection: NATSConnection) {
    let server = try NATSServer()
    return (server, try await NATSConnection(urls: [server.url], options: .patient))
  }

  private func put(_ text: String, _ connection: NATSConnection, _ bucket: String, _ key: String) async throws {
    let storage = try await Bucket(connection, bucket, nil)
    _ = try await storage.store(Data(text.utf8), key, from: nil)
  }

  @Test func aNewKeyHasNoValue() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    #expect(value.value == nil)
    #expect(value.revision == 0)
    withExtendedLifetime(server) {}
  }

  @Test func showsWhatWasSentWhenSendReturns() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    for number in 1...20 {
      #expect(try await value.send(number) == UInt64(number))
      #expect(value.value == number)
      #expect(value.revision == UInt64(number))
    }
    withExtendedLifetime(server) {}
  }

  @Test func aSubscriberThatBlocksKeepsNoCallWaiting() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.requestTimeout = .seconds(3_600)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let (isBlocked, release) = (Signal(), DispatchSemaphore(value: 0))
    let subscriber = value.publisher.dropFirst().sink(
      receiveCompletion: { _ in },
      receiveValue: { _ in
        isBlocked.fire()
        release.wait()
      })
    let first = Task { try await value.send(1) }
    await isBlocked.wait()
    first.cancel()
    #expect(try await first.value == 1)
    #expect(value.value == 1)
    // Each is visible while the subscriber blocks, and ends when its task is cancelled.
    let calls: [(result: Int?, @Sendable () async throws -> Void)] = [
      (2, { try await value.update(2, from: 1) }), (3, { try await value.update { $0 = 3 } }),
      (nil, { try await value.delete() }), (4, { try await value.send(4) }),
    ]
    for (result, call) in calls { try await expectVisible(call) { value.value == result } }
    let refreshing = Task { _ = try await value.refresh() }
    refreshing.cancel()
    _ = try? await refreshing.value
    subscriber.cancel()
    release.signal()
    withExtendedLifetime(server) {}
  }

  @Test func aSubscriberThatBlocksDelaysACallUntilItsTimeIsOver() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.requestTimeout = .seconds(1)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let value = try await setUp { try await NATSValue<Int>(connection, bucket: "state", key: "number") }
    let release = DispatchSemaphore(value: 0)
    let subscriber = value.publisher.dropFirst()
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in release.wait() })
    try await setUp { _ = try await value.send(1) }
    try await setUp { _ = try await value.refresh() }
    #expect(value.value == 1)
    subscriber.cancel()
    release.signal()
    withExtendedLifetime(server) {}
  }

  @Test func knowsTheLastValueFromTheBeginning() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<String>(connection, bucket: "state", key: "a.b")
    try await value.send("one")
    try await value.send("two")
    let other = try await NATSValue<String>(
      try await NATSConnection(urls: [server.url], options: .patient), bucket: "state", key: "a.b", settings: nil)
    #expect(other.value == "two")
    #expect(other.revision == 2)
  }

  @Test func connectionsSeeEachOthersWritesInTheOrderOfTheRevisions() async throws {
    let (server, connection) = try await connected()
    var values: [NATSValue<Int>] = [try await NATSValue(connection, bucket: "state", key: "number")]
    for _ in 0..<2 {
      values.append(
        try await NATSValue(
          try await NATSConnection(urls: [server.url], options: .patient), bucket: "state", key: "number"))
    }
    let seen = values.map { Seen($0) }
    let revisions = Shared<[Int: UInt64]>([:])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, value) in values.enumerated() {
        group.addTask {
          for number in (1...50).map({ index * 1_000 + $0 }) {
            let revision = try await value.send(number)
            revisions.update { $0[number] = revision }
          }
        }
      }
      try await group.waitForAll()
    }
    await until { values.allSatisfy { $0.revision == 150 } }
    for (value, seen) in zip(values, seen) {
      #expect(value.value == values[0].value)
      await until { seen.values.last == value.value }
      let delivered = seen.values.map { revisions.value[$0] ?? 0 }
      #expect(zip(delivered, delivered.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func deleteLeavesNoValueAndARevision() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    try await value.delete()
    #expect(value.value == nil)
    #expect(value.revision == 2)
    let other = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    #expect(other.value == nil)
    #expect(other.revision == 2)
    #expect(try await other.update { $0 = ($0 ?? 10) + 1 } == 11)
    withExtendedLifetime(server) {}
  }

  // MARK: Changes on a condition

  @Test func updateFromAnOldRevisionIsAConflict() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let first = try await value.update(1, from: 0)
    #expect(await natsError { try await value.update(2, from: 0) }?.kind == .conflict)
    let second = try await value.update(2, from: first)
    #expect(await natsError { try await value.update(3, from: first) }?.kind == .conflict)
    #expect(value.value == 2)
    #expect(value.revision == second)
    withExtendedLifetime(server) {}
  }

  @Test func noChangeOfConcurrentUpdatersIsLost() async throws {
    let (server, connection) = try await connected()
    _ = try await NATSValue<Int>(connection, bucket: "state", key: "counter")
    let url = server.url
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let value = try await NATSValue<Int>(
            try await NATSConnection(urls: [url], options: .patient), bucket: "state", key: "counter")
          for _ in 0..<10 { try await value.update { $0 = ($0 ?? 0) + 1 } }
        }
      }
      try await group.waitForAll()
    }
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "counter")
    #expect(value.value == 80)
    #expect(value.revision == 80)
  }

  @Test func updateToNilDeletesAndAnErrorChangesNothing() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    await #expect(throws: Broken.self) { try await value.update { _ in throw Broken() } }
    #expect(try await value.refresh() == 1)
    #expect(try await value.update { $0 = nil } == nil)
    #expect(try await value.refresh() == nil)
    #expect(value.revision == 2)
    withExtendedLifetime(server) {}
  }

  @Test func aChangeToNilDeletesWhatHasNotBeenSeenYet() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    let bucket = try await Bucket(connection, "state", nil)
    let known = try await bucket.change("number", KnownValue<Int>(), .json) { $0 = nil }
    #expect(known.revision == 2)
    #expect(try await value.refresh() == nil)
    let unchanged = try await bucket.change("number", known, .json) { $0 = nil }
    #expect(unchanged.revision == 2)
    withExtendedLifetime(server) {}
  }

  // MARK: The publisher

  @Test func theCurrentValueIsFirstAndTheNewestWaitsForDemand() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    let recorder = Collected()
    value.publisher.subscribe(recorder)
    #expect(recorder.values == [])
    for number in 2...5 { try await value.send(number) }
    recorder.request(.max(1))
    #expect(recorder.values == [5])
    try await value.send(6)
    try await value.send(7)
    #expect(recorder.values == [5])
    recorder.request(.max(1))
    #expect(recorder.values == [5, 7])
    recorder.cancel()
    try await value.send(8)
    #expect(recorder.values == [5, 7])
    #expect(recorder.completion == nil)
    withExtendedLifetime(server) {}
  }

  @Test func valuesDeliversToALoop() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    var iterator = value.values.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first == .some(nil))
    try await value.send(3)
    let second = try await iterator.next()
    #expect(second == 3)
    withExtendedLifetime(server) {}
  }

  @Test func closingTheConnectionFailsThePublisher() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    let values = value.values
    await connection.close()
    #expect(await collect(values).error?.kind == .closed)
    withExtendedLifetime(server) {}
  }

  @Test func aSubscriptionRetainsTheValueUntilItIsCancelled() async throws {
    let (server, connection) = try await connected()
    var value: NATSValue<Int>? = try await NATSValue(connection, bucket: "state", key: "number")
    weak let released = value
    let recorder = Collected()
    value?.publisher.subscribe(recorder)
    recorder.request(.unlimited)
    value = nil
    #expect(released != nil)
    let other = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await other.send(1)
    await until { recorder.values == [nil, 1] }
    recorder.cancel()
    await until { released == nil }
    withExtendedLifetime(server) {}
  }

  // MARK: What is no value

  @Test func undecodableFails() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    let values = value.values
    try await put("secret", connection, "state", "number")
    let error = await collect(values).error
    #expect(error?.kind == .undecodable)
    #expect(error.map { "\($0)" }?.contains("secret") == false)
    #expect(value.value == 1)
    #expect(await natsError { try await value.refresh() }?.kind == .undecodable)
    #expect(
      await natsError { _ = try await NATSValue<Int>(connection, bucket: "state", key: "number") }?.kind
        == .undecodable)
    withExtendedLifetime(server) {}
  }

  @Test func undecodableIsSkipped() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number", undecodable: .skip)
    try await value.send(1)
    try await put("secret", connection, "state", "number")
    try await put("3", connection, "state", "number")
    await until { value.revision == 3 }
    #expect(value.value == 3)
    withExtendedLifetime(server) {}
  }

  @Test func undecodableIsSentOn() async throws {
    let (server, connection) = try await connected()
    let letters = try await NATSStream<Data>(connection, "LETTERS", subjects: ["letters"], coding: .data)
    let value = try await NATSValue<Int>(
      connection, bucket: "state", key: "number", undecodable: .deadLetter(subject: "letters"))
    try await value.send(1)
    try await put("no number", connection, "state", "number")
    for try await letter in letters.values(durable: "reader") {
      #expect(letter == Data("no number".utf8))
      break
    }
    #expect(value.value == 1)
    withExtendedLifetime(server) {}
  }

  @Test func aSubjectOfDeadLettersThatIsNone() async throws {
    let (server, connection) = try await connected()
    for subject in ["", "a b", "a.*"] {
      let undecodable = NATSUndecodable.deadLetter(subject: subject)
      let value = await natsError {
        _ = try await NATSValue<Int>(connection, bucket: "state", key: "number", undecodable: undecodable)
      }
      #expect(value?.kind == .misuse)
      let words = await natsError {
        _ = try await NATSDictionary<Int>(connection, bucket: "state", undecodable: undecodable)
      }
      #expect(words?.kind == .misuse)
    }
    withExtendedLifetime(server) {}
  }

  @Test func theErrorOfAValueThatCannotBeEncodedDoesNotShowIt() async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<[String: Double]>(connection, bucket: "state", key: "number")
    let error = await natsError { try await value.send(["price": .infinity]) }
    #expect(error?.kind == .notEncodable)
    #expect(error?.message == "a value of Dictionary<String, Double> cannot be encoded, at “*”")
    withExtendedLifetime(server) {}
  }

  // MARK: The bucket

  @Test func otherSettingsAreAConflict() async throws {
    let (server, connection) = try await connected()
    _ = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    var settings = NATSBucketSettings()
    settings.history = 5
    let error = await natsError {
      _ = try await NATSValue<Int>(connection, bucket: "state", key: "number", settings: settings)
    }
    #expect(error?.kind == .conflict)
    _ = try await NATSValue<Int>(connection, bucket: "state", key: "number", settings: nil)
    withExtendedLifetime(server) {}
  }

  @Test func aBucketThatHasToExistAndDoesNot() async throws {
    let (server, connection) = try await connected()
    let error = await natsError {
      _ = try await NATSValue<Int>(connection, bucket: "state", key: "number", settings: nil)
    }
    #expect(error?.kind == .notFound)
    withExtendedLifetime(server) {}
  }

  @Test(arguments: [("a b", "key"), ("", "key"), ("a.b", "key"), ("state", ""), ("state", "a..b"), ("state", "a.>")])
  func namesThatAreNone(bucket: String, key: String) async throws {
    let (server, connection) = try await connected()
    let error = await natsError { _ = try await NATSValue<Int>(connection, bucket: bucket, key: key) }
    #expect(error?.kind == .misuse)
    withExtendedLifetime(server) {}
  }

  @Test func aValueThatHasExpiredIsMissedByRefresh() async throws {
    let (server, connection) = try await connected()
    var settings = NATSBucketSettings()
    settings.timeToLive = .milliseconds(200)
    settings.storage = .memory
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number", settings: settings)
    try await value.send(1)
    while try await value.refresh() != nil {}
    #expect(value.value == nil)
    #expect(value.revision == 0)
    try await value.update(2, from: value.revision)
    #expect(value.value == 2)
    withExtendedLifetime(server) {}
  }

  @Test(arguments: ["MaxAge", "Purge", "Remove"])
  func theMarkerOfAServerIsARemoval(reason: String) async throws {
    let (server, connection) = try await connected()
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number")
    try await value.send(1)
    connection.outbox.post {
      $0.publish(Data(), to: "$KV.state.number", headers: ["Nats-Marker-Reason": reason])
    }
    for try await known in value.values where known == nil { break }
    #expect(value.revision == 2)
    #expect(try await value.refresh() == nil)
    withExtendedLifetime(server) {}
  }

  @Test func aBucketHoldsItsHistory() async throws {
    let (server, connection) = try await connected()
    var settings = NATSBucketSettings()
    settings.history = 3
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "number", settings: settings)
    for number in 1...5 { try await value.send(number) }
    let stream = try await NATSStream<Int>(connection, existing: "KV_state")
    var held: [Int] = []
    for try await number in stream.publisher(durable: "reader").prefix(3).values { held.append(number) }
    #expect(held == [3, 4, 5])
    withExtendedLifetime(server) {}
  }
}

/// The revisions that a subscriber of a value finds.
private final class Seen: @unchecked Sendable {
  private let lock = NSLock()
  private var all: [Int] = []
  private var cancellable: AnyCancellable?

  var values: [Int] { lock.withLock { all } }

  init(_ value: NATSValue<Int>) {
    cancellable = value.publisher.sink(
      receiveCompletion: { _ in },
      receiveValue: { [weak self] number in
        if let number { self?.lock.withLock { self?.all.append(number) } }
      })
  }
}

/// A subscriber whose demand a test decides.
private final class Collected: Subscriber, @unchecked Sendable {
  private let lock = NSLock()
  private var all: [Int?] = []
  private var end: Subscribers.Completion<NATSError>?
  private var subscription: (any Subscription)?

  var values: [Int?] { lock.withLock { all } }
  var completion: Subscribers.Completion<NATSError>? { lock.withLock { end } }

  func request(_ demand: Subscribers.Demand) { lock.withLock { subscription }?.request(demand) }

  func cancel() {
    let subscription = lock.withLock {
      defer { self.subscription = nil }
      return self.subscription
    }
    subscription?.cancel()
  }

  func receive(subscription: any Subscription) { lock.withLock { self.subscription = subscription } }

  func receive(_ input: Int?) -> Subscribers.Demand {
    lock.withLock { all.append(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<NATSError>) { lock.withLock { end = completion } }
}
