import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Jobs that the servers have confirmed, and that are neither in their stream nor have a result.
@Suite struct LostJobsTests {
  /// A run that looks often.
  private func run(_ fixture: WorkFixture) -> DistributedRun<Int, Int> {
    DistributedRun(fixture.work, lookupInterval: .milliseconds(20))
  }

  /// Waits until so many jobs are stored.
  private func stored(_ fixture: WorkFixture, _ count: Int) async throws {
    while true {
      var sum = 0
      for shard in fixture.work.shards { sum += try await shard.jobs.state().messageCount }
      if sum == count { return }
      await Task.yield()
    }
  }

  /// How often results have been looked up.
  private func lookups(_ run: DistributedRun<Int, Int>) -> Int {
    run.lock.lock()
    defer { run.lock.unlock() }
    return run.table.lookups
  }

  private func waitForLookups(_ run: DistributedRun<Int, Int>, _ count: Int) async {
    let last = lookups(run) + count
    while lookups(run) < last { await Task.yield() }
  }

  @Test func aJobThatWasRemovedIsSentAgain() async throws {
    let fixture = try await WorkFixture()
    let run = run(fixture)
    let result = Task { try await run.result(of: 1) }
    try await stored(fixture, 1)
    try await fixture.work.jobs.removeAll()
    let worker = try await fixture.worker { $0 + 10 }
    #expect(try await result.value.get() == 11)
    run.end()
    // Before the worker ends, whose jobs would go back.
    try await fixture.nothingIsHeld()
    worker.cancel()
  }

  @Test(arguments: [1, 3]) func aResultThatIsGoneIsComputedAgain(shards: Int) async throws {
    let fixture = try await WorkFixture { $0.shards = shards }
    let run = run(fixture)
    let results = (0..<8).map { number in Task { try await run.result(of: number).get() } }
    try await stored(fixture, 8)
    // Takes one job of each shard for done, as if a server had lost the result.
    var takenCount: UInt64 = 0
    for shard in fixture.work.shards where try await shard.jobs.state().messageCount > 0 {
      let jobs = shard.jobs.messages(durable: NATSWork<Int, Int>.workers, settings: fixture.work.settings.worker)
      for try await job in jobs.asyncValues {
        job.ack()
        takenCount += 1
        break
      }
    }
    let worker = try await fixture.worker { $0 + 10 }
    for (number, result) in results.enumerated() { #expect(try await result.value == number + 10) }
    var sentCount: UInt64 = 0
    for shard in fixture.work.shards { sentCount += try await shard.jobs.state().lastSequence }
    #expect(sentCount == 8 + takenCount)
    worker.cancel()
    run.end()
  }

  /// While it is in the stream, nobody else gets it.
  @Test func aJobThatTakesItsTimeIsNotSentAgain() async throws {
    let fixture = try await WorkFixture()
    let run = run(fixture)
    let (attempts, mayReturn) = (Attempts(), Signal())
    let worker = try await fixture.worker(concurrency: 4) { number in
      attempts.add(number)
      await mayReturn.wait()
      return number
    }
    let result = Task { try await run.result(of: 1) }
    while attempts.total == 0 { await Task.yield() }
    await waitForLookups(run, 12)
    mayReturn.fire()
    #expect(try await result.value.get() == 1)
    #expect(attempts.total == 1)
    worker.cancel()
    run.end()
  }

  @Test func resultsAreLookedUpWhereJobsCannotBe() async throws {
    let fixture = try await WorkFixture()
    let run = run(fixture)
    let result = Task { try await run.result(of: 1).get() }
    try await stored(fixture, 1)
    try await fixture.deliverNoResults()
    try await fixture.work.jobs.delete()
    try await fixture.work.results.send(
      Data("11".utf8), id: JobID(run: run.name, number: 1).text,
      to: fixture.work.shards[0].subject(ofResultsOf: run.name, kind: "result"))
    #expect(try await result.value == 11)
    run.end()
  }

  @Test func theEndOfARunThatLooksForJobsEndsItsWaits() async throws {
    let fixture = try await WorkFixture()
    weak var released: DistributedRun<Int, Int>?
    do {
      let run = run(fixture)
      released = run
      let result = Task { try await run.result(of: 1) }
      try await stored(fixture, 1)
      await waitForLookups(run, 3)
      run.end()
      await #expect(throws: CancellationError.self) { _ = try await result.value }
    }
    while released != nil { await Task.yield() }
  }
}
