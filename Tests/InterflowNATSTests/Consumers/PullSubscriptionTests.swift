import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

@Suite struct PullSubscriptionTests {
  private typealias Probe = RecordingSubscriber<Int, NATSError>

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

  @Test(arguments: NATSServer.programs)
  func aServerThatHasServedARequestIsNotAskedWhy(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    try await fixture.send(0..<40)
    // After a pause, a server that has refused a request is asked for the durable.
    let questions = Shared(0)
    let information = try NATSSubject<Data>(fixture.connection, "$JS.API.CONSUMER.INFO.NUMBERS.reader", coding: .data)
    let cancellable = information.sink(receiveCompletion: { _ in }) { _ in questions.update { $0 += 1 } }
    try await information.flush()
    let received = Signal()
    let probe = Probe(initialDemand: .max(4), demandForEach: { $0 % 4 == 3 ? .max(4) : .none })
    probe.onValue = { _ in received.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await received.wait(40)
    #expect(probe.values == Array(0..<40))
    try await fixture.connection.flush()
    // Whether the durable exists, and how far it is, and not after each of the ten requests.
    #expect(questions.value < 10)
    probe.cancel()
    cancellable.cancel()
  }

  @Test func requestsNothingWhileTheConnectionIsInterrupted() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<5)
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let (received, interrupted) = (Signal(), Signal())
    let status = connection.status.sink { if case .reconnecting = $0 { interrupted.fire() } }
    let probe = RecordingSubscriber<NATSMessage<Int>, NATSError>(initialDemand: .none)
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

  @Test func nothingIsLateWhileTheConnectionIsInterrupted() async throws {
    let fixture = try await Fixture()
    let consumer = try PullConsumer(
      fixture.connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    let subscription = PullSubscription(
      consumer, PullSubscription.Receiver(receive: { _ in .none }, complete: { _ in }), .byHand)
    func deadline() -> DispatchTime? {
      subscription.lock.lock()
      defer { subscription.lock.unlock() }
      _ = subscription.pulls.acknowledges(1, demand: 1, at: .now(), deadline: .now())
      return subscription.deadline
    }
    #expect(deadline() != nil)
    subscription.connectionChanged(to: .reconnecting)
    #expect(deadline() == nil)
    subscription.connectionChanged(to: .connected)
    #expect(deadline() != nil)
    subscription.cancel()
  }

  @Test(arguments: [false, true]) func whatIsCalledForUnusedDemandIsReleasedAtTheEnd(isCancelled: Bool) async throws {
    final class Token: Sendable {}
    let fixture = try await Fixture()
    let consumer = try PullConsumer(
      fixture.connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    let ended = Signal()
    let subscription = PullSubscription(
      consumer, PullSubscription.Receiver(receive: { _ in .none }, complete: { _ in ended.fire() }), .byHand)
    var token: Token? = Token()
    weak let released = token
    subscription.whenUnused = { [token] _, _ in withExtendedLifetime(token) {} }
    token = nil
    subscription.start()
    #expect(released != nil)
    if isCancelled {
      subscription.cancel()
    } else {
      subscription.end(.timeout(while: "a test"))
      await ended.wait()
    }
    await until { released == nil }
    withExtendedLifetime(subscription) {}
  }

  @Test func whatComesAfterItWasWantedElsewhereIsDelivered() async throws {
    let fixture = try await Fixture()
    let consumer = try PullConsumer(
      fixture.connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    let received = Signal()
    let subscription = PullSubscription(consumer, firing: received)
    subscription.whenUnused = { _, _ in }
    try await fixture.send(0..<2)
    subscription.start()
    subscription.request(.max(1))
    await received.wait()
    let (latch, isHeld) = (DispatchSemaphore(value: 0), Signal())
    fixture.connection.outbox.post { _ in
      isHeld.fire()
      latch.wait()
    }
    await isHeld.wait()
    subscription.request(.max(1))
    // The request is posted, and it has not been sent.
    fixture.connection.outbox.post { _ in
      subscription.lock.lock()
      // What has arrived already is not wanted elsewhere.
      if subscription.bufferedCount == 0 { subscription.withdrawDemand(1) }
      subscription.lock.unlock()
    }
    latch.signal()
    await received.wait(2)
    subscription.cancel()
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

  @Test func aDurableThatIsRecreatedHasTheSettingsThatItHad() async throws {
    let fixture = try await Fixture(options: .reconnecting)
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
    let fixture = try await Fixture(settings, options: .reconnecting)
    let other = try await NATSConnection(urls: [fixture.server.url], options: .reconnecting)
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

  @Test func aDurableThatHasBeenRecreatedIsUsed() async throws {
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
    let (probe, received) = (RecordingSubscriber<NATSMessage<Int>, NATSError>(initialDemand: .max(1)), Signal())
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

  /// In a process of their own, in which no other test begins any.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
  func aThousandConsumersShareThreads() async throws {
    let server = try NATSServer()
    let process = try ChildProcess(built: "NATSProcess", "threads", server.url, "1000")
    var count: Int?
    for await number in process.numbers() { count = number }
    // At most 64 for subscribers; the rest is the connection's, the library's and those of tasks, one for each core.
    #expect(try #require(count) < 100 + ProcessInfo.processInfo.activeProcessorCount)
  }

  @Test func largeValuesDoNotEndTheConnection() async throws {
    // A server cuts off a client that takes less than it is sent, by that much.
    let server = try NATSServer(configuration: "max_pending: 8MB")
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    var stored = NATSStreamSettings()
    stored.storage = .memory
    let stream = try await NATSStream<Data>(connection, "LARGE", settings: stored, coding: .data)
    let (bytes, count) = (Data(repeating: 1, count: 1_000_000), 40)
    for _ in 0..<count { try await stream.send(bytes) }
    let consuming = try await NATSConnection(urls: [server.url], options: .patient)
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
