import CNATS
import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

@Suite struct NATSReplayTests {
  private typealias Probe = RecordingSubscriber<NATSStoredValue<Int>, NATSError>

  private func options() -> NATSOptions {
    let options = NATSOptions.reconnecting
    return options
  }

  /// The first values of a replay.
  private func first(
    _ count: Int, of stream: NATSStream<Int>, from start: NATSConsumerSettings.Start, filter: String? = nil
  ) async throws -> [Int] {
    var values: [Int] = []
    for try await value in stream.replay(from: start, filter: filter).asyncValues {
      values.append(value.value)
      if values.count == count { break }
    }
    return values
  }

  /// How much the server has sent to each consumer of a stream.
  private func deliveryCounts(_ fixture: Fixture) async throws -> [UInt64] {
    struct List: Decodable {
      struct Consumer: Decodable {
        struct Sequences: Decodable { let consumer_seq: UInt64 }
        let delivered: Sequences
      }
      let consumers: [Consumer]?
    }
    let list = try await fixture.connection.jetStream(List.self, "CONSUMER.LIST.NUMBERS", while: "a test")
    return list.consumers?.map(\.delivered.consumer_seq) ?? []
  }

  /// Deletes all consumers of a stream.
  private func deleteConsumers(_ fixture: Fixture) async throws {
    struct Names: Decodable { let consumers: [String]? }
    let names = try await fixture.connection.jetStream(Names.self, "CONSUMER.NAMES.NUMBERS", while: "a test")
    for name in names.consumers ?? [] { try fixture.delete(name) }
  }

  // MARK: Values

  @Test(arguments: NATSServer.programs) func beginsWhereItIsTold(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let stream = fixture.stream
    try await fixture.send(1...3)
    try await stream.send(4, to: "numbers.even")
    try await stream.send(5, to: "numbers.odd")
    #expect(try await first(5, of: stream, from: .all) == [1, 2, 3, 4, 5])
    #expect(try await first(2, of: stream, from: .sequence(4)) == [4, 5])
    #expect(try await first(1, of: stream, from: .last) == [5])
    #expect(try await first(1, of: stream, from: .last, filter: "numbers.even") == [4])
    #expect(try await first(2, of: stream, from: .all, filter: "numbers.*") == [4, 5])
    #expect(try await first(5, of: stream, from: .date(.distantPast)) == [1, 2, 3, 4, 5])
    var dates: [Date] = []
    for try await value in stream.replay().asyncValues {
      dates.append(value.date)
      if value.remaining == 0 { break }
    }
    #expect(dates.count == 5 && dates == dates.sorted())
    // A date has fewer digits than the server's clock.
    #expect(try await first(2, of: stream, from: .date(dates[3].addingTimeInterval(-0.000_01))).last == 5)
  }

  @Test(arguments: NATSServer.programs) func valuesHaveWhereTheyComeFrom(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let before = Date()
    try await fixture.stream.send(7, id: "seven", headers: ["A": "1", "A": "2"], to: "numbers.odd")
    try await fixture.stream.send(8)
    var values = fixture.stream.replay().asyncValues.makeAsyncIterator()
    let value = try #require(try await values.next())
    #expect(value.value == 7 && value.subject == "numbers.odd" && value.sequence == 1 && value.id == "seven")
    #expect(value.headers.values(of: "A") == ["1", "2"])
    #expect(value.remaining == 1)
    #expect(abs(value.date.timeIntervalSince(before)) < 3_600)
    #expect(try await values.next()?.remaining == 0)
  }

  @Test(arguments: NATSServer.programs) func onlyNewValuesFollow(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(1...3)
    let probe = Probe()
    fixture.stream.replay(from: .new).subscribe(probe)
    await until { probe.subscription != nil }
    while try await deliveryCounts(fixture).isEmpty {}
    try await fixture.send(4...6)
    await until { probe.values.count == 3 }
    #expect(probe.values.map(\.value) == [4, 5, 6])
    probe.cancel()
  }

