import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSWorkTests {
  @Test func runsNoMoreClosuresThanPermitted() async throws {
    let fixture = try await WorkFixture()
    let (running, most) = (Shared(0), Shared(0))
    let worker = try await fixture.worker(concurrency: 3) { value in
      let now = running.update {
        $0 += 1
        return $0
      }
      most.update { most in most = max(most, now) }
      for _ in 0..<20 { await Task.yield() }
      running.update { $0 -= 1 }
      return value
    }
    #expect(await collect((0..<100).publisher.distribute(over: fixture.work).values).values.count == 100)
    #expect((1...3).contains(most.value))
    worker.cancel()
    try await worker.value
  }

  @Test func fetchesNoMoreJobsThanItRuns() async throws {
    let fixture = try await WorkFixture()
    let (begun, goesOn) = (Signal(), Signal())
    let worker = try await fixture.worker(concurrency: 2) {
      begun.fire()
      await goesOn.wait()
      return $0
    }
    let results = fixture.results(of: 0..<10)
    await begun.wait(2)
    while try await fixture.work.jobs.state().messageCount < 10 { await Task.yield() }
    let state = try await fixture.work.jobs.state(ofConsumer: "workers")
    #expect(state.unacknowledgedCount == 2)
    #expect(state.undeliveredCount == 8)
    goesOn.fire()
    let received = try await results.value
    #expect(received.sorted() == Array(0..<10))
    worker.cancel()
    try await worker.value
  }

  @Test func tellsTheServerThatAJobIsInProgress() async throws {
    let fixture = try await WorkFixture { $0.acknowledgementWait = .milliseconds(600) }
    // What the workers tell the server about their jobs.
    let told = Shared<[String]>([])
    let (isInProgress, goesOn) = (Signal(), Signal())
    let settlements = try NATSSubject<Data>(fixture.connection, "$JS.ACK.WORK.workers.>", coding: .data)
    let cancellable = settlements.sink(receiveCompletion: { _ in }) {
      let text = String(decoding: $0, as: UTF8.self)
      told.update { $0.append(text) }
      if text == Settlement.inProgress.text { isInProgress.fire() }
    }
    try await settlements.flush()
    let worker = try await fixture.worker {
      await goesOn.wait()
      return $0
    }
    let results = fixture.results(of: 0..<1)
    // After these, the wait for an acknowledgement is over, but for them.
    await isInProgress.wait(4)
    #expect(Set(told.value) == [Settlement.inProgress.text])
    goesOn.fire()
    #expect(try await results.value == [0])
    worker.cancel()
    try await worker.value
    cancellable.cancel()
  }

  @Test func aWorkerThatIsToStopFinishesWhatItHasBegun() async throws {
    let fixture = try await WorkFixture { $0.acknowledgementWait = .seconds(3_600) }
    let (begun, goesOn, stop) = (Signal(), Signal(), PassthroughSubject<Void, Never>())
    let attempts = Attempts()
    let elsewhere = try await fixture.elsewhere()
    let stopping = Task {
      try await elsewhere.work(concurrency: 2, until: stop) {
        attempts.add($0)
        begun.fire()
        await goesOn.wait()
        // The task is not cancelled.
        try Task.checkCancellation()
        return $0
      }
    }
    let results = fixture.results(of: 0..<10)
    await begun.wait(2)
    stop.send()
    goesOn.fire()
    try await stopping.value
    #expect(attempts.total == 2)
    // Its results are stored, and what it has not begun reaches another worker at once.
    let worker = try await fixture.worker {
      attempts.add($0)
      return $0
    }
    #expect(try await results.value.sorted() == Array(0..<10))
    #expect((0..<10).allSatisfy { attempts.count(of: $0) == 1 })
    worker.cancel()
    try await worker.value
  }

  @Test func aWorkerThatIsToStopAndCannotStoreAResultFails() async throws {
    let fixture = try await WorkFixture()
    let (begun, goesOn, stop) = (Signal(), Signal(), PassthroughSubject<Void, Never>())
    let elsewhere = try await fixture.elsewhere()
    let stopping = Task {
      try await elsewhere.work(until: stop) {
        begun.fire()
        await goesOn.wait()
        return $0
      }
    }
    let results = fixture.results(of: 0..<1)
    await begun.wait()
    stop.send()
    await elsewhere.connection.close()
    goesOn.fire()
    #expect(await natsError { try await stopping.value }?.kind == .closed)
    results.cancel()
  }

  @Test func aWorkerThatHasToStopBeforeItBeginsTakesNoJob() async throws {
    let fixture = try await WorkFixture()
    let results = fixture.results(of: 0..<3)
    while try await fixture.work.jobs.state().messageCount < 3 { await Task.yield() }
    try await fixture.elsewhere().work(until: Just(())) { number in
      Issue.record("job \(number) has begun")
      return number
    }
    let worker = try await fixture.worker { $0 }
    #expect(try await results.value.sorted() == [0, 1, 2])
    worker.cancel()
    try await worker.value
  }

  @Test func aCancelledWorkersJobReachesAnotherAtOnce() async throws {
    let fixture = try await WorkFixture { $0.acknowledgementWait = .seconds(3_600) }
    let (begun, ended) = (Signal(), Signal())
    let first = try await fixture.worker(concurrency: 2) {
      begun.fire()
      try? await Task.sleep(for: .seconds(3_600))
      ended.fire()
      return $0
    }
    let results = fixture.results(of: 0..<2)
    await begun.wait(2)
    first.cancel()
    try await first.value
    // It has waited for its closures.
    #expect(ended.count == 2)
    let second = try await fixture.worker { $0 + 10 }
    let received = try await results.value
    #expect(received.sorted() == [10, 11])
    second.cancel()
    try await second.value
  }

  @Test func theEndOfTheConnectionEndsTheWork() async throws {
    let fixture = try await WorkFixture()
    let other = try await fixture.elsewhere()
    let worker = Task { try await other.work { $0 } }
    #expect(await collect(Just(1).distribute(over: fixture.work).values).values == [1])
    await other.connection.close()
    let error = await natsError { try await worker.value }
    #expect(error?.kind == .closed)
  }

  @Test func workersGoOnWithANewDurable() async throws {
    let fixture = try await WorkFixture()
    let worker = try await fixture.worker { $0 }
    #expect(try await fixture.results(of: 0..<10).value.sorted() == Array(0..<10))
    try await fixture.work.jobs.deleteConsumer("workers")
    #expect(try await fixture.results(of: 10..<20).value.sorted() == Array(10..<20))
    worker.cancel()
    try await worker.value
  }

  @Test func theEndOfTheJobsEndsTheWork() async throws {
    let fixture = try await WorkFixture()
    let worker = try await fixture.worker { $0 }
    #expect(try await fixture.results(of: 0..<1).value == [0])
    try await fixture.work.jobs.delete()
    let error = await natsError { try await worker.value }
    #expect(error?.kind == .notFound)
  }

  @Test func otherSettingsAreAConflict() async throws {
    let fixture = try await WorkFixture()
    var settings = fixture.work.settings
    settings.storage = .memory
    let error = await natsError {
      _ = try await NATSWork<Int, Int>(fixture.connection, "WORK", settings: settings)
    }
    #expect(error?.kind == .conflict)
  }

  @Test func aNameWithADotIsRefused() async throws {
    let fixture = try await WorkFixture()
    let error = await natsError { _ = try await NATSWork<Int, Int>(fixture.connection, "WORK.1") }
    #expect(error?.kind == .misuse)
  }
}
