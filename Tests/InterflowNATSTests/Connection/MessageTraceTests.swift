@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct MessageTraceTests {
  /// What a hook has been called with.
  private final class Events: Sendable {
    private let events = Shared<[TraceEvent]>([])

    var all: [TraceEvent] { events.value }

    func all(_ kind: TraceEvent.Kind) -> [TraceEvent] { all.filter { $0.kind == kind } }

    func options(_ name: String) -> NATSOptions {
      var options = NATSOptions.patient
      options.name = name
      options.trace = TraceHook { event in self.events.update { $0.append(event) } }
      return options
    }
  }

  @Test func aMessageHasOneIdWhereItIsSentAndReceived() async throws {
    let server = try NATSServer()
    let (sent, received) = (Events(), Events())
    let sender = try await NATSConnection(urls: [server.url], options: sent.options("sender"))
    let receiver = try await NATSConnection(urls: [server.url], options: received.options("receiver"))
    let messages = try NATSSubject<Int>(receiver, "numbers").messages.asyncStream()
    try await receiver.flush()
    let numbers = try NATSSubject<Int>(sender, "numbers")
    for number in 0..<3 { try numbers.send(number, headers: ["Own": "kept"]) }
    var values: [Int] = []
    for try await message in messages.prefix(3) {
      values.append(message.value)
      #expect(message.headers["Own"] == "kept")
    }
    #expect(values == [0, 1, 2])
    let ids = sent.all(.sent).map(\.id)
    #expect(Set(ids).count == 3 && !ids.contains(nil))
    await until { received.all(.received).count == 3 }
    #expect(received.all(.received).map(\.id) == ids)
    #expect(received.all.allSatisfy { $0.source == "receiver" && $0.message == "numbers" && $0.payload == nil })
    #expect(sent.all.allSatisfy { $0.source == "sender" && $0.error == nil })
  }

  @Test func aMessageOfAStreamIsReportedOnceItIsStored() async throws {
    let events = Events()
    let fixture = try await Fixture(options: events.options("both"))
    try await fixture.send(0..<3)
    await until { events.all(.sent).count == 3 }
    var iterator = fixture.stream.messages(durable: "reader").asyncValues.makeAsyncIterator()
    for number in 0..<3 {
      let message = try #require(try await iterator.next())
      #expect(message.value == number)
    }
    let ids = events.all(.sent).map(\.id)
    await until { events.all(.received).count >= 3 }
    #expect(events.all(.received).prefix(3).map(\.id) == ids)
    // What the module and the servers say to each other is not reported.
    #expect(events.all.allSatisfy { $0.message.hasPrefix("numbers") })
  }

  @Test func whatIsNotStoredIsReportedWithItsError() async throws {
    let events = Events()
    let fixture = try await Fixture(options: events.options("both"))
    try await fixture.stream.send(1)
    let error = await natsError { _ = try await fixture.stream.send(2, expecting: .last(7)) }
    #expect(error != nil)
    await until { events.all(.sent).count == 2 }
    #expect(events.all(.sent).map { $0.error != nil } == [false, true])
  }

  @Test func aMessageThatIsSentAgainHasTheSameId() async throws {
    let events = Events()
    let attempts = Shared<[String]>([])
    // It does not say that it has stored the first attempt.
    let server = try FakeServer { request in
      if request.subject.hasPrefix("$JS.API.STREAM") {
        return [FakeServer.Answer(#"{"config":{"name":"NUMBERS","subjects":["numbers"]}}"#)]
      }
      guard request.subject == "numbers" else { return [] }
      let isFirst = attempts.update { attempts in
        attempts.append(request.headers)
        return attempts.count == 1
      }
      return isFirst ? [] : [FakeServer.Answer(#"{"stream":"NUMBERS","seq":4,"duplicate":true}"#)]
    }
    defer { server.close() }
    var options = events.options("sender")
    options.requestTimeout = .milliseconds(200)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
    #expect(try await stream.send(1, id: "one", retrying: .untilStored).isDuplicate)
    await until { events.all(.sent).last?.error == nil }
    let ids = Set(events.all(.sent).map(\.id))
    let id = try #require(ids.first ?? nil)
    #expect(ids.count == 1)
    #expect(attempts.value.count >= 2)
    #expect(attempts.value.allSatisfy { $0.contains("Interflow-Trace: \(id)") })
    await connection.close()
  }

  @Test func whileTheHookIsOffAMessageHasNoId() async throws {
    var options = NATSOptions.patient
    let isOn = Shared(false)
    let events = Shared<[TraceEvent]>([])
    options.trace = TraceHook(isOn: { isOn.value }) { event in events.update { $0.append(event) } }
    let fixture = try await Fixture(options: options)
    try await fixture.send([1])
    let numbers = try NATSSubject<Int>(fixture.connection, "other")
    let messages = numbers.messages.asyncStream()
    try numbers.send(1)
    for try await message in messages.prefix(1) { #expect(message.headers.isEmpty) }
    isOn.value = true
    try await fixture.send([2])
    isOn.value = false
    var iterator = fixture.stream.messages(durable: "reader").asyncValues.makeAsyncIterator()
    #expect(try await iterator.next()?.headers.isEmpty == true)
    #expect(try await iterator.next()?.headers.names == [MessageTrace.header])
    #expect(events.value.allSatisfy { $0.kind == .sent && $0.message.hasPrefix("numbers") })
  }

  @Test func withoutAHookAMessageHasNoId() async throws {
    let fixture = try await Fixture()
    try await fixture.send([1])
    var iterator = fixture.stream.messages(durable: "reader").asyncValues.makeAsyncIterator()
    #expect(try await iterator.next()?.headers.isEmpty == true)
  }
}