  /// Version 2.9 would begin with the next one.
  @Test(arguments: NATSServer.programs) func aNumberThatHasNotComeIsWaitedFor(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(1...2)
    let probe = Probe(initialDemand: .max(2))
    fixture.stream.replay(from: .sequence(6)).subscribe(probe)
    while try await deliveryCounts(fixture).isEmpty {}
    try await fixture.send(3...8)
    await until { probe.values.count == 2 }
    #expect(probe.values.map(\.value) == [6, 7])
    probe.cancel()
  }

  @Test func eachSubscriberHasAllValues() async throws {
    let fixture = try await Fixture()
    try await fixture.stream.send(contentsOf: (0..<2_000).publisher)
    let replay = fixture.stream.replay()
    let probes = [Probe(), Probe()]
    for probe in probes { replay.subscribe(probe) }
    await until { probes.allSatisfy { $0.values.count == 2_000 } }
    for probe in probes {
      #expect(probe.values.map(\.value) == Array(0..<2_000))
      probe.cancel()
    }
  }

  // MARK: Demand and cancellation

  @Test(arguments: NATSServer.programs) func fetchesNoMoreThanIsRequested(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(0..<20)
    let probe = Probe(initialDemand: .none)
    fixture.stream.replay().subscribe(probe)
    while try await deliveryCounts(fixture).isEmpty {}
    #expect(try await deliveryCounts(fixture) == [0])
    probe.request(.max(3))
    await until { probe.values.count == 3 }
    probe.request(.max(1))
    probe.request(.max(1))
    await until { probe.values.count == 5 }
    #expect(try await deliveryCounts(fixture) == [5])
    #expect(probe.values.map(\.value) == Array(0..<5))
    probe.cancel()
  }

  @Test(arguments: NATSServer.programs) func cancellingRemovesTheConsumer(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(0..<5)
    let probe = Probe(initialDemand: .max(2))
    fixture.stream.replay().subscribe(probe)
    await until { probe.values.count == 2 }
    #expect(try await fixture.stream.state().consumerCount == 1)
    probe.cancel()
    while try await fixture.stream.state().consumerCount > 0 {}
    // At once, too.
    let hasty = Probe()
    hasty.onSubscription = { $0.cancel() }
    fixture.stream.replay().subscribe(hasty)
    #expect(hasty.values.isEmpty && hasty.completions == 0)
    #expect(try await fixture.stream.state().messageCount == 5)
  }

  @Test func cancellingWhileItIsCreatedRemovesTheConsumer() async throws {
    let fixture = try await Fixture()
    for _ in 0..<20 {
      let probe = Probe()
      fixture.stream.replay().subscribe(probe)
      try await fixture.connection.flush()
      probe.cancel()
    }
    while try await fixture.stream.state().consumerCount > 0 {}
  }

  // MARK: Errors

  @Test func wrongCallsFail() async throws {
    let fixture = try await Fixture()
    for replay in [
      fixture.stream.replay(from: .sequence(0)), fixture.stream.replay(filter: "a b"),
      fixture.stream.replay(from: .date(Date(timeIntervalSince1970: .nan))),
      fixture.stream.replay(undecodable: .deadLetter(subject: "a.*")),
    ] {
      let probe = Probe()
      replay.subscribe(probe)
      #expect(probe.error?.kind == .misuse)
    }
  }

  @Test(arguments: NATSServer.programs) func theEndOfTheStreamIsAFailure(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(0..<3)
    let (probe, ended) = (Probe(), Signal())
    probe.onCompletion = { _ in ended.fire() }
    fixture.stream.replay().subscribe(probe)
    await until { probe.values.count == 3 }
    try await fixture.stream.delete()
    await ended.wait()
    #expect(probe.error?.kind == .notFound)
    let late = Probe()
    late.onCompletion = { _ in ended.fire() }
    fixture.stream.replay().subscribe(late)
    await ended.wait(2)
    #expect(late.error?.kind == .notFound)
  }

