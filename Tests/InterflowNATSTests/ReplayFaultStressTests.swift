import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// A replay misses nothing and delivers nothing twice, whatever fails in between.
@Suite(.serialized) struct ReplayFaultStressTests {
  /// Each fault once; fifty times with the counts of `make long`.
  private static let runs = 0..<max(1, (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 200)

  private func options() -> NATSOptions {
    var options = NATSOptions.reconnecting
    options.requestTimeout = .seconds(2)
    return options
  }

  /// Sends numbers one after the other, replays them, and breaks something in between.
  ///
  /// - Parameter demand: What the subscriber requests at a time.
  private func run(
    _ count: Int, _ sender: NATSStream<Int>, _ receiver: NATSStream<Int>, demand: Subscribers.Demand = .unlimited,
    faults: [(after: Int, fault: @Sendable () async throws -> Void)]
  ) async throws {
    let (sent, received) = (Signal(), Signal())
    let replay = RecordingSubscriber<NATSStoredValue<Int>, NATSError>(
      initialDemand: demand, demandForEach: { _ in demand == .unlimited ? .none : demand })
    replay.onValue = { _ in received.fire() }
    replay.onCompletion = { Issue.record("the replay has ended: \($0)") }
    receiver.replay().subscribe(replay)
    let sending = Task {
      // The faults do not wait for what is not sent.
      defer { for _ in 0..<count { sent.fire() } }
      for number in 0..<count {
        try await sender.send(number, id: "\(number)", retrying: .untilStored)
        sent.fire()
      }
    }
    for (after, fault) in faults {
      await sent.wait(after)
      try await fault()
    }
    try await sending.value
    await received.wait(count)
    replay.cancel()
    #expect(replay.values.map(\.value) == Array(0..<count))
    let sequences = replay.values.map(\.sequence)
    #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(arguments: runs, NATSServer.programs)
  func theServerIsKilledAndRestarted(repetition: Int, program: String?) async throws {
    let fixture = try await Fixture(options: options(), program: program)
    nonisolated(unsafe) let server = fixture.server  // Only the fault uses it while it runs.
    try await run(
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
  }

  @Test(arguments: runs, [Subscribers.Demand.unlimited, .max(1)])
  func theConnectionIsCut(repetition: Int, demand: Subscribers.Demand) async throws {
    let fixture = try await Fixture(options: options())
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: options())
    let stream = try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
    try await run(
      400, fixture.stream, stream, demand: demand,
      faults: [50, 150, 300].map { after in
        (
          after,
          {
            proxy.cut()
            proxy.restore()
          }
        )
      })
    await connection.close()
  }

  @Test(arguments: runs) func theServerStopsForAWhile(repetition: Int) async throws {
    let fixture = try await Fixture(options: options())
    nonisolated(unsafe) let server = fixture.server  // Only the fault uses it while it runs.
    try await run(
      200, fixture.stream, fixture.stream,
      faults: [
        (
          50,
          {
            server.pause(true)
            try await Task.sleep(for: .milliseconds(2_000))
            server.pause(false)
          }
        )
      ])
  }

  /// The consumer of a replay is on one server, whether that leads the stream or not.
  @Test(arguments: runs, NATSServer.programs)
  func eachServerOfAClusterIsKilled(repetition: Int, program: String?) async throws {
    let cluster = try NATSCluster(program: program)
    let connection = try await NATSConnection(urls: cluster.urls, options: options())
    var settings = NATSStreamSettings()
    settings.replicas = 3
    var stream: NATSStream<Int>?
    // The servers answer before they have found each other.
    while stream == nil {
      stream = try? await NATSStream<Int>(connection, "NUMBERS", subjects: ["numbers"], settings: settings)
    }
    let number = Shared(0)
    nonisolated(unsafe) let servers = cluster.servers  // Only the faults use them while they run.
    try await run(
      400, stream!, stream!,
      faults: [50, 100, 170, 200, 280, 300].map { after in
        (
          after,
          {
            let count = number.update {
              $0 += 1
              return $0 - 1
            }
            if count.isMultiple(of: 2) { servers[count / 2].kill() } else { try servers[count / 2].restart() }
          }
        )
      })
    await connection.close()
  }
}
