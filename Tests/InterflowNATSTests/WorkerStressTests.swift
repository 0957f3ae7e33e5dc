import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// Many workers in processes of their own, which come and go.
@Suite(.serialized) struct WorkerStressTests {
  /// How many worker processes there are at a time: a hundred with the counts of `make long`.
  private static let workerCount = min(100, 6 + (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 100)
  /// How many jobs there are: half a million with those counts.
  private static let jobCount = 3_000 + (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) * 50
  /// How many for the test of memory: a million with those counts.
  private static let memoryJobCount =
    (measuresMemory ? 40_000 : 4_000) + (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) * 100

  /// Sanitizers hold memory that was released, and more the longer a process runs.
  private static let measuresMemory =
    !hasThreadSanitizer && ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil

  private let isLong = environmentNumber("INTERFLOW_STRESS_RUNS") != nil

  private func worker(
    _ fixture: WorkFixture, shards: Int, concurrency: Int, prefetch: Int
  ) throws -> ChildProcess {
    try ChildProcess(
      built: "NATSProcess", "work", fixture.server.url, "WORK", "1", "\(shards)", "\(concurrency)", "\(prefetch)")
  }

  /// Reads what a process writes: it would wait for that.
  private func readsAll(_ process: ChildProcess) -> ChildProcess {
    let numbers = process.numbers()
    Task { for await _ in numbers {} }
    return process
  }

  private func fixture(shards: Int, program: String?) async throws -> WorkFixture {
    try await WorkFixture(options: .reconnecting, program: program) {
      // Those of the processes, too.
      $0.acknowledgementWait = .seconds(1)
      $0.maxDeliveries = 100
      $0.shards = shards
    }
  }

  @Test(arguments: NATSServer.programs)
  func eachJobHasOneResultWhileWorkersJoinAndLeave(program: String?) async throws {
    let shards = 4
    let fixture = try await fixture(shards: shards, program: program)
    func another() throws -> ChildProcess {
      readsAll(
        try worker(fixture, shards: shards, concurrency: .random(in: 1...6), prefetch: [0, 0, 4].randomElement()!))
    }
    var workers = try (0..<Self.workerCount).map { _ in try another() }
    let (received, completed) = (Signal(), Signal())
    let results = RecordingSubscriber<Int, any Error>()
    results.onValue = { _ in received.fire() }
    results.onCompletion = {
      if case .failure(let error) = $0 { Issue.record("the publisher has failed: \(error)") }
      completed.fire()
    }
    (0..<Self.jobCount).publisher.distribute(over: fixture.work, maxJobs: 256).subscribe(results)
    // One leaves, and another one joins, each time so many results have come.
    let interval = max(1, Self.jobCount / 40)
    for count in stride(from: interval, to: Self.jobCount, by: interval) {
      await received.wait(count)
      let index = Int.random(in: workers.indices)
      // Without a word, or when it has finished what it has begun.
      if Bool.random() { workers[index].kill() } else { workers[index].kill(SIGTERM) }
      workers[index] = try another()
    }
    await completed.wait()
    #expect(results.values.sorted() == Array(0..<Self.jobCount))
    for worker in workers { #expect(worker.isRunning) }
    // Nothing is left behind but what workers that were killed have not said.
    for shard in fixture.work.shards {
      while try await shard.jobs.state().messageCount > 0 { await Task.yield() }
      while try await shard.results.state().consumerCount > 0 { await Task.yield() }
    }
  }

  @Test func fourWorkersHaveTheSameShare() async throws {
    let fixture = try await fixture(shards: 1, program: NATSServer.currentProgram)
    let workers = try (0..<4).map { _ in
      try worker(fixture, shards: 1, concurrency: 2, prefetch: 0)
    }
    let counts = Shared(Array(repeating: 0, count: 4))
    let begun = Signal()
    let reading = workers.enumerated().map { index, worker in
      Task {
        for await _ in worker.numbers() {
          if counts.update({ counts in
            counts[index] += 1
            return counts[index] == 1
          }) {
            begun.fire()
          }
        }
      }
    }
    // Until all work, the jobs do not count.
    let (values, isOver) = (PassthroughSubject<Int, Never>(), Signal())
    let results = RecordingSubscriber<Int, any Error>()
    let received = Signal()
    results.onValue = { _ in received.fire() }
    results.onCompletion = { _ in isOver.fire() }
    values.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest)
      .distribute(over: fixture.work, maxJobs: 64).subscribe(results)
    var sent = 0
    func send(_ count: Int) {
      for _ in 0..<count { values.send(sent); sent += 1 }
    }
    while begun.count < 4 {
      send(16)
      await received.wait(sent)
    }
    let before = counts.value
    send(4_000)
    await received.wait(sent)
    await until { counts.value.reduce(0, +) >= sent }
    let shares = zip(counts.value, before).map { $0 - $1 }
    #expect(shares.allSatisfy { $0 > 0 }, "\(shares)")
    // The processors may be busy with other tests, one worker's more than another's.
    if isLong { #expect(shares.max()! - shares.min()! <= shares.max()! * 15 / 100, "\(shares)") }
    values.send(completion: .finished)
    await isOver.wait()
    for worker in workers { worker.kill() }
    for task in reading { await task.value }
  }

  /// How many bytes a process has allocated and used. The kernel counts them when it is asked for this file, in contrast to others.
  private func memory(of process: ChildProcess) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.identifier)/smaps_rollup", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1_024
  }

  @Test func memoryDoesNotGrowWithTheNumberOfJobs() async throws {
    let fixture = try await fixture(shards: 4, program: NATSServer.currentProgram)
    let worker = readsAll(try worker(fixture, shards: 4, concurrency: 16, prefetch: 64))
    let distributing = try ChildProcess(
      built: "NATSProcess", "distribute", fixture.server.url, "WORK", "\(Self.memoryJobCount)", "4", "512")
    // In intervals after the first fifth.
    let interval = Self.memoryJobCount / 10
    var (count, sum) = (0, 0)
    var sizes: (worker: [Int], distributing: [Int]) = ([], [])
    for await number in distributing.numbers() {
      count += 1
      sum += number
      // The process may end when the last numbers have not been read.
      if count.isMultiple(of: interval), count > interval, count <= 8 * interval {
        sizes.worker.append(try memory(of: worker))
        sizes.distributing.append(try memory(of: distributing))
      }
    }
    for sizes in [sizes.worker, sizes.distributing] where Self.measuresMemory {
      let growth = zip(sizes.dropFirst(), sizes).map { $0 - $1 }.sorted()
      // A job's value has 512 bytes. Of fewer jobs nothing smaller can be told from what is allocated now and then.
      #expect(growth.reduce(0, +) < 250 * interval * growth.count, "\(sizes)")
      // What is held for each job is held in each interval: its identifier alone has forty bytes. Other memory is allocated
      // in few of them.
      if isLong { #expect(growth[growth.count / 2] < 50 * interval, "\(sizes)") }
    }
    #expect(count == Self.memoryJobCount)
    #expect(sum == Self.memoryJobCount * (Self.memoryJobCount - 1) / 2)
    worker.kill()
  }
}
