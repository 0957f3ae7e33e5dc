import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Each value that is distributed has one result, whatever fails in between.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WorkFaultStressTests {
  /// Each fault once; fifty times with the counts of `make long`.
  private static let runs = 0..<max(1, (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 200)

  private func fixture() async throws -> WorkFixture {
    var options = NATSOptions()
    options.reconnection = .always(pause: .milliseconds(10))
    options.requestTimeout = .milliseconds(500)
    // That of the processes, too.
    return try await WorkFixture(options: options) {
      $0.acknowledgementWait = .seconds(1)
      $0.maxDeliveries = 100
    }
  }

  /// Distributes numbers, breaks something after so many results, and waits for the end.
  private func run(
    _ count: Int, _ fixture: WorkFixture, faults: [(after: Int, fault: @Sendable () async throws -> Void)]
  ) async throws {
    let (received, completed) = (Signal(), Signal())
    let results = Recorder<Int, any Error>()
    results.onValue = { _ in received.fire() }
    results.onCompletion = {
      if case .failure(let error) = $0 { Issue.record("the publisher has failed: \(error)") }
      completed.fire()
    }
    (0..<count).publisher.distribute(over: fixture.work, maxJobs: 32).subscribe(results)
    for (after, fault) in faults {
      await received.wait(after)
      try await fault()
    }
    await completed.wait()
    #expect(results.values.sorted() == Array(0..<count))
  }

  private func worker(_ url: String) throws -> ChildProcess {
    try ChildProcess(built: "NATSProcess", "work", url, "WORK")
  }

  @Test(arguments: runs) func workersAreKilled(repetition: Int) async throws {
    let fixture = try await fixture()
    let url = fixture.server.url
    let workers = [try worker(url), try worker(url)]
    let last = Shared<ChildProcess?>(nil)
    try await run(
      400, fixture,
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

  @Test(arguments: runs) func theServerIsKilledAndRestarted(repetition: Int) async throws {
    let fixture = try await fixture()
    nonisolated(unsafe) let server = fixture.server  // Only the faults use it while they run.
    let workers = [try worker(fixture.server.url), try worker(fixture.server.url)]
    try await run(
      300, fixture,
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

  @Test(arguments: runs) func aWorkersConnectionIsCut(repetition: Int) async throws {
    let fixture = try await fixture()
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let worker = try worker(proxy.url)
    try await run(
      300, fixture,
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
    try await run(200, fixture, faults: [])
    while try await fixture.work.jobs.state().messageCount > 0 { await Task.yield() }
    for worker in workers { #expect(worker.isRunning) }
  }
}
