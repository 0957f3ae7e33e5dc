import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSHeadersTests {
  @Test func aNameHasItsValuesInOrder() {
    var headers: NATSHeaders = ["b": "1", "a": "2", "b": "3"]
    #expect(headers["b"] == "1")
    #expect(headers.values(of: "b") == ["1", "3"])
    #expect(headers["B"] == nil && headers.values(of: "B") == [])
    headers.add("4", to: "a")
    #expect(headers.names == ["a", "b"])
    #expect(headers.map { "\($0.name) \($0.value)" } == ["a 2", "a 4", "b 1", "b 3"])
    #expect("\(headers)" == "[a: 2, a: 4, b: 1, b: 3]")
    headers["b"] = "5"
    #expect(headers.values(of: "b") == ["5"])
    headers["b"] = nil
    headers["a"] = nil
    #expect(headers.isEmpty && headers == [:] && headers.byteCount == 0)
  }

  private var sent: NATSHeaders {
    ["Place": "Madrid", "place": "below", "Place": "Bonn", "Colon": "a: b:c", "Tab": "a\tb", "Text": "é ☃", "!#": "0"]
  }

  @Test func aSubjectsHeadersArriveAsTheyWereSent() async throws {
    let server = try NATSServer(jetStream: false)
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let messages = numbers.messages.asyncStream()
    try numbers.send(1, headers: sent)
    try numbers.send(2)
    var received: [NATSHeaders] = []
    for try await message in messages.prefix(2) { received.append(message.headers) }
    #expect(received == [sent, [:]])
  }

  @Test(arguments: NATSServer.programs)
  func aStreamsHeadersAreStoredWithTheValue(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.stream.send(1, id: "one", headers: sent)
    try await fixture.stream.send(2, id: "two", headers: ["A": "retried"], retrying: .untilStored)
    try await fixture.stream.send(contentsOf: [3].publisher, headers: { ["A": "\($0)"] })
    var messages = fixture.stream.messages(durable: "reader").asyncValues.makeAsyncIterator()
    let first = try #require(try await messages.next())
    var expected = sent
    expected["Nats-Msg-Id"] = "one"
    #expect(first.headers == expected)
    #expect(first.id == "one")
    #expect(try await messages.next()?.headers["A"] == "retried")
    #expect(try await messages.next()?.headers == ["A": "3"])
  }

  /// Nobody who chooses a part of a header may send another one.
  static let invalid: [NATSHeaders] = [
    ["A": "secret\r\nNats-Msg-Id: 1"], ["A": "b\n"], ["A": "b\rc"], ["A": "b\0c"], ["A": "\u{7f}"], ["A": "\u{1b}[2J"],
    ["A": ""], ["A": " "], ["A": " b"], ["A": "b\t"], ["": "b"], ["A:": "b"], ["A B": "c"], ["A\r\nB": "c"],
    ["A\0": "b"], ["é": "b"], ["Nats-Msg-Id": "1"], ["nats-rollup": "all"], ["NATS-TTL": "1"], ["Status": "503"],
    ["status": "1"], ["Description": "text"],
  ]

  @Test(arguments: invalid) func whatIsNoHeaderIsRefused(headers: NATSHeaders) async throws {
    // Nothing is sent: a server that answers nothing has nothing to answer.
    let server = try FakeServer()
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let errors = [
      await natsError { try numbers.send(1, headers: headers) },
      await natsError { let _: Int = try await numbers.request(1, headers: headers) },
    ]
    for error in errors {
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("secret") == false)
    }
    try await connection.flush()
    #expect(!String(decoding: server.received, as: UTF8.self).contains("PUB"))
    await connection.close()
  }

  @Test func aStreamRefusesWhatIsNoHeader() async throws {
    let fixture = try await Fixture()
    let headers: NATSHeaders = ["A": "b\r\nNats-Rollup: all"]
    let error = await natsError { try await fixture.stream.send(1, headers: headers) }
    #expect(error?.kind == .misuse)
    let publisherError = await natsError {
      try await fixture.stream.send(contentsOf: [1].publisher, headers: { _ in headers })
    }
    #expect(publisherError?.kind == .misuse)
    #expect(try await fixture.stream.state().messageCount == 0)
  }

  @Test func headersCountAsBytesOfTheMessage() async throws {
    let server = try NATSServer(jetStream: false, configuration: "max_payload: 1024")
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let bytes = try NATSSubject<Data>(connection, "bytes", coding: .data)
    let headers: NATSHeaders = ["A": "12", "Long-name": "text", "A": "3"]
    let received = bytes.messages.asyncStream()
    try bytes.send(Data(count: 1_024 - headers.byteCount), headers: headers)
    try bytes.send(Data(count: 1_025 - headers.byteCount), headers: headers)
    try await bytes.flush()
    #expect(bytes.unsent == 1)
    for try await message in received.prefix(1) { #expect(message.headers == headers) }
  }

  /// What other clients may send, or a machine in between.
  @Test(arguments: [
    "NATS/1.0\r\n\r\n", "NATS/1.0\r\nA\r\n\r\n", "NATS/1.0\r\n: b\r\n\r\n", "NATS/1.0\r\nA:\r\n\r\n",
    "NATS/1.0\r\nA: b", "NATS/1.0", "\r\n\r\n", "nats", "NATS/1.0\r\nA: \0\r\n\r\n", "NATS/1.0\r\nA: \u{7}\r\n\r\n",
    "NATS/1.0 503 No Responders\r\nA: b\r\n\r\n", "NATS/1.0\r\nA:b\r\nA:c\r\n\r\n",
  ]) func headersOfOthersAreReadOrLeftOut(headers: String) async throws {
    let server = try FakeServer { request in
      [FakeServer.Answer(request.bytes, headers: headers, target: "numbers")]
    }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let messages = numbers.messages.asyncStream()
    try numbers.send(1)
    // The library ends the connection where it cannot read a message.
    for try await message in messages.prefix(1) { #expect(message.value == 1 && message.headers.names.count <= 3) }
    await connection.close()
  }
}
