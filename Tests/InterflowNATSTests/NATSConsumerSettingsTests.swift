import Combine
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Durables that the server deletes. On a machine that is busy, it may do so before the test intends it, with the same
/// end: so the tests wait for a value or for the completion, whichever comes.
@Suite(.timeLimit(.minutes(60))) struct NATSConsumerSettingsTests {
  private let received = Signal()
  private let completed = Signal()

  private var settings: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.inactiveThreshold = .milliseconds(200)
    return settings
  }

  private func probe(_ demand: Subscribers.Demand) -> Recorder<Int, NATSError> {
    let probe = Recorder<Int, NATSError>(demand: demand)
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
    var options = NATSOptions()
    options.reconnection = .always(pause: .milliseconds(10))
    let connection = try await NATSConnection(urls: [proxy.url], options: options)
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
