import Combine
import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSDictionaryTests {
  private func connected() async throws -> (server: NATSServer, connection: NATSConnection) {
    let server = try NATSServer()
    return (server, try await NATSConnection(urls: [server.url], options: .patient))
  }

  @Test func isEmptyWhereThereAreNoKeys() async throws {
    let (server, connection) = try await connected()
    let prices = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices")
    #expect(prices.current == [:])
    withExtendedLifetime(server) {}
  }

  @Test func knowsAllKeysFromTheBeginning() async throws {
    let (server, connection) = try await connected()
    let first = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices")
    for number in 0..<300 { try await first.set(number, for: "p\(number % 100).x") }
    try await first.remove("p7.x")
    let all = try await NATSDictionary<Int>(connection, bucket: "shop")
    try await all.set(1, for: "other")
    let second = try await NATSDictionary<Int>(
      try await NATSConnection(urls: [server.url], options: .patient), bucket: "shop", prefix: "prices", settings: nil)
    #expect(second.current.count == 99)
    #expect(second["p42.x"] == 242)
    #expect(second["p7.x"] == nil)
    #expect(second.current == first.current)
    #expect(all.current.count == 100)
    #expect(all["prices.p42.x"] == 242)
  }

  @Test func showsWhatWasSetAndRemovedWhenTheCallReturns() async throws {
    let (server, connection) = try await connected()
    let prices = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices")
    try await prices.set(1, for: "apple")
    #expect(prices["apple"] == 1)
    try await prices.set(2, for: "pear")
    #expect(prices.current == ["apple": 1, "pear": 2])
    try await prices.remove("apple")
    #expect(prices.current == ["pear": 2])
    #expect(try await prices.update("pear") { $0 = ($0 ?? 0) + 1 } == 3)
    #expect(prices["pear"] == 3)
    #expect(try await prices.refresh("pear") == 3)
    #expect(try await prices.refresh("plum") == nil)
    withExtendedLifetime(server) {}
  }

  @Test func theNewestDictionaryWaitsForALoop() async throws {
    let (server, connection) = try await connected()
    let prices = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices")
    try await prices.set(1, for: "apple")
    var iterator = prices.values.makeAsyncIterator()
    #expect(try await iterator.next() == ["apple": 1])
    try await prices.set(2, for: "apple")
    try await prices.set(3, for: "pear")
    #expect(try await iterator.next() == ["apple": 2, "pear": 3])
    withExtendedLifetime(server) {}
  }

  @Test func changesWaitForDemandAndNoneIsLost() async throws {
    let (server, connection) = try await connected()
    // A server that keeps the last revision only does not send one that is replaced before it is sent.
    var settings = NATSBucketSettings()
    settings.history = 64
    let writer = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices", settings: settings)
    let reader = try await NATSDictionary<Int>(
      try await NATSConnection(urls: [server.url], options: .patient), bucket: "shop", prefix: "prices",
      settings: settings)
    var iterator = reader.changes.asyncStream().makeAsyncIterator()
    for number in 0..<50 { try await writer.set(number, for: "k\(number % 3)") }
    try await writer.remove("k0")
    for number in 0..<50 {
      let change = try #require(try await iterator.next())
      #expect(change.key == "k\(number % 3)")
      #expect(change.value == number)
      #expect(change.revision == UInt64(number + 1))
    }
    let last = try #require(try await iterator.next())
    #expect(last.key == "k0")
    #expect(last.value == nil)
    #expect(reader.current == writer.current)
  }

  @Test func theDictionaryHasTheChangeThatIsReported() async throws {
    let (server, connection) = try await connected()
    let prices = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices")
    let seen = Shared<[Int?]>([])
    let cancellable = prices.changes.sink(receiveCompletion: { _ in }) { change in
      seen.update { $0.append(prices[change.key]) }
    }
    for number in 0..<3 { try await prices.set(number, for: "apple") }
    try await prices.remove("apple")
    #expect(seen.value == [0, 1, 2, nil])
    cancellable.cancel()
    withExtendedLifetime(server) {}
  }

  @Test func noChangeOfConcurrentUpdatersIsLost() async throws {
    let (server, connection) = try await connected()
    let counters = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "counters")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for _ in 0..<10 { try await counters.update("c\(number % 2)") { $0 = ($0 ?? 0) + 1 } }
        }
      }
      try await group.waitForAll()
    }
    #expect(counters.current == ["c0": 40, "c1": 40])
    withExtendedLifetime(server) {}
  }

  @Test func undecodableFailsOrIsSkipped() async throws {
    let (server, connection) = try await connected()
    let texts = try await NATSDictionary<String>(connection, bucket: "shop", prefix: "prices")
    let failing = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: "prices")
    let skipping = try await NATSDictionary<Int>(
      connection, bucket: "shop", prefix: "prices", undecodable: .skip)
    try await skipping.set(1, for: "apple")
    let values = failing.values
    let changes = failing.changes.asyncStream()
    try await texts.set("much", for: "pear")
    try await skipping.set(3, for: "plum")
    #expect(skipping.current == ["apple": 1, "plum": 3])
    #expect(await collect(values).error?.kind == .undecodable)
    #expect(await collect(changes).error?.kind == .undecodable)
    withExtendedLifetime(server) {}
  }

  @Test func aSubscriptionRetainsTheDictionaryUntilItIsCancelled() async throws {
    let (server, connection) = try await connected()
    var prices: NATSDictionary<Int>? = try await NATSDictionary(connection, bucket: "shop", prefix: "prices")
    weak let released = prices
    let cancellables = [
      prices?.publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in }),
      prices?.changes.sink(receiveCompletion: { _ in }, receiveValue: { _ in }),
    ]
    prices = nil
    #expect(released != nil)
    for cancellable in cancellables { cancellable?.cancel() }
    await until { released == nil }
    withExtendedLifetime(server) {}
  }

  @Test func aSubscriberThatBlocksKeepsNoCallWaiting() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.requestTimeout = .seconds(3_600)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let prices = try await NATSDictionary<Int>(connection, bucket: "shop")
    let (isBlocked, release) = (Signal(), DispatchSemaphore(value: 0))
    let subscriber = prices.publisher.dropFirst().sink(
      receiveCompletion: { _ in },
      receiveValue: { _ in
        isBlocked.fire()
        release.wait()
      })
    let first = Task { try await prices.set(1, for: "apple") }
    await isBlocked.wait()
    first.cancel()
    #expect(try await first.value == 1)
    #expect(prices["apple"] == 1)
    let calls: [(result: Int?, @Sendable () async throws -> Void)] = [
      (2, { try await prices.update("apple") { $0 = 2 } }), (nil, { try await prices.remove("apple") }),
      (3, { try await prices.set(3, for: "apple") }),
    ]
    for (result, call) in calls { try await expectVisible(call) { prices["apple"] == result } }
    let refreshing = Task { _ = try await prices.refresh("apple") }
    refreshing.cancel()
    _ = try? await refreshing.value
    subscriber.cancel()
    release.signal()
    withExtendedLifetime(server) {}
  }

  @Test(arguments: ["a b", "a.", ".a", "*", ">"]) func namesThatAreNone(name: String) async throws {
    let (server, connection) = try await connected()
    let error = await natsError { _ = try await NATSDictionary<Int>(connection, bucket: "shop", prefix: name) }
    #expect(error?.kind == .misuse)
    let prices = try await NATSDictionary<Int>(connection, bucket: "shop")
    #expect(await natsError { try await prices.set(1, for: name) }?.kind == .misuse)
    #expect(await natsError { try await prices.remove("") }?.kind == .misuse)
    withExtendedLifetime(server) {}
  }

  @Test func changesThatSubscribersHaveNotGotAreOneReport() async throws {
    let (server, connection) = try await connected()
    let store = DictionaryStore<Int>(try await Bucket(connection, "shop", NATSBucketSettings()), "", .json, .fail)
    let (dictionaries, changes) = (Shared<[[String: Int]]>([]), Shared<[String]>([]))
    let cancellables = [
      store.subject.dropFirst().sink(receiveCompletion: { _ in }) { values in dictionaries.update { $0.append(values) }
      },
      store.changes.sink(receiveCompletion: { _ in }) { change in
        changes.update { $0.append("\(change.key) \(change.value ?? 0)") }
      },
    ]
    for number in 1...100 {
      store.accept(number % 2 == 0 ? "even" : "odd", KnownValue(revision: UInt64(number), value: number))
    }
    #expect(store.current == ["even": 100, "odd": 99])
    store.deliver()
    store.deliver()
    #expect(dictionaries.value == [["even": 100, "odd": 99]])
    #expect(changes.value.sorted() == ["even 100", "odd 99"])
    for cancellable in cancellables { cancellable.cancel() }
    await connection.close()
    withExtendedLifetime(server) {}
  }

  @Test func showsWhatTheProgramStoresWhileTheWatchBeginsAgain() async throws {
    let (server, connection) = try await connected()
    let bucket = try await Bucket(connection, "shop", NATSBucketSettings())
    let store = DictionaryStore<Int>(bucket, "", .json, .fail)
    let watch = BucketWatch(bucket, ">") { _, _ in }
    // No server says that it has none of these.
    await connection.close()
    let seen = Shared<[String]>([])
    let cancellable = store.changes.sink(receiveCompletion: { _ in }) { change in
      let value = store.subject.value[change.key]
      seen.update { $0.append("\(change.key) \(change.value ?? 0) \(value ?? 0)") }
    }
    func entry(_ key: String, _ value: String, _ revision: UInt64) {
      store.handle(.entry(BucketEntry(key: key, revision: revision, bytes: Data(value.utf8))), watch)
    }
    store.handle(.begins, watch)
    entry("a", "1", 1)
    #expect(store.subject.value == [:])
    store.accept("b", KnownValue(revision: 2, value: 2))
    store.deliver()
    #expect(store.subject.value == ["a": 1, "b": 2])
    entry("c", "3", 3)
    #expect(store.subject.value == ["a": 1, "b": 2])
    store.handle(.complete, watch)
    #expect(store.subject.value == ["a": 1, "b": 2, "c": 3])
    #expect(seen.value == ["a 1 1", "b 2 2", "c 3 3"])
    cancellable.cancel()
    withExtendedLifetime(server) {}
  }

  @Test func changesOfABucketThatWasReplacedBeginWithNothing() async throws {
    let (server, connection) = try await connected()
    let bucket = try await Bucket(connection, "shop", NATSBucketSettings())
    let store = DictionaryStore<Int>(bucket, "", .json, .fail)
    let watch = BucketWatch(bucket, ">") { _, _ in }
    store.accept("k", KnownValue(revision: 500, value: 41))
    store.deliver()
    store.handle(.begins, watch)
    store.handle(.replaced, watch)
    #expect(store.known("k").value == nil)
    #expect(store.known("k").revision == 0)
    #expect(store.subject.value == ["k": 41])
    store.accept("k", KnownValue(revision: 1, value: 1))
    store.deliver()
    #expect(store.subject.value == ["k": 1])
    withExtendedLifetime(server) {}
  }

  @Test func refreshingFindsThatTheBucketWasReplaced() async throws {
    let (server, connection) = try await connected()
    let bucket = try await Bucket(connection, "shop", NATSBucketSettings())
    let store = DictionaryStore<Int>(bucket, "", .json, .fail)
    let value = ValueStore<Int>(bucket, "k", .json, .fail)
    store.accept("k", KnownValue(revision: 5, value: 5))
    store.deliver()
    value.accept(KnownValue(revision: 5, value: 5))
    value.deliver()
    // Read before the revision that is known now.
    store.take("k", KnownValue(revision: 4, value: 4), since: 3)
    store.deliver()
    value.take(KnownValue(revision: 4, value: 4), since: 3)
    value.deliver()
    #expect(store.subject.value == ["k": 5])
    #expect(value.subject.value.value == 5)
    store.take("k", KnownValue(revision: 1, value: 1), since: 5)
    store.deliver()
    value.take(KnownValue(revision: 1, value: 1), since: 5)
    value.deliver()
    #expect(store.subject.value == ["k": 1])
    #expect(value.subject.value.value == 1)
    withExtendedLifetime(server) {}
  }

  @Test func isNeverOlderThanItWas() async throws {
    let (server, connection) = try await connected()
    let bucket = try await Bucket(connection, "shop", NATSBucketSettings())
    let store = DictionaryStore<Int>(bucket, "", .json, .fail)
    let watch = BucketWatch(bucket, ">") { _, _ in }
    func entry(_ value: String?, _ revision: UInt64) {
      store.handle(.entry(BucketEntry(key: "k", revision: revision, bytes: value.map { Data($0.utf8) })), watch)
    }
    store.handle(.begins, watch)
    store.handle(.complete, watch)
    store.accept("k", KnownValue(revision: 5, value: 5))
    store.deliver()
    entry("4", 4)
    #expect(store.subject.value == ["k": 5])
    entry(nil, 6)
    store.accept("k", KnownValue(revision: 5, value: 5))
    store.deliver()
    #expect(store.subject.value == [:])
    entry("7", 7)
    store.missing("k", since: 6)
    store.deliver()
    #expect(store.subject.value == ["k": 7])
    store.missing("k", since: 7)
    store.deliver()
    #expect(store.subject.value == [:])
    withExtendedLifetime(server) {}
  }
}