  @Test func closingTheConnectionIsAFailure() async throws {
    let fixture = try await Fixture()
    let (probe, ended) = (Probe(), Signal())
    probe.onCompletion = { _ in ended.fire() }
    fixture.stream.replay().subscribe(probe)
    await fixture.connection.close()
    await ended.wait()
    #expect(probe.error?.kind == .closed)
  }

  @Test func whatIsNoValueFailsIsSkippedOrIsSentOn() async throws {
    let fixture = try await Fixture()
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    let letters = try await NATSStream<String>(fixture.connection, "LETTERS")
    try await fixture.stream.send(1)
    try await texts.send("secret")
    try await fixture.stream.send(3)
    func replay(_ undecodable: NATSUndecodable) async -> (values: [Int], error: NATSError?) {
      let (probe, done) = (Probe(initialDemand: .max(2)), Signal())
      probe.onValue = { if $0.value == 3 { done.fire() } }
      probe.onCompletion = { _ in done.fire() }
      fixture.stream.replay(undecodable: undecodable).subscribe(probe)
      await done.wait()
      probe.cancel()
      return (probe.values.map(\.value), probe.error)
    }
    let failed = await replay(.fail)
    #expect(failed.values == [1] && failed.error?.kind == .undecodable)
    #expect(failed.error.map { "\($0)" }?.contains("secret") == false)
    #expect(await replay(.skip).values == [1, 3])
    #expect(await replay(.deadLetter(subject: "LETTERS")).values == [1, 3])
    for try await letter in letters.replay().asyncValues {
      #expect(letter.value == "secret")
      break
    }
  }

  // MARK: Interruptions

  @Test(arguments: NATSServer.programs) func aConsumerThatIsGoneIsReplaced(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let probe = Probe()
    fixture.stream.replay().subscribe(probe)
    for round in 0..<4 {
      try await fixture.send(round * 10..<(round + 1) * 10)
      await until { probe.values.count == (round + 1) * 10 }
      try await deleteConsumers(fixture)
    }
    #expect(probe.values.map(\.value) == Array(0..<40))
    probe.cancel()
  }

  /// Nothing is requested when the consumer goes, so that the server says nothing.
  @Test(arguments: NATSServer.programs) func aConsumerThatIsGoneUnnoticedIsReplaced(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(0..<10)
    let probe = Probe(initialDemand: .max(3))
    fixture.stream.replay().subscribe(probe)
    await until { probe.values.count == 3 }
    try await deleteConsumers(fixture)
    probe.request(.max(3))
    await until { probe.values.count == 6 }
    #expect(probe.values.map(\.value) == Array(0..<6))
    #expect(try await deliveryCounts(fixture) == [3])
    probe.cancel()
  }

  /// Where the value with the last number that arrived is removed, those before it cannot be told from values that have arrived.
  @Test(arguments: [false, true])
  func aStreamWhoseNumbersBeginAgainAndCatchUpGoesOn(removesSameNumber: Bool) async throws {
    let fixture = try await Fixture()
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    try await fixture.send(0..<3)
    let (probe, received) = (RecordingSubscriber<NATSStoredValue<Int>, NATSError>(), Signal())
    probe.onValue = { _ in received.fire() }
    stream.replay().subscribe(probe)
    await received.wait(3)
    proxy.cut()
    fixture.server.shutDown()
    try fixture.server.forgetMessages(of: "NUMBERS")
    try fixture.server.restart()
    let again = try await NATSConnection(urls: [fixture.server.url], options: .patient)
    let same = try await NATSStream<Int>(again, existing: "NUMBERS")
    for value in 10..<15 { try await same.send(value) }
    if removesSameNumber {
      #expect(js_DeleteMsg(again.context.pointer, "NUMBERS", 3, nil, nil) == NATS_OK)
    }
    proxy.restore()
    await received.wait(removesSameNumber ? 5 : 8)
    #expect(probe.values.map(\.value) == (removesSameNumber ? [0, 1, 2, 13, 14] : [0, 1, 2, 10, 11, 12, 13, 14]))
    #expect(probe.values.last?.sequence == 5)
    probe.cancel()
  }

