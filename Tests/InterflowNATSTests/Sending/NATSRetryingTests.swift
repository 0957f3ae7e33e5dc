import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct NATSRetryingTests {
  private func error(_ kind: NATSError.Kind) -> NATSError {
    NATSError(kind: kind, operation: "a test", message: "it has failed")
  }

  @Test(arguments: [NATSError.Kind.timeout, .disconnected, .interrupted])
  func interruptionsHaveNoLimit(kind: NATSError.Kind) {
    let day = Duration.seconds(86_400)
    #expect(NATSRetrying.untilStored.sendsAgain(after: error(kind), time: day, refused: .zero))
    #expect(NATSRetrying.within(day).sendsAgain(after: error(kind), time: .seconds(1), refused: .zero))
    #expect(!NATSRetrying.within(day).sendsAgain(after: error(kind), time: day, refused: .zero))
  }

  @Test(arguments: [NATSError.Kind.full, .unavailable])
  func refusalsAreWaitedForForAMinute(kind: NATSError.Kind) {
    let untilStored = NATSRetrying.untilStored
    #expect(untilStored.sendsAgain(after: error(kind), time: .seconds(3_600), refused: .seconds(59)))
    #expect(!untilStored.sendsAgain(after: error(kind), time: .seconds(3_600), refused: .seconds(60)))
    #expect(NATSRetrying.within(.seconds(5)).sendsAgain(after: error(kind), time: .seconds(4), refused: .seconds(4)))
    #expect(!NATSRetrying.within(.seconds(5)).sendsAgain(after: error(kind), time: .seconds(5), refused: .zero))
  }

  @Test(arguments: [
    NATSError.Kind.misuse, .tooLarge, .closed, .notFound, .notAuthorized, .notEncodable, .conflict, .other,
  ])
  func otherErrorsAreThrown(kind: NATSError.Kind) {
    #expect(!NATSRetrying.untilStored.sendsAgain(after: error(kind), time: .zero, refused: .zero))
  }

  @Test func aValueIsStoredOnceAfterAServerWasKilled() async throws {
    var options = NATSOptions()
    options.reconnection = .always(pause: .milliseconds(10))
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
    #expect(try await stream.state().messageCount == 1)
  }

  @Test func aFullStreamIsTriedAgain() async throws {
    var settings = NATSStreamSettings()
    settings.maxMessages = 1
    settings.discard = .new
    let fixture = try await Fixture(settings)
    try await fixture.stream.send(1)
    let error = await natsError { try await fixture.stream.send(2, id: "two", retrying: .within(.milliseconds(1))) }
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
        return [FakeServer.Answer(#"{"config":{"name":"NUMBERS","subjects":["numbers"],"duplicate_window":100000000}}"#)]
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

  @Test func aServerThatIsOverloadedIsTriedAgain() async throws {
    let refusal = #"{"error":{"code":429,"err_code":10167,"description":"too many requests"},"stream":"","seq":0}"#
    let (server, requests) = try server(answers: [refusal, Self.receipt])
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url])
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    #expect(try await stream.send(1, id: "one", retrying: .untilStored).sequence == 4)
    #expect(requests.value == 2)
    await connection.close()
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
