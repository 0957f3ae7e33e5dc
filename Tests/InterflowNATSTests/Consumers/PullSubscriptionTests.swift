import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct PullSubscriptionTests {
  private typealias Probe = Recorder<Int, NATSError>

  @Test func whatFollowsAMessageThatIsNoValueIsNotDeliveredAndGoesBack() async throws {
    let fixture = try await Fixture()
    let texts = try await NATSStream<String>(fixture.connection, existing: "NUMBERS")
    try await fixture.stream.send(0)
    try await texts.send("one")
    try await fixture.send(2..<5)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(2)
    let (probe, completed, latch) = (Probe(), Signal(), DispatchSemaphore(value: 0))
    probe.onValue = { _ in latch.wait() }
    probe.onCompletion = { _ in completed.fire() }
    fixture.stream.publisher(durable: "reader", settings: settings).subscribe(probe)
    await until { (try? fixture.state(of: "reader").undelivered) == 0 }
    try await fixture.connection.flush()
    latch.signal()
    await completed.wait()
    #expect(probe.values == [0])
    #expect(probe.error?.kind == .undecodable)
    settings.undecodable = .skip
    var rest: Set<Int> = []
    for try await value in fixture.stream.publisher(durable: "reader", settings: settings).values {
      if value > 0 { rest.insert(value) }
      if rest.count == 3 { break }
    }
    #expect(rest == [2, 3, 4])
  }

  @Test func valuesThatHaveArrivedAreDeliveredWhileNothingCanBeSent() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    let (probe, first, received) = (Probe(), DispatchSemaphore(value: 0), Signal())
    probe.onValue = {
      if $0 == 0 { first.wait() }
      received.fire()
    }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader").undelivered) == 0 }
    try await fixture.connection.flush()
    let (sending, latch) = (Signal(), DispatchSemaphore(value: 0))
    fixture.connection.outbox.post { _ in
      sending.fire()
      latch.wait()
    }
    await sending.wait()
    first.signal()
    await received.wait(10)
    #expect(probe.values == Array(0..<10))
    latch.signal()
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    probe.cancel()
  }

  @Test func requestsNothingWhileTheConnectionIsInterrupted() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<5)
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    var options = NATSOptions()
    options.reconnection = .always(pause: .milliseconds(10))
    let connection = try await NATSConnection(urls: [proxy.url], options: options)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let (received, interrupted) = (Signal(), Signal())
    let status = connection.status.sink { if case .reconnecting = $0 { interrupted.fire() } }
    let probe = Recorder<NATSMessage<Int>, NATSError>(demand: .none)
    probe.onValue = { _ in received.fire() }
    stream.messages(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    try await connection.flush()
    proxy.cut()
    await interrupted.wait()
    probe.request(.max(1))
    await connection.outbox.finish()
    proxy.restore()
    await received.wait()
    // The server has got all requests that were sent.
    try await connection.flush()
    #expect(try fixture.state(of: "reader").unacknowledged == 1)
    probe.cancel()
    status.cancel()
  }

  // MARK: A server that forgets numbers

  /// Restarts the server, which forgets what it has stored, and not what it has delivered.
  private func restart(_ fixture: Fixture) throws {
    fixture.server.shutDown()
    try fixture.server.forgetMessages(of: "NUMBERS")
    try fixture.server.restart()
  }

  /// The server may have forgotten acknowledgements too, and deliver new values as unacknowledged old ones after the wait.
  private var patient: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(3_600)
    return settings
  }

  private func send(_ numbers: Range<Int>, _ stream: NATSStream<Int>) async throws {
    for number in numbers {
      while await natsError({ try await stream.send(number, id: "\(number)") }) != nil {}
    }
  }

  @Test func aDurableThatIsMadeAnewHasTheSettingsThatItHad() async throws {
    var options = NATSOptions()
    options.reconnection = .always(pause: .milliseconds(10))
    let fixture = try await Fixture(options: options)
    let probe = Probe()
    fixture.stream.publisher(durable: "reader", settings: patient).subscribe(probe)
    try await send(0..<10, fixture.stream)
    await until { probe.values.count == 10 }
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    var changed = patient
    changed.acknowledgementWait = .seconds(7_200)
    try await fixture.stream.updateConsumer("reader", settings: changed)
    try restart(fixture)
    try await send(10..<15, fixture.stream)
    await until { Set(probe.values) == Set(0..<15) }
    #expect(try fixture.acknowledgementWait(of: "reader") == .seconds(7_200))
    probe.cancel()
  }

  @Test(arguments: [NATSStreamSettings.Retention.limits, .workQueue])
  func goesOnWhereTheServerHasForgottenNumbers(retention: NATSStreamSettings.Retention) async throws {
    var settings = NATSStreamSettings()
    settings.retention = retention
    var options = NATSOptions()
    options.reconnection = .always(pause: .milliseconds(10))
    let fixture = try await Fixture(settings, options: options)
    let other = try await NATSConnection(urls: [fixture.server.url], options: options)
    let streams = [fixture.stream, try await NATSStream<Int>(other, existing: "NUMBERS")]
    let probes = [Probe(), Probe()]
    for (stream, probe) in zip(streams, probes) {
      stream.publisher(durable: "reader", settings: patient).subscribe(probe)
    }
    try await send(0..<10, fixture.stream)
    await until { probes[0].values.count + probes[1].values.count == 10 }
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    try restart(fixture)
    try await send(10..<15, fixture.stream)
    await until { Set(probes[0].values + probes[1].values) == Set(0..<15) }
    for probe in probes {
      #expect(probe.error == nil)
      probe.cancel()
    }
  }

  @Test func beginsWhereTheServerHasForgottenNumbers() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    #expect(try await fixture.first(10, patient) == Array(0..<10))
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    try restart(fixture)
    try await send(10..<15, fixture.stream)
    #expect(try await fixture.first(5, patient) == Array(10..<15))
  }

  @Test func aDurableThatHasBeenMadeAnewIsUsed() async throws {
    let fixture = try await Fixture()
    let probe = Probe()
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    try await fixture.stream.send(1)
    await until { probe.values == [1] }
    let consumer = try PullConsumer(
      fixture.connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    let error = try await fixture.connection.queue.run { () -> Result<NATSError?, NATSError> in
      consumer.delete()
      return .success(consumer.create())
    }
    #expect(error == nil)
    await until { probe.values == [1, 1] }
    try await fixture.stream.send(2)
    await until { probe.values == [1, 1, 2] }
    probe.cancel()
  }

  @Test func aServerThatHadStoppedSendsNoMoreThanWasRequested() async throws {
    let fixture = try await Fixture()
    let (probe, received) = (Recorder<NATSMessage<Int>, NATSError>(demand: .max(1)), Signal())
    probe.onValue = { _ in received.fire() }
    fixture.stream.messages(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    try await fixture.connection.flush()
    fixture.server.pause(true)
    // The time after which a request would have been given up, with something to spare.
    try await Task.sleep(for: .seconds(8))
    fixture.server.pause(false)
    try await fixture.send(0..<10)
    await received.wait()
    try await fixture.connection.flush()
    #expect(try fixture.state(of: "reader").unacknowledged == 1)
    #expect(probe.values.map(\.value) == [0])
    probe.cancel()
  }

  @Test func largeValuesDoNotEndTheConnection() async throws {
    // A server cuts off a client that takes less than it is sent, by that much.
    let server = try NATSServer(configuration: "max_pending: 8MB")
    let connection = try await NATSConnection(urls: [server.url])
    var stored = NATSStreamSettings()
    stored.storage = .memory
    let stream = try await NATSStream<Data>(connection, "LARGE", settings: stored, coding: .data)
    let (bytes, count) = (Data(repeating: 1, count: 1_000_000), 40)
    for _ in 0..<count { try await stream.send(bytes) }
    let consuming = try await NATSConnection(urls: [server.url])
    let received = Signal()
    var settings = NATSConsumerSettings()
    settings.maxPullBytes = 4_000_000
    let cancellable = try await NATSStream<Data>(consuming, existing: "LARGE", coding: .data)
      .publisher(durable: "reader", settings: settings)
      .sink(receiveCompletion: { Issue.record("the consumer has ended: \($0)") }) { _ in received.fire() }
    await received.wait(count)
    #expect(consuming.events.interruptions == 0)
    cancellable.cancel()
    await consuming.close()
    await connection.close()
  }
}