  /// A stream that several servers hold is not compared by its numbers: one of them may only be behind.
  @Test(arguments: NATSServer.programs)
  func aReplicatedStreamThatIsMadeAgainIsReadFromItsBeginning(program: String?) async throws {
    let cluster = try NATSCluster(program: program)
    let connection = try await NATSConnection(urls: cluster.urls, options: options())
    func make() async -> NATSStream<Int> {
      var settings = NATSStreamSettings()
      settings.replicas = 3
      while true {
        // The servers answer before they have found each other, and may still have the one before.
        if let stream = try? await NATSStream<Int>(connection, "NUMBERS", subjects: ["numbers"], settings: settings) {
          return stream
        }
      }
    }
    let first = await make()
    for value in 0..<5 { try await first.send(value, id: "\(value)", retrying: .untilStored) }
    let probe = Probe()
    first.replay().subscribe(probe)
    await until { probe.values.count == 5 }
    try await first.delete()
    let second = await make()
    for value in 5..<8 { try await second.send(value, id: "\(value)", retrying: .untilStored) }
    // It may have seen that there was no stream.
    await until { probe.values.count == 8 || probe.completions > 0 }
    if let error = probe.error {
      #expect(error.kind == .notFound)
    } else {
      #expect(probe.values.map(\.value) == Array(0..<8))
    }
    probe.cancel()
    await connection.close()
  }

  /// One that has received nothing has no number or time of a value to compare with.
  @Test(arguments: [1, 3], [NATSConsumerSettings.Start.new, .last, .all])
  func aStreamThatIsMadeAgainBeforeTheFirstValueIsReadFromItsBeginning(
    replicas: Int, start: NATSConsumerSettings.Start
  ) async throws {
    let cluster = replicas > 1 ? try NATSCluster() : nil
    let server = replicas > 1 ? nil : try NATSServer()
    let connection = try await NATSConnection(
      urls: cluster?.urls ?? [try #require(server).url], options: options())
    var settings = NATSStreamSettings()
    settings.replicas = replicas
    func make() async -> NATSStream<Int> {
      while true {
        // The servers answer before they have found each other, and may still have the one before.
        if let stream = try? await NATSStream<Int>(connection, "NUMBERS", settings: settings) { return stream }
      }
    }
    let first = await make()
    for value in 0..<3 { try await first.send(value, id: "\(value)", retrying: .untilStored) }
    if start != .new { try await first.removeAll() }
    // Where nothing is requested, nothing says that there is no stream for a moment.
    let (probe, received) = (RecordingSubscriber<NATSStoredValue<Int>, NATSError>(initialDemand: .none), Signal())
    probe.onValue = { _ in received.fire() }
    first.replay(from: start).subscribe(probe)
    await until { (try? first.consumerNames())?.isEmpty == false }
    try await connection.flush()
    try await first.delete()
    let second = await make()
    for value in 10..<15 { try await second.send(value, id: "\(value)", retrying: .untilStored) }
    probe.request(.max(100))
    await received.wait(5)
    #expect(probe.error == nil)
    #expect(probe.values.map(\.value) == Array(10..<15))
    probe.cancel()
    await connection.close()
  }

  /// A server that is killed while a stream is empty may count from one again.
  @Test func aStreamWhoseNumbersBeginAgainGoesOn() async throws {
    let fixture = try await Fixture(options: options())
    try await fixture.send(0..<5)
    let probe = Probe()
    fixture.stream.replay().subscribe(probe)
    await until { probe.values.count == 5 }
    fixture.server.kill()
    try fixture.server.forgetMessages(of: "NUMBERS")
    try fixture.server.restart()
    let receipt = try await fixture.stream.send(5, id: "five", retrying: .untilStored)
    #expect(receipt.sequence < 5)
    await until { probe.values.count == 6 }
    #expect(probe.values.map(\.value) == Array(0..<6))
    #expect(probe.values.last?.sequence == receipt.sequence)
    probe.cancel()
  }
}
