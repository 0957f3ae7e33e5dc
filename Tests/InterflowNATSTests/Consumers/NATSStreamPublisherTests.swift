import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

@Suite struct NATSStreamPublisherTests {
  private typealias Probe = RecordingSubscriber<Int, NATSError>

  // MARK: Values

  @Test func deliversInTheStreamsOrder() async throws {
    let fixture = try await Fixture()
    try await fixture.stream.send(contentsOf: (0..<3_000).publisher)
    #expect(try await fixture.first(3_000) == Array(0..<3_000))
  }

  @Test func deliversWhatIsSentLater() async throws {
    let fixture = try await Fixture()
    let probe = Probe()
    let received = Signal()
    probe.onValue = { _ in received.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    for number in 1...5 {
      try await fixture.stream.send(number)
      await received.wait(number)
    }
    #expect(probe.values == [1, 2, 3, 4, 5])
    probe.cancel()
  }

  @Test func whatHasBeenReceivedDoesNotComeAgain() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<20)
    var received: [Int] = []
    for _ in 0..<4 { received += try await fixture.first(5) }
    #expect(received == Array(0..<20))
  }

  @Test func consumersOfOneDurableShareTheValues() async throws {
    let fixture = try await Fixture()
    let other = try await NATSConnection(urls: [fixture.server.url], options: .patient)
    let sameStream = try await NATSStream<Int>(other, existing: "NUMBERS")
    let received = Signal()
    let probes = [Probe(), Probe()]
    for (probe, stream) in zip(probes, [fixture.stream, sameStream]) {
      probe.onValue = { _ in received.fire() }
      stream.publisher(durable: "shared").subscribe(probe)
    }
    try await fixture.stream.send(contentsOf: (0..<500).publisher)
    await received.wait(500)
    #expect((probes[0].values + probes[1].values).sorted() == Array(0..<500))
    for probe in probes { probe.cancel() }
  }

  @Test func twoDurablesReceiveAllTheValues() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    #expect(try await fixture.first(10, durable: "one") == Array(0..<10))
    #expect(try await fixture.first(10, durable: "two") == Array(0..<10))
  }

  // MARK: Start and filter

  @Test func startsWhereTheSettingsSay() async throws {
    let fixture = try await Fixture()
    try await fixture.send(1...5)
    var settings = NATSConsumerSettings()
    settings.start = .sequence(3)
    #expect(try await fixture.first(2, durable: "sequence", settings) == [3, 4])
    settings.start = .last
    #expect(try await fixture.first(1, durable: "last", settings) == [5])
    settings.start = .date(Date(timeIntervalSinceNow: -3_600))
    #expect(try await fixture.first(1, durable: "date", settings) == [1])
    settings.start = .date(Date(timeIntervalSinceNow: 3_600))
    settings.start = .new
    let probe = Probe()
    let received = Signal()
    probe.onValue = { _ in received.fire() }
    fixture.stream.publisher(durable: "new", settings: settings).subscribe(probe)
    await until { (try? fixture.state(of: "new")) != nil }
    try await fixture.stream.send(6)
    await received.wait()
    #expect(probe.values == [6])
    probe.cancel()
  }

  @Test func deliversOnlyWhatTheFilterNames() async throws {
    let fixture = try await Fixture()
    for number in 0..<10 { try await fixture.stream.send(number, to: number % 2 == 0 ? "numbers.even" : "numbers.odd") }
    var settings = NATSConsumerSettings()
    settings.filter = "numbers.odd"
    #expect(try await fixture.first(5, durable: "odd", settings) == [1, 3, 5, 7, 9])
  }

  // MARK: Demand

  @Test func fetchesNothingBeforeDemand() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    let probe = Probe(initialDemand: .none)
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    #expect(try fixture.state(of: "reader") == ConsumerState(unacknowledged: 0, undelivered: 10, redelivered: 0))
    #expect(probe.values.isEmpty)
    probe.cancel()
  }

  @Test func deliversNoMoreThanRequestedAndAddsDemand() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<20)
    let received = Signal()
    let probe = Probe(initialDemand: .max(2), demandForEach: { $0 == 1 ? .max(3) : .none })
    probe.onValue = { _ in received.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await received.wait(5)
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    #expect(try fixture.state(of: "reader").undelivered == 15)
    probe.request(.max(1))
    probe.request(.max(4))
    await received.wait(10)
    #expect(probe.values == Array(0..<10))
    probe.request(.unlimited)
    await received.wait(20)
    #expect(probe.values == Array(0..<20))
    probe.cancel()
  }

  @Test func requestsFromInsideReceive() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<20)
    let received = Signal()
    let probe = Probe(initialDemand: .max(1))
    probe.onValue = { [unowned probe] _ in
      probe.request(.max(1))
      received.fire()
    }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await received.wait(20)
    #expect(probe.values == Array(0..<20))
    probe.cancel()
  }

  @Test func oneAtATimeHasNeverTwoPendingAtTheServer() async throws {
    let fixture = try await Fixture()
    let stream = fixture.stream
    let probe = Probe(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    let sending = Task {
      var count = 0
      while !Task.isCancelled {
        try await stream.send(count)
        count += 1
      }
    }
    var (samples, most) = (0, 0)
    // A machine that is busy elsewhere needs more until one is pending.
    while samples < stressRuns || most == 0 {
      most = max(most, try fixture.state(of: "reader").unacknowledged)
      samples += 1
    }
    sending.cancel()
    #expect(most == 1)
    let values = probe.values  // More of them come.
    #expect(values == Array(0..<values.count))
    probe.cancel()
  }

  // MARK: Cancellation

  @Test func cancelBeforeTheDurableExists() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<3)
    let probe = Probe()
    probe.onSubscription = { $0.cancel() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    #expect(probe.subscriptionNames == ["NATSStream"])
    #expect(try await fixture.first(3) == [0, 1, 2])
    #expect(probe.signals.count == 1)
  }

  @Test func cancelFromInsideReceiveGivesTheRestBack() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<100)
    let cancelled = Signal()
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(1)
    let probe = Probe()
    probe.onValue = { [unowned probe] value in
      if value == 4 {
        probe.cancel()
        cancelled.fire()
      }
    }
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(probe)
    await cancelled.wait()
    // Where nobody waits for values when one goes back, version 2.9 of the server delivers it after the wait only, and
    // its last value twice.
    var rest: Set<Int> = []
    for try await value in fixture.stream.publisher(durable: "reader", settings: settings).values {
      // An acknowledgement that was late lets a value come again, too.
      if value > 4 { rest.insert(value) }
      if rest.count == 95 { break }
    }
    #expect(probe.values == [0, 1, 2, 3, 4])
  }

  @Test func aDateLongAgoIsTheBeginning() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<3)
    var settings = NATSConsumerSettings()
    settings.start = .date(.distantPast)
    var received: [Int] = []
    for try await value in fixture.stream.publisher(durable: "reader", settings: settings).prefix(3).values {
      received.append(value)
    }
    #expect(received == [0, 1, 2])
  }

  @Test func cancelWhileWaitingForValues() async throws {
    let fixture = try await Fixture()
    let probe = Probe()
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    probe.cancel()
    try await fixture.stream.send(1)
    #expect(try await fixture.first(1) == [1])
    #expect(probe.values.isEmpty)
  }

  @Test func cancellationReleasesTheSubscriber() async throws {
    let fixture = try await Fixture()
    let counter = LifetimeCounter()
    do {
      let token = counter.make()
      let received = Signal()
      let cancellable = fixture.stream.publisher(durable: "reader")
        .sink(receiveCompletion: { _ in token.touch() }, receiveValue: { _ in received.fire() })
      try await fixture.stream.send(1)
      await received.wait()
      cancellable.cancel()
    }
    await until { counter.count == 0 }
  }

  // MARK: Failures

  @Test func closingTheConnectionFails() async throws {
    let fixture = try await Fixture()
    let (probe, completed) = (Probe(), Signal())
    probe.onCompletion = { _ in completed.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    await fixture.connection.close()
    await completed.wait()
    #expect(probe.error?.kind == .closed)
  }

  @Test func deletingTheDurableFails() async throws {
    let fixture = try await Fixture()
    let (probe, received, completed) = (Probe(), Signal(), Signal())
    probe.onValue = { _ in received.fire() }
    probe.onCompletion = { _ in completed.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    try await fixture.stream.send(1)
    await received.wait()
    try fixture.delete("reader")
    await completed.wait()
    #expect(probe.error?.kind == .notFound)
  }

  @Test func aDurableThatWasDeletedBeforeTheRequestFails() async throws {
    let fixture = try await Fixture()
    let (probe, completed) = (Probe(initialDemand: .none), Signal())
    probe.onCompletion = { _ in completed.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    try fixture.delete("reader")
    probe.request(.unlimited)
    await completed.wait()
    #expect(probe.error?.kind == .notFound)
  }

  @Test func otherSettingsOfADurableAreAConflict() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    _ = try await fixture.first(1)
    var settings = NATSConsumerSettings()
    settings.start = .new
    let error = await natsError { _ = try await fixture.first(1, settings) }
    #expect(error?.kind == .conflict, "\(String(describing: error))")
  }

  @Test(arguments: ["", "two words", "a.b", "a>"]) func aDurableThatIsNone(name: String) async throws {
    let fixture = try await Fixture()
    let error = await natsError { _ = try await fixture.first(1, durable: name) }
    #expect(error?.kind == .misuse)
  }

  // MARK: What is no value

  @Test func anUndecodableMessageFails() async throws {
    let fixture = try await Fixture()
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    try await texts.send("a secret")
    let error = await natsError { _ = try await fixture.first(1) }
    #expect(error?.kind == .undecodable)
    #expect(error?.description.contains("secret") == false)
  }

  @Test func anUndecodableMessageIsSkipped() async throws {
    let fixture = try await Fixture()
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    try await texts.send("one")
    try await fixture.stream.send(2)
    try await texts.send("three")
    try await fixture.stream.send(4)
    var settings = NATSConsumerSettings()
    settings.undecodable = .skip
    #expect(try await fixture.first(2, settings) == [2, 4])
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
  }

  @Test func anUndecodableMessageGoesToASubject() async throws {
    let fixture = try await Fixture()
    let dead = try await NATSStream<String>(fixture.connection, "DEAD", subjects: ["dead"])
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    try await texts.send("one")
    try await fixture.stream.send(2)
    var settings = NATSConsumerSettings()
    settings.undecodable = .deadLetter(subject: "dead")
    #expect(try await fixture.first(1, settings) == [2])
    for try await text in dead.values(durable: "reader") {
      #expect(text == "one")
      break
    }
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
  }

  @Test func anUndecodableMessageThatNobodyStoresFails() async throws {
    let fixture = try await Fixture()
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    try await texts.send("one")
    var settings = NATSConsumerSettings()
    settings.undecodable = .deadLetter(subject: "not.stored")
    let error = await natsError { _ = try await fixture.first(1, settings) }
    #expect(error != nil)
    #expect(error?.kind != .undecodable)
  }
}

extension Fixture {
  /// The first values that a durable has not acknowledged.
  func first(
    _ count: Int, durable: String = "reader", _ settings: NATSConsumerSettings = NATSConsumerSettings()
  ) async throws -> [Int] {
    var values: [Int] = []
    for try await value in stream.publisher(durable: durable, settings: settings).prefix(count).values {
      values.append(value)
    }
    return values
  }
}
