import CNATS
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSRetryingTests {
  private func error(_ kind: NATSError.Kind) -> NATSError {
    NATSError(kind: kind, operation: "a test", message: "it has failed")
  }

  @Test(arguments: [NATSError.Kind.disconnected, .interrupted])
  func interruptionsHaveNoLimit(kind: NATSError.Kind) {
    let day = Duration.seconds(86_400)
    #expect(NATSRetrying.untilStored.sendsAgain(after: error(kind), time: day, refused: day))
    #expect(NATSRetrying.within(day).sendsAgain(after: error(kind), time: .seconds(1), refused: .zero))
    #expect(!NATSRetrying.within(day).sendsAgain(after: error(kind), time: day, refused: .zero))
  }

  @Test(arguments: [NATSError.Kind.full, .unavailable, .timeout, .wrongSequence(found: nil)])
  func refusalsAreWaitedForForAMinute(kind: NATSError.Kind) {
    let untilStored = NATSRetrying.untilStored
    #expect(untilStored.sendsAgain(after: error(kind), time: .seconds(3_600), refused: .seconds(59)))
    #expect(!untilStored.sendsAgain(after: error(kind), time: .seconds(3_600), refused: .seconds(60)))
    #expect(NATSRetrying.within(.seconds(5)).sendsAgain(after: error(kind), time: .seconds(4), refused: .seconds(4)))
    #expect(!NATSRetrying.within(.seconds(5)).sendsAgain(after: error(kind), time: .seconds(5), refused: .zero))
  }

  @Test(arguments: [
    NATSError.Kind.misuse, .tooLarge, .closed, .notFound, .notAuthorized, .notEncodable, .conflict, .other,
    .wrongSequence(found: 1), .noResponder, .rejected(code: 429),
  ])
  func otherErrorsAreThrown(kind: NATSError.Kind) {
    #expect(!NATSRetrying.untilStored.sendsAgain(after: error(kind), time: .zero, refused: .zero))
  }

  @Test func aValueIsStoredOnceAfterAServerWasKilled() async throws {
    var options = NATSOptions.reconnecting
    options.requestTimeout = .milliseconds(500)
    let fixture = try await Fixture(options: options)
    fixture.server.kill()
    let stream = fixture.stream
    let receipts = Task {
      let first = try await stream.send(1, id: "one", retrying: .untilStored)
      return [first, try await stream.send(1, id: "one", retrying: .untilStored)]
    }
    try fixture.server.restart()
    #expect(try await receipts.value.map(\.sequence) == [1, 1])
    #expect(try await receipts.value.last?.isDuplicate == true)
    #expect(try await setUp { try await stream.state().messageCount } == 1)
  }

  @Test func aFullStreamIsTriedAgain() async throws {
    var settings = NATSStreamSettings()
    settings.maxMessages = 1
    settings.discard = .new
    let fixture = try await Fixture(settings)
    try await fixture.stream.send(1)
    let error = await natsError { try await fixture.stream.send(2, id: "two") }
    #expect(error?.kind == .full)
    let stream = fixture.stream
    let receipt = Task { try await stream.send(2, id: "two", retrying: .untilStored) }
    try await stream.removeAll()
    #expect(try await receipt.value.sequence == 2)
  }

  /// A server that has a stream and answers each value in turn, and from then on like the last time.
  private func server(answers: [String]) throws -> (server: FakeServer, requests: Shared<Int>) {
    let requests = Shared(0)
    let server = try FakeServer { request in
      if request.subject.hasPrefix("$JS.API.STREAM") {
        return [FakeServer.Answer(#"{"config":{"name":"NUMBERS","subjects":["numbers"]}}"#)]
      }
      guard request.subject == "numbers" else { return [] }
      let number = requests.value
      requests.update { $0 += 1 }
      let answer = answers[min(number, answers.count - 1)]
      return answer.isEmpty ? [] : [FakeServer.Answer(answer)]
    }
    return (server, requests)
  }

  private static let receipt = #"{"stream":"NUMBERS","seq":4}"#

  /// The second and the third are of an earlier attempt that is not stored yet, after a server of a cluster has ended: the
  /// third of version 2.9, which calls that a duplicate without a number.
  @Test(arguments: [
    #""error":{"code":429,"err_code":10167,"description":"too many requests"}"#,
    #""error":{"code":409,"err_code":10158,"description":"duplicate message id is in process"}"#,
    #""duplicate":true"#,
  ]) func aServerThatIsNotReadyIsTriedAgain(reason: String) async throws {
    let refusal = #"{\#(reason),"stream":"NUMBERS","seq":0}"#
    let (server, requests) = try server(answers: [refusal, Self.receipt])
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    #expect(try await stream.send(1, id: "one", retrying: .untilStored).sequence == 4)
    #expect(requests.value == 2)
    await connection.close()
  }

  @Test func aServerThatAnswersAndNeverAcknowledgesIsGivenUp() async throws {
    let (server, requests) = try server(answers: [""])
    defer { server.close() }
    var options = NATSOptions.patient
    options.requestTimeout = .milliseconds(200)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
    let retrying = NATSRetrying(limit: nil, patience: .milliseconds(1))
    #expect(await natsError { try await stream.send(1, id: "one", retrying: retrying) }?.kind == .timeout)
    #expect(requests.value >= 2)
    await connection.close()
  }

  /// The library takes minutes to notice it.
  @Test func aServerThatDoesNotAnswerAtAllIsWaitedFor() async throws {
    var options = NATSOptions.patient
    options.requestTimeout = .milliseconds(200)
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await setUp { try await NATSStream<Int>(connection, "NUMBERS") }
    server.pause(true)
    let retrying = NATSRetrying(limit: nil, patience: .milliseconds(1))
    let isOver = Shared(false)
    let before = connection.sentCount
    let sending = Task {
      defer { isOver.value = true }
      try await stream.send(1, id: "one", retrying: retrying)
    }
    while connection.sentCount < before + 4, !isOver.value { await Task.yield() }
    #expect(!isOver.value)
    sending.cancel()
    server.pause(false)
    await connection.close()
  }

  @Test func nothingMoreIsSentDuringAnInterruption() async throws {
    let (server, _) = try server(answers: [""])
    var options = NATSOptions.patient
    options.requestTimeout = .milliseconds(50)
    options.reconnection = .always(pause: .seconds(3_600))
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
    server.close()
    while !connection.events.isInterrupted { await Task.yield() }
    let before = connection.sentCount
    _ = await natsError { try await stream.send(1, id: "one", retrying: .within(.seconds(2))) }
    #expect(connection.sentCount <= before + 1)
    await connection.close()
  }

  @Test func noAttemptBeginsAfterTheTime() async throws {
    let full = #"{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"","seq":0}"#
    let (server, requests) = try server(answers: [full])
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let error = await natsError { try await stream.send(1, id: "one", retrying: .within(.milliseconds(20))) }
    // On a machine that is busy, the first may have no time left.
    #expect([.full, .timeout].contains(error?.kind))
    #expect(requests.value <= 1)
    await connection.close()
  }

  @Test func anAttemptEndsWithTheTime() async throws {
    let (server, _) = try server(answers: [""])
    var options = NATSOptions.patient
    // Without a limit of its own, the attempt would take longer than the test may.
    options.requestTimeout = .seconds(86_400)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let error = await natsError { try await stream.send(1, id: "one", retrying: .within(.milliseconds(20))) }
    #expect(error?.kind == .timeout)
  }

  @Test func cancellingEndsItAtOnce() async throws {
    let fixture = try await Fixture()
    fixture.server.pause(true)
    defer { fixture.server.pause(false) }
    let stream = fixture.stream
    let sending = Task { try await stream.send(1, id: "one", retrying: .untilStored) }
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
  }
}

extension NATSConnection {
  /// How many messages have been sent, or are kept to be sent.
  fileprivate var sentCount: UInt64 {
    var statistics: OpaquePointer?
    guard natsStatistics_Create(&statistics) == NATS_OK else { return 0 }
    defer { natsStatistics_Destroy(statistics) }
    var count: UInt64 = 0
    natsConnection_GetStats(handle.pointer, statistics)
    natsStatistics_GetCounts(statistics, nil, nil, &count, nil, nil)
    return count
  }
}
