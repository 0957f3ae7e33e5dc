import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// What one job must not do to the workers.
@Suite struct OddJobsTests {
  private struct Long: Error, CustomStringConvertible {
    let description: String
  }

  /// The results of two jobs, of which the first throws; a worker that ends ends them.
  private func results(
    _ fixture: WorkFixture, throwing description: String
  ) async throws -> [Result<Int, NATSJobFailure>] {
    let (work, elsewhere) = (fixture.work, try await fixture.elsewhere())
    let results = Task { await collect((1...2).publisher.distributeResults(over: work, inOrder: true).values).values }
    let worker = Task {
      defer { results.cancel() }
      try await elsewhere.work {
        if $0 == 1 { throw Long(description: description) }
        return $0
      }
    }
    let received = await results.value
    worker.cancel()
    try await worker.value
    return received
  }

  @Test(arguments: ["*.1", "a b.1", String(repeating: "x", count: 3_600) + ".1"])
  func aJobOfNoRunIsRemoved(id: String) async throws {
    let fixture = try await WorkFixture()
    let work = fixture.work
    try await work.jobs.send(Data("1".utf8), id: id, to: work.shards[0].subject(ofJobsOf: "x"))
    let results = fixture.results(of: 0..<1)
    let elsewhere = try await fixture.elsewhere()
    let worker = Task {
      defer { results.cancel() }
      try await elsewhere.work { $0 }
    }
    #expect(try await results.value == [0])
    // Before the worker is cancelled, which may not have acknowledged the job yet.
    try await fixture.nothingIsHeld()
    worker.cancel()
    try await worker.value
  }

  @Test func aLongDescriptionOfAnErrorIsCut() async throws {
    let fixture = try await WorkFixture { $0.maxDeliveries = 1 }
    let results = try await results(fixture, throwing: String(repeating: "x", count: 2_000_000))
    let message = String(repeating: "x", count: 1_000)
    let failure = NATSJobFailure(reason: .threw, message: message, deliveryCount: 1)
    #expect(results == [.failure(failure), .success(2)])
  }

  @Test func aFailureThatIsTooLargeHasNoMessage() async throws {
    let fixture = try await WorkFixture(configuration: "max_payload: 3000") { $0.maxDeliveries = 1 }
    // Each is six bytes of JSON.
    let results = try await results(fixture, throwing: String(repeating: "\u{1}", count: 1_000))
    let failure = NATSJobFailure(reason: .threw, message: "", deliveryCount: 1)
    #expect(results == [.failure(failure), .success(2)])
  }

  @Test func aNewDurableCancelsNoClosure() async throws {
    let fixture = try await WorkFixture()
    let (begun, goesOn, isCancelled) = (Signal(), Signal(), Shared(false))
    let attempts = Attempts()
    let worker = try await fixture.worker(concurrency: 2) { value in
      guard value == 0, attempts.add(0) == 1 else { return value }
      begun.fire()
      await withTaskCancellationHandler {
        await goesOn.wait()
      } onCancel: {
        isCancelled.value = true
        goesOn.fire()
      }
      return value
    }
    let first = fixture.results(of: 0..<1)
    await begun.wait()
    try await fixture.work.jobs.deleteConsumer("workers")
    #expect(try await fixture.results(of: 1..<3).value.sorted() == [1, 2])
    #expect(!isCancelled.value)
    goesOn.fire()
    #expect(try await first.value == [0])
    worker.cancel()
    try await worker.value
  }
}
