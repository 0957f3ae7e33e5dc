import Combine
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Texts that a server would take for others, or that would make it close the connection.
@Suite struct NamesAndIdentifiersTests {
  private func name(_ count: Int) -> String { String(repeating: "a", count: count) }

  private func isMisuse(_ body: () async throws -> Void) async -> Bool {
    await natsError(body)?.kind == .misuse
  }

  // MARK: Identifiers

  @Test(arguments: ["a\0b", " x", "x ", "x\n", ""])
  func anIdentifierThatAServerReadsAsAnotherIsRefused(id: String) async throws {
    let fixture = try await Fixture()
    #expect(await isMisuse { try await fixture.stream.send(1, id: id) })
    #expect(await isMisuse { try await fixture.stream.send(contentsOf: Just(1), id: { _ in id }) })
    let completed = Signal()
    let failure = Shared<NATSError?>(nil)
    let cancellable = Just(1).subscribe(fixture.stream, id: { _ in id }) {
      if case .failure(let error) = $0 { failure.value = error as? NATSError }
      completed.fire()
    }
    await completed.wait()
    cancellable.cancel()
    #expect(failure.value?.kind == .misuse)
    #expect(try await fixture.stream.state().messageCount == 0)
  }

  @Test func identifiersThatDifferAreTwoValues() async throws {
    let fixture = try await Fixture()
    let ids = ["x", "X", "x y", "x  y", "\u{a0}x", "é", "e\u{301}", "xy"]
    for id in ids { #expect(try await !fixture.stream.send(1, id: id).isDuplicate, "\(id)") }
    #expect(try await fixture.stream.state().messageCount == ids.count)
  }

  // MARK: Names

  /// The connection is what it was: nothing too long was sent.
  private func isAlive(_ fixture: Fixture) async throws -> Bool {
    try await fixture.connection.flush()
    if case .connected = fixture.connection.events.status.value { return true }
    return false
  }

  @Test func theLongestSubjectReachesItsSubscriber() async throws {
    let fixture = try await Fixture()
    let subject = "numbers." + name(SubjectName.maxLength - 8)
    let numbers = try NATSSubject<Int>(fixture.connection, subject)
    let received = Signal()
    let cancellable = numbers.sink(receiveCompletion: { _ in }, receiveValue: { _ in received.fire() })
    try numbers.send(1)
    await received.wait()
    cancellable.cancel()
    #expect(try await fixture.stream.send(1, id: name(1_000), to: subject).sequence == 2)
    var first: Int?
    for try await value in fixture.stream.values(durable: name(255)) {
      first = value
      break
    }
    #expect(first == 1)
    #expect(try await isAlive(fixture))
  }

  @Test func theLongestGroupReachesItsSubscriber() async throws {
    let fixture = try await Fixture()
    let group = name(SubjectName.maxLength - 6)
    let numbers = try NATSSubject<Int>(fixture.connection, "prices", queue: group)
    let received = Signal()
    let cancellable = numbers.sink(receiveCompletion: { _ in }, receiveValue: { _ in received.fire() })
    try numbers.send(1)
    await received.wait()
    cancellable.cancel()
    #expect(try await isAlive(fixture))
  }

  @Test func whatIsLongerIsRefusedBeforeItIsSent() async throws {
    let fixture = try await Fixture()
    let (connection, stream) = (fixture.connection, fixture.stream)
    let long = name(SubjectName.maxLength + 1)
    #expect(await isMisuse { _ = try NATSSubject<Int>(connection, long) })
    #expect(await isMisuse { _ = try NATSSubject<Int>(connection, "a", queue: long) })
    #expect(await isMisuse { try NATSSubject<Int>(connection, "a.>").send(1, to: long) })
    #expect(await isMisuse { try await stream.send(1, to: long) })
    #expect(await isMisuse { _ = try await NATSStream<Int>(connection, self.name(256)) })
    #expect(await isMisuse { _ = try await NATSStream<Int>(connection, "OTHER", subjects: [long]) })
    #expect(await isMisuse { _ = try await NATSStream<Int>(connection, existing: self.name(256)) })
    #expect(await isMisuse { _ = try await stream.state(ofConsumer: self.name(256)) })
    #expect(await isMisuse { for try await _ in stream.values(durable: self.name(256)) {} })
    var settings = NATSConsumerSettings()
    settings.filter = long
    let filtered = settings
    #expect(await isMisuse { for try await _ in stream.values(durable: "reader", settings: filtered) {} })
    #expect(await isMisuse { _ = try await NATSValue<Int>(connection, bucket: "bucket", key: long) })
    #expect(await isMisuse { _ = try await NATSValue<Int>(connection, bucket: self.name(253), key: "a") })
    #expect(await isMisuse { _ = try await NATSWork<Int, Int>(connection, self.name(248)) })
    #expect(try await isAlive(fixture))
  }

  @Test func theLongestKeyIsStoredAndALongerOneIsRefused() async throws {
    let fixture = try await Fixture()
    let bucket = name(252)
    let numbers = try await NATSDictionary<Int>(fixture.connection, bucket: bucket, prefix: "all")
    let key = name(KeyName.maxLength - 4)
    try await numbers.set(1, for: key)
    #expect(try await numbers.update(key) { $0 = ($0 ?? 0) + 1 } == 2)
    #expect(try await numbers.refresh(key) == 2)
    #expect(await isMisuse { try await numbers.set(1, for: key + "a") })
    #expect(try await isAlive(fixture))
  }

  @Test func aPrefixOfInboxesThatIsTooLongIsRefused() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.inboxPrefix = name(SubjectName.maxPrefixLength)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await NATSStream<Int>(connection, name(255))
    #expect(try await stream.send(1).sequence == 1)
    await connection.close()
    options.inboxPrefix += "a"
    let refused = options
    #expect(await isMisuse { _ = try await NATSConnection(urls: [server.url], options: refused) })
  }
}
