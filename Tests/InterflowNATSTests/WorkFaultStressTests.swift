import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// Each value that is distributed has one result, whatever fails in between.
@Suite(.serialized) struct WorkFaultStressTests {
  /// Each fault once; fifty times with the counts of `make long`.
  private static let runs = 0..<max(1, (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 200)

  /// How many runs a cluster has: five hundred with the counts of `make long`.
  ///
  /// Each takes ten seconds and more, in which the servers choose leaders.
  private static let clusterRuns = max(
    hasThreadSanitizer ? 1 : 4, (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 20)
  /// A run that waits for a result that does not come has no end. On a machine without other work, it takes less than half
  /// a minute, and on one that is four times slower not more than this.
  private static let clusterLimit = Duration.seconds(120)

  private func fixture(shards: Int = 1) async throws -> WorkFixture {
    var options = NATSOptions.reconnecting
    options.requestTimeout = .milliseconds(500)
    // That of the processes, too.
    return try await WorkFixture(options: options) {
      $0.acknowledgementWait = .seconds(1)
      $0.maxDeliveries = 100
      $0.shards = shards
    }
  }

  private typealias Fault = (after: Int, fault: @Sendable () async throws -> Void)

  /// Distributes numbers, breaks something after so many results, and waits for the end.
  private func run(
    _ count: Int, _ work: WorkFixture.Work, maxJobs: Int = 32, faults: [Fault]
  ) async throws {
    let (received, completed) = (Signal(), Signal())
    let results = RecordingSubscriber<Int, any Error>()
    results.onValue = { _ in received.fire() }
    results.onCompletion = {
      if case .failure(let error) = $0 { Issue.record("the publisher has failed: \(error)") }
      completed.fire()
    }
    (0..<count).publisher.distribute(over: work, maxJobs: maxJobs).subscribe(results)
    for (after, fault) in faults {
      await received.wait(after)
      try await fault()
    }
    await completed.wait()
    #expect(results.values.sorted() == Array(0..<count))
  }

  private func worker(
    _ url: String, _ name: String = "WORK", replicas: Int = 1, shards: Int = 1
  ) throws -> ChildProcess {
    try ChildProcess(built: "NATSProcess", "work", url, name, "\(replicas)", "\(shards)")
  }

  @Test(arguments: runs) func workersAreKilled(repetition: Int) async throws {
    let fixture = try await fixture()
    let url = fixture.server.url
    let workers = [try worker(url), try worker(url)]
    let last = Shared<ChildProcess?>(nil)
    try await run(
      400, fixture.work,
      faults: [
        (50, { workers[0].kill() }),
        (
          150,
          {
            // Those that they have taken and not answered are done by this one.
            last.value = try worker(url)
            workers[1].kill()
          }
        ),
      ])
  }

  @Test(arguments: runs, [1, 3]) func theServerIsKilledAndRestarted(repetition: Int, shards: Int) async throws {
    let fixture = try await fixture(shards: shards)
    nonisolated(unsafe) let server = fixture.server  // Only the faults use it while they run.
    let workers = try (0..<2).map { _ in try worker(fixture.server.url, shards: shards) }
    try await run(
      300, fixture.work,
      faults: [100, 200].map { after in
        (
          after,
          {
            server.kill()
            try server.restart()
          }
        )
      })
    for worker in workers { #expect(worker.isRunning) }
  }

  @Test(arguments: runs, [1, 3]) func theServerIsKilledWhileFewJobsWait(repetition: Int, shards: Int) async throws {
    let fixture = try await fixture(shards: shards)
    nonisolated(unsafe) let server = fixture.server  // Only the faults use it while they run.
    let workers = try (0..<2).map { _ in try worker(fixture.server.url, shards: shards) }
    // The streams are empty in between, of which a server may forget the numbers.
    try await run(
      200, fixture.work, maxJobs: 2,
      faults: [20, 50, 100, 150].map { after in
        (
          after,
          {
            server.kill()
            try server.restart()
          }
        )
      })
    for worker in workers { #expect(worker.isRunning) }
  }

  @Test(arguments: runs) func aWorkersConnectionIsCut(repetition: Int) async throws {
    let fixture = try await fixture()
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let worker = try worker(proxy.url)
    try await run(
      300, fixture.work,
      faults: [50, 150].map { after in
        (
          after,
          {
            proxy.cut()
            proxy.restore()
          }
        )
      })
    #expect(worker.isRunning)
  }

  @Test(arguments: runs) func whoDistributesIsKilled(repetition: Int) async throws {
    let fixture = try await fixture()
    let workers = [try worker(fixture.server.url), try worker(fixture.server.url)]
    let distributing = try ChildProcess(
      built: "NATSProcess", "distribute", fixture.server.url, "WORK", "1000000")
    var count = 0
    for await _ in distributing.numbers() {
      count += 1
      if count == 100 { distributing.kill() }
    }
    // Others get their own results, and what it has left behind is done, and not in their way.
    try await run(200, fixture.work, faults: [])
    while try await fixture.work.jobs.state().messageCount > 0 { await Task.yield() }
    for worker in workers { #expect(worker.isRunning) }
  }

  /// Each run has a work of its own on the same servers, of which one is killed in each. Half of the works have shards, which
  /// several servers lead.
  @Test func aWorkerAndTheLeaderAreKilledInTurn() async throws {
    let cluster = try NATSCluster()
    var options = NATSOptions.reconnecting
    options.requestTimeout = .seconds(2)
    let connection = try await NATSConnection(urls: cluster.urls, options: options)
    var settings = NATSWorkSettings()
    settings.replicas = 3
    settings.acknowledgementWait = .seconds(1)
    settings.maxDeliveries = 100
    for number in 0..<Self.clusterRuns {
      let name = "WORK\(number)"
      let shards = number.isMultiple(of: 2) ? 3 : 1
      settings.shards = shards
      var created: WorkFixture.Work?
      // The servers answer before they have found each other.
      while created == nil { created = try? await WorkFixture.Work(connection, name, settings: settings) }
      let work = try #require(created)
      let url = cluster.urls[number % 3]
      let workers = Shared([
        try worker(url, name, replicas: 3, shards: shards), try worker(url, name, replicas: 3, shards: shards),
      ])
      let streams = [work.shards[0].jobs, work.shards[shards - 1].results]
      let leaders = number % 4 < 2 ? streams : streams.reversed()
      nonisolated(unsafe) let servers = cluster  // Only the faults use it while they run.
      var faults: [Fault] = []
      for (index, stream) in leaders.enumerated() {
        faults.append(
          (
            30 + index * 80,
            {
              workers.value[index].kill()
              let another = try worker(url, name, replicas: 3, shards: shards)
              workers.update { $0[index] = another }
            }
          ))
        faults.append(
          (
            70 + index * 80,
            {
              // The servers may not answer just now.
              guard let leader = try? await stream.leader(), let server = servers.server(named: leader) else { return }
              server.kill()
              try server.restart()
            }
          ))
      }
      let begin = ContinuousClock.now
      try await run(200, work, faults: faults)
      let time = begin.duration(to: .now)
      #expect(time < Self.clusterLimit, "run \(number)")
      if time > .seconds(60) { print("WorkFaultStressTests: run \(number) took \(time)") }
      for worker in workers.value { worker.kill() }
      for shard in work.shards {
        try? await shard.jobs.delete()
        try? await shard.results.delete()
      }
    }
    await connection.close()
  }
}
