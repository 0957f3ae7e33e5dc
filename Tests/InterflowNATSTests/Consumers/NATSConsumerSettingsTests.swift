import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// Durables that the server deletes. On a machine that is busy, it may do so before the test intends it, with the same
/// end: so the tests wait for a value or for the completion, whichever comes.
@Suite struct NATSConsumerSettingsTests {
  private let received = Signal()
  private let completed = Signal()

  private var settings: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.inactiveThreshold = .milliseconds(200)
    return settings
  }

  private func probe(_ demand: Subscribers.Demand) -> RecordingSubscriber<Int, NATSError> {
    let probe = RecordingSubscriber<Int, NATSError>(initialDemand: demand)
    let (received, completed) = (received, completed)
    probe.onValue = { _ in received.fire() }
    probe.onCompletion = { _ in
      received.fire()
      completed.fire()
    }
    return probe
  }

  private func durableIsGone(_ fixture: Fixture) async throws {
    while try await fixture.stream.state().consumerCount > 0 { await Task.yield() }
  }

  @Test func anInterruptionThatIsLongerThanADurableIsKeptFails() async throws {
    let fixture = try await Fixture()
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    try await fixture.stream.send(1)
    let probe = probe(.unlimited)
    stream.publisher(durable: "reader", settings: settings).subscribe(probe)
    await received.wait()
    proxy.cut()
    try await durableIsGone(fixture)
    proxy.restore()
    await completed.wait()
    #expect(probe.error?.kind == .notFound)
    await connection.close()
  }

  @Test(
    arguments: [
      { $0.acknowledgementWait = .zero }, { $0.acknowledgementWait = .seconds(-1) },
      { $0.acknowledgementWait = .nanoseconds(0.1) }, { $0.start = .date(Date(timeIntervalSince1970: .nan)) },
      { $0.start = .sequence(0) }, { $0.maxDeliveries = 0 }, { $0.maxUnacknowledged = 0 }, { $0.maxPull = 0 },
      { $0.inactiveThreshold = .zero },
    ] as [@Sendable (inout NATSConsumerSettings) -> Void])
  func settingsThatAServerTakesForOthersAreRefused(change: @Sendable (inout NATSConsumerSettings) -> Void) async throws
  {
    let fixture = try await Fixture()
    var settings = NATSConsumerSettings()
    change(&settings)
    let probe = probe(.unlimited)
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(probe)
    await completed.wait()
    #expect(probe.error?.kind == .misuse)
    #expect(try await fixture.stream.state().consumerCount == 0)
  }

  // MARK: The limit of deliveries

  private var limited: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.maxDeliveries = 3
    return settings
  }

  /// All values come that were not seen as often as the settings permit.
  private func expectTheRest(_ fixture: Fixture, seen: [Int]) async throws {
    let expected = Set((0..<10).filter { value in seen.count { $0 == value } < 3 })
    var rest: Set<Int> = []
    for try await value in fixture.stream.values(durable: "reader", settings: limited) {
      rest.insert(value)
      if rest.count == expected.count { break }
    }
    #expect(rest == expected)
  }

  @Test func valuesThatALoopHasNotTakenUseNoDeliveries() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    var seen: [Int] = []
    for _ in 0..<6 {
      for try await value in fixture.stream.values(durable: "reader", settings: limited, prefetch: 8) {
        seen.append(value)
        break
      }
    }
    try await expectTheRest(fixture, seen: seen)
  }

  @Test func valuesThatASubscriberHasNotReceivedUseNoDeliveries() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    var seen: [Int] = []
    for _ in 0..<6 {
      let probe = RecordingSubscriber<NATSMessage<Int>, NATSError>()
      let received = Signal()
      probe.onValue = { [weak probe] in
        probe?.cancel()
        $0.nak()
        received.fire()
      }
      fixture.stream.messages(durable: "reader", settings: limited).subscribe(probe)
      await received.wait()
      seen += probe.values.map(\.value)
    }
    try await expectTheRest(fixture, seen: seen)
  }

  // MARK: Durables that exist

  @Test(
    arguments: [
      { $0.acknowledgementWait = .seconds(7) }, { $0.maxDeliveries = 4 }, { $0.maxUnacknowledged = 5 },
      { $0.inactiveThreshold = .seconds(3_600) }, { $0.filter = "numbers.one" },
    ] as [@Sendable (inout NATSConsumerSettings) -> Void])
  func aDurableThatExistsIsNotChanged(change: @Sendable (inout NATSConsumerSettings) -> Void) async throws {
    let fixture = try await Fixture()
    let (first, second) = (self.probe(.unlimited), self.probe(.unlimited))
    var changed = NATSConsumerSettings()
    change(&changed)
    for original in [NATSConsumerSettings(), changed] {
      let durable = original == changed ? "changed" : "original"
      fixture.stream.publisher(durable: durable, settings: original).subscribe(original == changed ? second : first)
      await until { (try? fixture.state(of: durable)) != nil }
    }
    let refused = self.probe(.unlimited)
    fixture.stream.publisher(durable: "original", settings: changed).subscribe(refused)
    await until { refused.error != nil }
    #expect(refused.error?.kind == .conflict)
    #expect(refused.error?.message.contains("another") == true)
    // The same settings again are none.
    let same = self.probe(.unlimited)
    fixture.stream.publisher(durable: "changed", settings: changed).subscribe(same)
    try await fixture.stream.send(1, to: changed.filter ?? "numbers")
    await until { first.values == [1] }
    await until { second.values.count + same.values.count == 1 }
    for probe in [first, second, same] {
      #expect(probe.error == nil)
      probe.cancel()
    }
  }

  @Test(arguments: [NATSConsumerSettings.Start.all, .new, .last, .sequence(1)])
  func whatAnotherClientHasChangedIsKept(start: NATSConsumerSettings.Start) async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    var settings = NATSConsumerSettings()
    settings.start = start
    let (first, second) = (self.probe(.unlimited), self.probe(.unlimited))
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(first)
    await until { (try? fixture.state(of: "reader")) != nil }
    try fixture.describe("reader", as: "of another client", settings)
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(second)
    // Both have values on their way, and thus the second the durable.
    await until { (try? fixture.requestCount(of: "reader")) == 2 }
    #expect(try fixture.description(of: "reader") == "of another client")
    for probe in [first, second] {
      #expect(probe.error == nil)
      probe.cancel()
    }
  }

  /// Servers take the same date for another one where the durable is created again.
  @Test func aDurableThatBeginsAtADateIsFoundAgain() async throws {
    let fixture = try await Fixture()
    var settings = NATSConsumerSettings()
    settings.start = .date(Date(timeIntervalSince1970: 1_234_567.891))
    let probes = [self.probe(.unlimited), self.probe(.unlimited)]
    for (number, probe) in zip(1..., probes) {
      fixture.stream.publisher(durable: "reader", settings: settings).subscribe(probe)
      await until { (try? fixture.requestCount(of: "reader")) == number || probe.error != nil }
      #expect(probe.error == nil)
    }
    for probe in probes { probe.cancel() }
  }

  @Test func aDurableIsChangedWhereTheProgramSaysSo() async throws {
    let fixture = try await Fixture()
    var settings = NATSConsumerSettings()
    #expect(
      await natsError { try await fixture.stream.updateConsumer("reader", settings: settings) }?.kind == .notFound)
    let first = self.probe(.unlimited)
    fixture.stream.publisher(durable: "reader").subscribe(first)
    await until { (try? fixture.state(of: "reader")) != nil }
    settings.acknowledgementWait = .seconds(7)
    try await fixture.stream.updateConsumer("reader", settings: settings)
    let (old, new) = (self.probe(.unlimited), self.probe(.unlimited))
    fixture.stream.publisher(durable: "reader").subscribe(old)
    await until { old.error != nil }
    #expect(old.error?.kind == .conflict)
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(new)
    try await fixture.stream.send(1)
    await until { first.values.count + new.values.count == 1 }
    settings.start = .last
    #expect(
      await natsError { try await fixture.stream.updateConsumer("reader", settings: settings) }?.kind == .conflict)
    for probe in [first, new] {
      #expect(probe.error == nil)
      probe.cancel()
    }
  }

  @Test func aDateThatIsFarAwayIsADate() async throws {
    let fixture = try await Fixture()
    try await fixture.stream.send(1)
    for (index, seconds) in [-Double.infinity, -1e300, 1e300, .infinity].enumerated() {
      var settings = NATSConsumerSettings()
      settings.start = .date(Date(timeIntervalSince1970: seconds))
      let probe = probe(.unlimited)
      fixture.stream.publisher(durable: "reader\(index)", settings: settings).subscribe(probe)
      if seconds < 0 { await received.wait(index + 1) }
      await until { (try? fixture.state(of: "reader\(index)")) != nil || probe.error != nil }
      #expect(probe.error == nil)
      probe.cancel()
    }
  }

  @Test func settingsOfWorkThatAServerTakesForOthersAreRefused() async throws {
    let fixture = try await Fixture()
    let changes: [@Sendable (inout NATSWorkSettings) -> Void] = [
      { $0.acknowledgementWait = .zero }, { $0.maxDeliveries = 0 }, { $0.resultAge = .zero },
    ]
    for change in changes {
      var settings = NATSWorkSettings()
      change(&settings)
      let refused = settings
      let error = await natsError {
        _ = try await NATSWork<Int, Int>(fixture.connection, "WORK", settings: refused)
      }
      #expect(error?.kind == .misuse)
    }
  }

  @Test func aConsumerWithoutDemandLosesItsDurable() async throws {
    let fixture = try await Fixture()
    try await fixture.send(1...2)
    let probe = probe(.max(1))
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(probe)
    await received.wait()
    try await durableIsGone(fixture)
    probe.request(.max(1))
    await completed.wait()
    #expect(probe.error?.kind == .notFound)
    #expect(probe.values.count <= 1)
  }
}
