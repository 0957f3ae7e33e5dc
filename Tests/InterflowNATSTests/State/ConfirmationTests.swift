import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import InterflowTesting
import Testing

/// What happens with keys that a watch has not found, of which the server that leads the bucket has no revision.
@Suite struct ConfirmationTests {
  /// A server with a bucket.
  ///
  /// - Parameter isAnswered: Called with each question for a key. Whether it is answered: there is no revision.
  private func server(_ isAnswered: @escaping @Sendable (FakeServer.Request) -> Bool) throws -> FakeServer {
    try FakeServer { request in
      if request.subject.hasPrefix("$JS.API.STREAM.INFO") {
        return [FakeServer.Answer(#"{"config":{"name":"KV_state","num_replicas":1},"state":{}}"#)]
      }
      guard request.subject.hasPrefix("$JS.API.STREAM.MSG.GET"), isAnswered(request) else { return [] }
      return [FakeServer.Answer(#"{"error":{"code":404,"err_code":10037,"description":"none"}}"#)]
    }
  }

  /// As during an election.
  @Test func aServerThatDoesNotAnswerIsAskedAgain() async throws {
    let asked = Shared(0)
    let server = try server { _ in
      asked.update { count in
        count += 1
        return count > 2
      }
    }
    var options = NATSOptions.patient
    options.requestTimeout = .milliseconds(200)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let bucket = try await setUp { try await Bucket(connection, "state", nil) }
    let value = ValueStore<Int>(bucket, "number", .json, .fail)
    let dictionary = DictionaryStore<Int>(bucket, "", .json, .fail)
    value.accept(KnownValue(revision: 1, value: 5))
    for key in ["number", "other"] { dictionary.accept(key, KnownValue(revision: 1, value: 5)) }
    let watch = BucketWatch(bucket, "number") { _, _ in }
    watch.queue.async {
      // The second time as after an interruption.
      for _ in 0..<2 {
        value.handle(.begins, watch)
        value.handle(.complete, watch)
      }
      dictionary.handle(.complete, watch)
    }
    for try await _ in value.subject.values where value.known.value == nil { break }
    #expect(value.known.revision == 0)
    for try await _ in dictionary.subject.values where dictionary.current.isEmpty { break }
    #expect(asked.value >= 5)
    withExtendedLifetime(watch) {}
    await connection.close()
    server.close()
  }

  /// What several keys have after an interruption is one change.
  @Test func aKeyThatIsGoneIsNotReportedBetweenTheOthers() async throws {
    let mayAnswer = Latch()
    let questions = Shared<[String]>([])
    let server = try server { request in
      questions.update { $0.append(String(decoding: request.bytes, as: UTF8.self)) }
      mayAnswer.wait()
      return true
    }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let bucket = try await Bucket(connection, "state", nil)
    let store = DictionaryStore<Int>(bucket, "fruit.", .json, .fail)
    let watch = BucketWatch(bucket, "fruit.>") { _, _ in }
    func handle(_ events: BucketWatch.Event...) async {
      await watch.run(within: .seconds(3_600)) { for event in events { store.handle(event, watch) } }
    }
    func entry(_ key: String, _ revision: UInt64) -> BucketWatch.Event {
      .entry(BucketEntry(key: key, revision: revision, bytes: Data("1".utf8)))
    }
    store.accept("gone", KnownValue(revision: 1, value: 5))
    await handle(.begins, .complete)
    let recorder = store.subject.recorded()
    await handle(.begins, entry("fruit.a", 2))
    mayAnswer.open()
    await until { store.known("gone").value == nil }
    await handle(entry("fruit.b", 3), .complete)
    #expect(recorder.values == [["gone": 5], ["a": 1, "b": 1]])
    #expect(questions.value == [#"{"last_by_subj":"$KV.state.fruit.gone"}"#])
    await connection.close()
    server.close()
  }

  /// As a marker that has expired itself.
  @Test func aDeletionThatIsGoneIsKnownToBe() async throws {
    let server = try server { _ in true }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let bucket = try await Bucket(connection, "state", nil)
    let value = ValueStore<Int>(bucket, "number", .json, .fail)
    value.accept(KnownValue(revision: 7))
    let watch = BucketWatch(bucket, "number") { _, _ in }
    watch.queue.async {
      value.handle(.begins, watch)
      value.handle(.complete, watch)
    }
    await until { value.known.revision == 0 }
    withExtendedLifetime(watch) {}
    await connection.close()
    server.close()
  }
}
