import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Work over several streams.
@Suite struct ShardedWorkTests {
  /// How many jobs of all shards are with workers, and how many wait in the streams.
  private func counts(_ work: WorkFixture.Work) async throws -> (fetched: Int, waiting: Int) {
    var (fetched, waiting) = (0, 0)
    for shard in work.shards {
      // The others' durables may be made after the first job has begun.
      while try await shard.jobs.state().consumerCount == 0 { await Task.yield() }
      let state = try await shard.jobs.state(ofConsumer: WorkFixture.Work.workers)
      fetched += state.unacknowledgedCount
      waiting += state.undeliveredCount
    }
    return (fetched, waiting)
  }

  private func stored(_ work: WorkFixture.Work) async throws -> [Int] {
    var counts: [Int] = []
    for shard in work.shards { counts.append(try await shard.jobs.state().messageCount) }
    return counts
  }

  private func streamNames(_ connection: NATSConnection) async throws -> Set<String> {
    struct Question: Codable {}
    struct Answer: Codable { let streams: [String] }
    let names = try NATSSubject<Question>(connection, "$JS.API.STREAM.NAMES")
    return Set(try await names.request(Question(), for: Answer.self).streams)
  }

  @Test(arguments: NATSServer.programs)
  func aWorkerWithFewerPlacesThanShardsDoesTheJobsOfAll(program: String?) async throws {
    let fixture = try await WorkFixture(program: program) { $0.shards = 4 }
    let results = fixture.results(of: 0..<64)
    while try await stored(fixture.work).reduce(0, +) < 64 { await Task.yield() }
    #expect(try await stored(fixture.work).allSatisfy { $0 > 0 })
    let worker = try await fixture.worker { $0 * 2 }
    #expect(try await results.value.sorted() == (0..<64).map { $0 * 2 })
    while try await stored(fixture.work) != [0, 0, 0, 0] { await Task.yield() }
    worker.cancel()
    try await worker.value
  }

  @Test(arguments: [1, 2, 6]) func aWorkerFetchesNoMoreJobsOfAllShardsThanItRuns(concurrency: Int) async throws {
    let fixture = try await WorkFixture { $0.shards = 4 }
    let results = fixture.results(of: 0..<40)
    while try await stored(fixture.work).reduce(0, +) < 40 { await Task.yield() }
    let (begun, goesOn) = (Signal(), Signal())
    let worker = try await fixture.worker(concurrency: concurrency) {
      begun.fire()
      await goesOn.wait()
      return $0
    }
    await begun.wait(concurrency)
    // Servers answer in their order: nothing more is on its way when they have counted.
    let counts = try await counts(fixture.work)
    #expect(counts.fetched == concurrency)
    #expect(counts.waiting == 40 - concurrency)
    goesOn.fire()
    #expect(try await results.value.sorted() == Array(0..<40))
    worker.cancel()
    try await worker.value
  }

  @Test func severalProcessesShareTheWorkersOfAllShards() async throws {
    let fixture = try await WorkFixture { $0.shards = 3 }
    var workers: [Task<Void, any Error>] = []
    for _ in 0..<3 { workers.append(try await fixture.worker(concurrency: 2) { $0 + 1 }) }
    let other = try await fixture.elsewhere()
    let results = fixture.results(of: 0..<100)
    let received = await collect((1_000..<1_100).publisher.distribute(over: other).values).values
    #expect(received.sorted() == Array(1_001...1_100))
    #expect(try await results.value.sorted() == Array(1...100))
    for worker in workers {
      worker.cancel()
      try await worker.value
    }
  }

  @Test func aResultThatIsNotDeliveredIsLookedUpInItsShard() async throws {
    let fixture = try await WorkFixture { $0.shards = 2 }
    let results = fixture.results(of: 0..<8)
    try await fixture.deliverNoResults()
    let worker = try await fixture.worker(concurrency: 4) { $0 }
    #expect(try await results.value.sorted() == Array(0..<8))
    worker.cancel()
    try await worker.value
  }

  // MARK: Names

  @Test func oneShardHasTheStreamsOfWorkWithoutShards() async throws {
    let work = try await WorkFixture().work
    #expect(work.jobs.name == "WORK")
    #expect(work.results.name == "WORK_RESULTS")
    #expect(work.jobs.subject == "WORK.jobs.*")
    #expect(work.results.subject == "WORK.results.*.*")
    #expect(work.shards[0].subject(ofJobsOf: "run") == "WORK.jobs.run")
    #expect(work.shards[0].subject(ofResultsOf: "run", kind: "result") == "WORK.results.run.result")
  }

