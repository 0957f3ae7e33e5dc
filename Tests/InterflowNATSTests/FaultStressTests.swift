import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// What is acknowledged arrives, whatever fails in between.
@Suite(.serialized) struct FaultStressTests {
  /// Each fault once; fifty times with the counts of `make long`.
  private static let runs = 0..<max(1, (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 200)

  /// Sends numbers one after the other, each until a server has stored it, with its identifier.
  private static func send(
    _ count: Int, to stream: NATSStream<Int>, progress: Signal
  ) async throws {
    for number in 0..<count {
      try await stream.send(number, id: "\(number)", retrying: .untilStored)
      progress.fire()
    }
  }

  /// What a consumer has received.
  private final class Received: Sendable {
    private let state = Shared((numbers: Set<Int>(), firstDeliveries: [Int](), again: 0))

    func add(_ message: NATSMessage<Int>) {
      let isFirst = message.deliveryCount == 1
      state.update {
        let isNew = $0.numbers.insert(message.value).inserted
        // A server that was killed does not remember what it has delivered last.
        if isNew, isFirst { $0.firstDeliveries.append(message.value) }
        if !isNew { $0.again += 1 }
      }
      message.ack()
    }

    func isComplete(_ count: Int) -> Bool { state.value.numbers.count == count }

    /// All have arrived, and what the server has not delivered before is in the stream's order.
    func check(_ count: Int) {
      let (numbers, firstDeliveries, _) = state.value
      #expect(numbers == Set(0..<count))
      #expect(firstDeliveries == firstDeliveries.sorted())
    }

    /// How many came more than once.
    var again: Int { state.value.again }
  }

  private func options(_ timeout: Duration = .milliseconds(500)) -> NATSOptions {
    var options = NATSOptions.reconnecting
    options.requestTimeout = timeout
    return options
  }

  private var quick: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(1)
    return settings
  }

  /// Sends and receives, and breaks something in between.
  ///
  /// - Parameter demand: What the consumer requests at a time.
  private func run(
    _ count: Int, _ sender: NATSStream<Int>, _ receiver: NATSStream<Int>, demand: Subscribers.Demand = .unlimited,
    faults: [(after: Int, fault: @Sendable () async throws -> Void)]
  ) async throws -> Received {
    let received = Received()
    let sent = Signal()
    let consumer = RecordingSubscriber<NATSMessage<Int>, NATSError>(
      initialDemand: demand, demandForEach: { _ in demand == .unlimited ? .none : demand })
    consumer.onValue = { received.add($0) }
    consumer.onCompletion = { Issue.record("the consumer has ended: \($0)") }
    receiver.messages(durable: "reader", settings: quick).subscribe(consumer)
    let sending = Task { try await Self.send(count, to: sender, progress: sent) }
    for (after, fault) in faults {
      await sent.wait(after)
      try await fault()
    }
    try await sending.value
    await until { received.isComplete(count) }
    consumer.cancel()
    return received
  }

  @Test(arguments: runs, NATSServer.programs)
  func theServerIsKilledAndRestarted(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(options: options(), program: program)
    nonisolated(unsafe) let server = fixture.server  // Only the fault uses it while it runs.
    let received = try await run(
      400, fixture.stream, fixture.stream,
      faults: [100, 250].map { after in
        (
          after,
          {
            server.kill()
            try server.restart()
          }
        )
      })
    received.check(400)
  }

  @Test(arguments: runs, NATSServer.programs)
  func theConnectionIsCut(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: options())
    let stream = try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
    let statuses = connection.statuses
    let received = try await run(
      400, stream, stream,
      faults: [50, 150, 300].map { after in
        (
          after,
          {
            proxy.cut()
            proxy.restore()
          }
        )
      })
    received.check(400)
    await connection.close()
    var interruptions = 0
    for await status in statuses { if case .reconnecting = status { interruptions += 1 } }
    #expect(interruptions >= 1)
  }

  @Test(arguments: runs, NATSServer.programs)
  func onlyTheConsumersConnectionIsCut(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(options: options(), program: program)
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: options())
    let stream = try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
    let received = try await run(
      400, fixture.stream, stream,
      faults: [100, 200].map { after in
        (
          after,
          {
            proxy.cut()
            proxy.restore()
          }
        )
      })
    received.check(400)
    await connection.close()
  }

  @Test(arguments: runs, NATSServer.programs)
  func theServerStopsForAWhile(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(options: options(.milliseconds(200)), program: program)
    nonisolated(unsafe) let server = fixture.server  // Only the fault uses it while it runs.
    let received = try await run(
      200, fixture.stream, fixture.stream,
      faults: [
        (
          50,
          {
            server.pause(true)
            try await Task.sleep(for: .milliseconds(700))
            server.pause(false)
          }
        )
      ])
    received.check(200)
  }

  @Test(arguments: runs, NATSServer.programs)
  func theConsumersProcessIsKilled(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(program: program)
    var received: Set<Int> = []
    for (round, last) in [100, 300, 600].enumerated() {
      // Each of them has something to receive, however fast the one before was.
      try await fixture.stream.send(contentsOf: (round * 200..<(round + 1) * 200).publisher)
      let consumer = try ChildProcess(built: "NATSProcess", "consume", fixture.server.url, "NUMBERS", "reader")
      // What it has reported before its end, it may have acknowledged.
      for await number in consumer.numbers() {
        received.insert(number)
        if received.count >= last { consumer.kill() }
      }
      #expect(received.count >= last)
    }
    #expect(received == Set(0..<600))
  }

  @Test(arguments: runs, NATSServer.programs)
  func aSlowConsumerGetsEverything(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let received = Received()
    let cancellable = fixture.stream.messages(durable: "reader")
      .sink(
        receiveCompletion: { Issue.record("the consumer has ended: \($0)") },
        receiveValue: {
          received.add($0)
          usleep(500)
        })
    try await fixture.stream.send(contentsOf: (0..<2_000).publisher)
    await until { received.isComplete(2_000) }
    cancellable.cancel()
    received.check(2_000)
    #expect(received.again == 0)
  }

  @Test(arguments: NATSServer.programs, [Subscribers.Demand.unlimited, .max(1)])
  func theLeaderOfTheClusterIsKilled(program: String?, demand: Subscribers.Demand) async throws {
    for _ in Self.runs { try await theLeaderIsKilled(program, demand) }
  }

  private func theLeaderIsKilled(_ program: String?, _ demand: Subscribers.Demand) async throws {
    let cluster = try NATSCluster(program: program)
    let connection = try await NATSConnection(urls: cluster.urls, options: options(.seconds(2)))
    var settings = NATSStreamSettings()
    settings.replicas = 3
    var stream: NATSStream<Int>?
    // The servers answer before they have found each other.
    while stream == nil {
      stream = try? await NATSStream<Int>(connection, "NUMBERS", subjects: ["numbers"], settings: settings)
    }
    let leader = try #require(try await stream?.leader())
    nonisolated(unsafe) let server = try #require(cluster.server(named: leader))  // Only the fault uses it.
    let received = try await run(
      300, stream!, stream!, demand: demand, faults: [(100, { server.kill() }), (200, { try server.restart() })])
    received.check(300)
    await connection.close()
  }
}
