import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSStreamTests {
  @Test func sendingReturnsTheNumberInTheStream() async throws {
    let fixture = try await Fixture()
    for number in 1...3 {
      let receipt = try await fixture.stream.send(number)
      #expect(receipt == NATSReceipt(sequence: UInt64(number), isDuplicate: false))
    }
  }

  @Test func aValueWithTheSameIdentifierIsStoredOnce() async throws {
    let fixture = try await Fixture()
    let first = try await fixture.stream.send(1, id: "a")
    let second = try await fixture.stream.send(1, id: "a")
    let third = try await fixture.stream.send(1, id: "b")
    #expect(first == NATSReceipt(sequence: 1, isDuplicate: false))
    #expect(second == NATSReceipt(sequence: 1, isDuplicate: true))
    #expect(third == NATSReceipt(sequence: 2, isDuplicate: false))
  }

  @Test func manyTasksSendAtOnce() async throws {
    let fixture = try await Fixture()
    let stream = fixture.stream
    let sequences = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for task in 0..<16 {
        group.addTask {
          var sequences: [UInt64] = []
          for number in 0..<100 { sequences.append(try await stream.send(task * 100 + number).sequence) }
          return sequences
        }
      }
      return try await group.reduce(into: [[UInt64]]()) { $0.append($1) }
    }
    for sequence in sequences { #expect(sequence == sequence.sorted()) }
    #expect(Set(sequences.joined()) == Set(1...1_600))
  }

  @Test func theSameSettingsFindTheStreamAndOthersAreAConflict() async throws {
    let fixture = try await Fixture()
    try await fixture.stream.send(1)
    let again = try await NATSStream<Int>(fixture.connection, "NUMBERS", subjects: ["numbers", "numbers.>"])
    #expect(try await again.send(2).sequence == 2)
    let error = await natsError { _ = try await NATSStream<Int>(fixture.connection, "NUMBERS", subjects: ["others"]) }
    #expect(error?.kind == .conflict)
    #expect(error?.operation == "creating the stream “NUMBERS”")
    let existing = try await NATSStream<Int>(fixture.connection, existing: "NUMBERS")
    #expect(existing.subject == "numbers")
    #expect(try await existing.send(3).sequence == 3)
  }

  @Test func twoConnectionsCreateAStreamAtOnce() async throws {
    let fixture = try await Fixture()
    let first = fixture.connection
    let second = try await NATSConnection(urls: [fixture.server.url], options: .patient)
    // Servers of version 2.9 confuse about one in thirty.
    for number in 1...300 {
      async let one = NATSStream<Int>(first, "STREAM-\(number)")
      async let other = NATSStream<Int>(second, "STREAM-\(number)")
      _ = try await (one, other)
    }
    await second.close()
  }

  /// As in a cluster without a leader, or where another program creates the stream at the same moment.
  @Test(arguments: [true, false])
  func theLostAnswerToACreationIsAskedForAgain(isCreated: Bool) async throws {
    let creations = Shared(0)
    let server = try FakeServer { request in
      let stream = #"{"config":{"name":"NUMBERS","subjects":["numbers"]},"state":{}}"#
      if request.subject == "$JS.API.STREAM.CREATE.NUMBERS" {
        let count = creations.update { count in
          count += 1
          return count
        }
        return count == 1 ? [] : [FakeServer.Answer(stream)]
      }
      guard request.subject == "$JS.API.STREAM.INFO.NUMBERS" else { return [] }
      let missing = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
      return [FakeServer.Answer(isCreated ? stream : missing)]
    }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    _ = try await NATSStream<Int>(connection, "NUMBERS", subjects: ["numbers"])
    #expect(creations.value == 2)
    await connection.close()
    server.close()
  }

  @Test func aSubjectOfAnotherStreamIsRefused() async throws {
    let fixture = try await Fixture()
    let error = await natsError { _ = try await NATSStream<Int>(fixture.connection, "OTHERS", subjects: ["numbers"]) }
    #expect(error?.jetStreamCode == 10_065)
  }

  @Test func aStreamThatHasBeenDeletedIsUnavailable() async throws {
    let fixture = try await Fixture()
    try await fixture.stream.delete()
    let error = await natsError { try await fixture.stream.send(1) }
    #expect(error?.kind == .unavailable)
  }

  @Test func aStreamThatDoesNotExist() async throws {
    let fixture = try await Fixture()
    let error = await natsError { _ = try await NATSStream<Int>(fixture.connection, existing: "NONE") }
    #expect(error?.kind == .notFound)
    #expect(error?.operation == "looking for the stream “NONE”")
  }

  @Test func aServerWithoutJetStream() async throws {
    let server = try NATSServer(jetStream: false)
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let error = await natsError { _ = try await NATSStream<Int>(connection, "NUMBERS") }
    #expect(error?.kind == .jetStreamDisabled)
  }

  @Test(arguments: ["", "two words", "a.b", "a*", "a>"])
  func aNameThatIsNone(name: String) async throws {
    let fixture = try await Fixture()
    let error = await natsError { _ = try await NATSStream<Int>(fixture.connection, name) }
    #expect(error?.kind == .misuse)
  }

  @Test(arguments: ["", "two words", "numbers..a", "numbers.*", "numbers.>"])
  func aSubjectToWhichNothingCanBeSent(subject: String) async throws {
    let fixture = try await Fixture()
    let error = await natsError { try await fixture.stream.send(1, to: subject) }
    #expect(error?.kind == .misuse)
  }

  @Test func aMessageOverTheLimitOfTheStream() async throws {
    var settings = NATSStreamSettings()
    settings.maxMessageSize = 8
    let fixture = try await Fixture(settings)
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    let error = await natsError { try await texts.send(String(repeating: "a", count: 100)) }
    #expect(error?.kind == .tooLarge)
    #expect(try await fixture.stream.send(1).sequence == 1)
  }

  @Test func aMessageOverTheLimitOfTheServer() async throws {
    let fixture = try await Fixture()
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    let error = await natsError { try await texts.send(String(repeating: "a", count: 2_000_000)) }
    #expect(error?.kind == .tooLarge)
    #expect(try await fixture.stream.send(1).sequence == 1)
  }

  @Test func aFullStoreRefusesNewValues() async throws {
    var settings = NATSStreamSettings()
    settings.maxMessages = 2
    settings.discard = .new
    let fixture = try await Fixture(settings)
    try await fixture.send(1...2)
    let error = await natsError { try await fixture.stream.send(3) }
    #expect(error?.kind == .full, "\(String(describing: error))")
  }

  @Test func aValueThatCannotBeEncoded() async throws {
    let fixture = try await Fixture()
    let stream = try await NATSStream<Double>(fixture.connection, existing: "NUMBERS")
    let error = await natsError { try await stream.send(.infinity) }
    #expect(error?.kind == .notEncodable)
  }

  @Test func closingWaitsForValuesThatAreOnTheirWay() async throws {
    let fixture = try await Fixture()
    let (stream, connection) = (fixture.stream, fixture.connection)
    let reported = Signal()
    for number in 0..<200 {
      connection.sender.publish(Data("\(number)".utf8), to: "numbers", id: nil) { result in
        if case .success = result { reported.fire() }
      }
    }
    await connection.close()
    #expect(reported.count == 200)
    let error = await natsError { try await stream.send(1) }
    #expect(error?.kind == .closed)
  }

  @Test func closingWhileTasksSend() async throws {
    let fixture = try await Fixture()
    let (stream, connection) = (fixture.stream, fixture.connection)
    let outcomes = await withTaskGroup(of: NATSError.Kind?.self) { group in
      for number in 0..<200 {
        group.addTask {
          await natsError { try await stream.send(number) }?.kind
        }
      }
      group.addTask {
        await connection.close()
        return nil
      }
      return await group.reduce(into: [NATSError.Kind?]()) { $0.append($1) }
    }
    #expect(Set(outcomes).subtracting([nil, .closed]).isEmpty)
  }

  @Test func cancellingTheTaskEndsTheWait() async throws {
    let fixture = try await Fixture()
    let (server, stream) = (fixture.server, fixture.stream)
    server.kill()
    let task = Task { try await stream.send(1) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func otherCoders() async throws {
    let fixture = try await Fixture()
    let coding = NATSCoding<[String: Int]>(encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
    let stream = try await NATSStream(fixture.connection, existing: "NUMBERS", coding: coding)
    try await stream.send(["a": 1])
    for try await value in stream.values(durable: "reader") {
      #expect(value == ["a": 1])
      break
    }
  }
}