  @Test func aJobHasTheSameShardInEachProcess() {
    // What other versions have stored remains where it is looked for.
    let shards = (1...12).map { JobID(run: "run", number: $0).shard(of: 4) }
    #expect(shards == [2, 0, 0, 2, 0, 1, 1, 0, 2, 1, 1, 1])
    #expect(JobID(run: "run", number: 1).shard(of: 1) == 0)
  }

  @Test(arguments: [2, 3, 4, 7, 64]) func jobsAreSpreadEvenly(shards: Int) {
    var counts = Array(repeating: 0, count: shards)
    for number in 1...(shards * 1_000) { counts[JobID(run: "A5", number: number).shard(of: shards)] += 1 }
    #expect(counts.allSatisfy { (850...1_150).contains($0) })
  }

  // MARK: Other numbers of shards

  @Test(arguments: [(1, 4), (4, 1), (2, 4), (4, 2)])
  func anotherNumberOfShardsIsAConflict(first: Int, second: Int) async throws {
    let fixture = try await WorkFixture { $0.shards = first }
    let before = try await streamNames(fixture.connection)
    #expect(before.count == 2 * first)
    var settings = fixture.work.settings
    settings.shards = second
    let error = await natsError {
      _ = try await NATSWork<Int, Int>(fixture.connection, "WORK", settings: settings)
    }
    #expect(error?.kind == .conflict)
    #expect(error?.message == "the work has \(first) shard\(first == 1 ? "" : "s"), and not \(second)")
    // And nothing has been made for it.
    #expect(try await streamNames(fixture.connection) == before)
  }

  @Test func otherSettingsOfTheStreamsAreAConflictOfTheirOwn() async throws {
    let fixture = try await WorkFixture { $0.shards = 2 }
    var settings = fixture.work.settings
    settings.storage = .memory
    let error = await natsError {
      _ = try await NATSWork<Int, Int>(fixture.connection, "WORK", settings: settings)
    }
    #expect(error?.kind == .conflict)
    #expect(error?.message.contains("shard") == false)
  }

  @Test(arguments: [-1, 0, 65]) func aNumberOfShardsOutOfRangeIsRefused(shards: Int) async throws {
    let fixture = try await WorkFixture()
    var settings = NATSWorkSettings()
    settings.shards = shards
    let error = await natsError {
      _ = try await NATSWork<Int, Int>(fixture.connection, "OTHER", settings: settings)
    }
    #expect(error?.kind == .misuse)
  }

  // MARK: Prefetch

  @Test func prefetchedJobsWaitAtTheWorkerAndStayThere() async throws {
    let fixture = try await WorkFixture { $0.acknowledgementWait = .seconds(3) }
    let (begun, goesOn, isInProgress) = (Signal(), Signal(), Signal())
    let settlements = try NATSSubject<Data>(fixture.connection, "$JS.ACK.WORK.workers.>", coding: .data)
    let cancellable = settlements.sink(receiveCompletion: { _ in }) {
      if String(decoding: $0, as: UTF8.self) == Settlement.inProgress.text { isInProgress.fire() }
    }
    try await settlements.flush()
    let attempts = Attempts()
    let elsewhere = try await fixture.elsewhere()
    let worker = Task {
      try await elsewhere.work(concurrency: 2, prefetch: 3) {
        attempts.add($0)
        begun.fire()
        await goesOn.wait()
        return $0
      }
    }
    let results = fixture.results(of: 0..<10)
    await begun.wait(2)
    while try await counts(fixture.work).fetched < 5 { await Task.yield() }
    // After these, the wait for an acknowledgement is over, but for them: five jobs, three times in each.
    await isInProgress.wait(5 * 5)
    #expect(try await counts(fixture.work).fetched == 5)
    #expect(attempts.total == 2)
    goesOn.fire()
    #expect(try await results.value.sorted() == Array(0..<10))
    worker.cancel()
    try await worker.value
    cancellable.cancel()
  }

  @Test(arguments: [false, true]) func prefetchedJobsReachAnotherWorkerAtOnce(isCancelled: Bool) async throws {
    let fixture = try await WorkFixture {
      $0.acknowledgementWait = .seconds(3_600)
      $0.shards = 2
    }
    let (begun, goesOn, stop) = (Signal(), Signal(), PassthroughSubject<Void, Never>())
    let elsewhere = try await fixture.elsewhere()
    let first = Task {
      try await elsewhere.work(concurrency: 1, prefetch: 8, until: stop) {
        begun.fire()
        await goesOn.wait()
        return $0
      }
    }
    let results = fixture.results(of: 0..<9)
    await begun.wait()
    while try await counts(fixture.work).fetched < 9 { await Task.yield() }
    if isCancelled { first.cancel() } else { stop.send() }
    goesOn.fire()
    try await first.value
    #expect(begun.count == 1)
    let second = try await fixture.worker { $0 }
    #expect(try await results.value.sorted() == Array(0..<9))
    second.cancel()
    try await second.value
  }
}
