import CNATS
import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

@Suite struct NATSDistributePublisherTests {
  private struct Broken: Error, Equatable {}

  private typealias Probe = RecordingSubscriber<Int, any Error>

  private func isCancelled(_ worker: Task<Void, any Error>) async throws {
    worker.cancel()
    try await worker.value
  }

  // MARK: Results

  @Test func deliversTheResultsOfSeveralWorkers() async throws {
    let fixture = try await WorkFixture()
    var workers: [Task<Void, any Error>] = []
    for _ in 0..<3 { workers.append(try await fixture.worker(concurrency: 4) { $0 * 2 }) }
    let (values, error) = await collect((0..<300).publisher.distribute(over: fixture.work, maxJobs: 32).values)
    #expect(error == nil)
    #expect(values.sorted() == (0..<300).map { $0 * 2 })
    try await fixture.nothingIsHeld()
    for worker in workers { try await isCancelled(worker) }
  }

  @Test func workersThatEndHalfWayLoseNothing() async throws {
    let fixture = try await WorkFixture { $0.acknowledgementWait = .seconds(1) }
    let (isCancelledHere, isCutHere) = (Signal(), Signal())
    // One has a job when it is cancelled, and one when its connection ends.
    let cancelled = try await fixture.worker {
      if $0 > 50 {
        isCancelledHere.fire()
        try await Task.sleep(for: .seconds(3_600))
      }
      return $0
    }
    let cut = try await fixture.elsewhere()
    let cutWorker = Task {
      try await cut.work {
        if $0 > 50 {
          isCutHere.fire()
          try await Task.sleep(for: .seconds(3_600))
        }
        return $0
      }
    }
    let received = Signal()
    let isCompleted = Signal()
    let probe = Probe()
    probe.onValue = { _ in received.fire() }
    probe.onCompletion = { _ in isCompleted.fire() }
    (0..<200).publisher.distribute(over: fixture.work, maxJobs: 16).subscribe(probe)
    await isCancelledHere.wait()
    await isCutHere.wait()
    try await isCancelled(cancelled)
    natsConnection_Close(cut.connection.handle.pointer)
    await #expect(throws: NATSError.self) { try await cutWorker.value }
    let survivor = try await fixture.worker(concurrency: 2) { $0 }
    await isCompleted.wait()
    #expect(probe.isFinished)
    #expect(probe.values.sorted() == Array(0..<200))
    try await isCancelled(survivor)
  }

  @Test func deliversInTheOrderOfTheValues() async throws {
    let fixture = try await WorkFixture()
    let others = Signal()
    let worker = try await fixture.worker(concurrency: 3) {
      // The first is done last.
      if $0 == 0 { await others.wait(2) } else { others.fire() }
      return $0
    }
    let values = (0..<3).publisher.distribute(over: fixture.work, maxJobs: 3, inOrder: true)
    #expect(await collect(values.values).values == [0, 1, 2])
    try await isCancelled(worker)
  }

  @Test func deliversAsTheResultsCome() async throws {
    let fixture = try await WorkFixture()
    let others = Signal()
    let worker = try await fixture.worker(concurrency: 3) {
      if $0 == 0 { await others.wait(2) }
      return $0
    }
    var received: [Int] = []
    for try await value in (0..<3).publisher.distribute(over: fixture.work, maxJobs: 3).values {
      received.append(value)
      others.fire()
    }
    #expect(received.last == 0)
    #expect(received.sorted() == [0, 1, 2])
    try await isCancelled(worker)
  }

  @Test func processesShareWorkers() async throws {
    let fixture = try await WorkFixture()
    let other = try await fixture.elsewhere()
    let worker = try await fixture.worker(concurrency: 2) { $0 + 1 }
    let results = fixture.results(of: 0..<100)
    let received = await collect((1_000..<1_100).publisher.distribute(over: other).values).values
    #expect(received.sorted() == Array(1_001...1_100))
    #expect(try await results.value.sorted() == Array(1...100))
    try await isCancelled(worker)
  }

  @Test func resultsWaitForWhoIsSlow() async throws {
    let fixture = try await WorkFixture()
    let attempts = Attempts()
    let worker = try await fixture.worker(concurrency: 4) {
      attempts.add($0)
      return $0
    }
    let received = Signal()
    let probe = Probe(initialDemand: .max(1))
    probe.onValue = { _ in received.fire() }
    (0..<100).publisher.distribute(over: fixture.work, maxJobs: 3).subscribe(probe)
    await received.wait()
    await until { attempts.total == 4 }
    #expect(probe.values.count == 1)
    probe.request(.max(2))
    await received.wait(3)
    await until { attempts.total == 6 }
    #expect(probe.values.count == 3)
    probe.cancel()
    try await fixture.nothingIsHeld()
    #expect(attempts.total == 6)
    try await isCancelled(worker)
  }

  @Test func nothingIsDistributedBeforeDemand() async throws {
    let fixture = try await WorkFixture()
    let probe = Probe(initialDemand: .none)
    (0..<10).publisher.distribute(over: fixture.work).subscribe(probe)
    #expect(try await fixture.held() == [0, 0, 0])
    probe.cancel()
  }

  // MARK: Failures

  @Test func aJobThatAlwaysFailsFailsThePublisher() async throws {
    let fixture = try await WorkFixture {
      $0.maxDeliveries = 3
      $0.retryPause = .milliseconds(10)
    }
    let attempts = Attempts()
    let worker = try await fixture.worker {
      attempts.add($0)
      throw Broken()
    }
    let (values, error) = await collect(Just(1).distribute(over: fixture.work).values)
    #expect(values.isEmpty)
    #expect(error as? NATSJobFailure == NATSJobFailure(reason: .threw, message: "Broken()", deliveryCount: 3))
    #expect(attempts.total == 3)
    try await fixture.nothingIsHeld()
    try await isCancelled(worker)
  }

  @Test func aJobThatFailsOnceIsTriedAgain() async throws {
    let fixture = try await WorkFixture { $0.retryPause = .milliseconds(10) }
    let attempts = Attempts()
    let worker = try await fixture.worker {
      if attempts.add($0) == 1 { throw Broken() }
      return $0
    }
    let (values, error) = await collect((0..<10).publisher.distribute(over: fixture.work).values)
    #expect(error == nil)
    #expect(values.sorted() == Array(0..<10))
    #expect(attempts.total == 20)
    try await isCancelled(worker)
  }

  @Test func failuresOfJobsCanBeValues() async throws {
    let fixture = try await WorkFixture { $0.maxDeliveries = 1 }
    let worker = try await fixture.worker {
      if $0 == 2 { throw Broken() }
      return $0
    }
    let (results, error) = await collect(
      (1...3).publisher.distributeResults(over: fixture.work, inOrder: true).values)
    #expect(error == nil)
    let failure = NATSJobFailure(reason: .threw, message: "Broken()", deliveryCount: 1)
    #expect(results == [.success(1), .failure(failure), .success(3)])
    try await isCancelled(worker)
  }

  @Test func aJobThatNobodyAnswersFails() async throws {
    let fixture = try await WorkFixture { $0.maxDeliveries = 2 }
    let isDelivered = Signal()
    let results = fixture.results(of: 1..<2)
    // Workers that end with the job.
    let lost = RecordingSubscriber<NATSMessage<Data>, NATSError>(initialDemand: .max(2))
    lost.onValue = { message in
      if message.deliveryCount == 2 { isDelivered.fire() } else { message.nak() }
    }
    fixture.work.jobs.messages(durable: "workers", settings: fixture.work.settings.worker).subscribe(lost)
    await isDelivered.wait()
    lost.cancel()
    lost.values.last?.nak()
    let worker = try await fixture.worker { $0 }
    let failure = await #expect(throws: NATSJobFailure.self) { try await results.value }
    #expect(failure?.reason == .unanswered)
    #expect(failure?.deliveryCount == 3)
    try await isCancelled(worker)
  }

  @Test func aJobOfAnotherTypeFails() async throws {
    let fixture = try await WorkFixture()
    let other = try await NATSWork<String, Int>(fixture.connection, "WORK", settings: fixture.work.settings)
    let worker = try await fixture.worker { $0 }
    let (_, error) = await collect(Just("one").distribute(over: other).values)
    #expect((error as? NATSJobFailure)?.reason == .undecodable)
    try await isCancelled(worker)
  }

  @Test(arguments: ["failure", "unheard"]) func anAnswerOfAnotherKindFailsThePublisher(kind: String) async throws {
    let fixture = try await WorkFixture()
    let work = fixture.work
    let results = fixture.results(of: 0..<1)
    var jobs = AsyncValues(work.jobs.messages(durable: NATSWork<Int, Int>.workers, settings: work.settings.worker))
      .makeAsyncIterator()
    let next = try await jobs.next()
    let job = try #require(next)
    let id = try #require(job.id.flatMap { JobID($0) })
    try await work.results.send(
      Data(#"{"reason":"new"}"#.utf8), id: id.text, to: work.shards[0].subject(ofResultsOf: id.run, kind: kind))
    job.ack()
    let error = await natsError { _ = try await results.value }
    #expect(error?.kind == .undecodable)
    #expect(error?.operation == "receiving a result of “WORK”")
  }

  @Test func aResultOfAnotherTypeFailsThePublisher() async throws {
    let fixture = try await WorkFixture()
    let other = try await NATSWork<Int, String>(fixture.connection, "WORK", settings: fixture.work.settings)
    let worker = try await fixture.worker { $0 }
    let (_, error) = await collect(Just(1).distribute(over: other).values)
    #expect((error as? NATSError)?.kind == .undecodable)
    try await isCancelled(worker)
  }

  @Test func aResultThatCannotBeEncodedFails() async throws {
    let fixture = try await WorkFixture()
    let work = try await NATSWork<Int, Double>(fixture.connection, "WORK", settings: fixture.work.settings)
    let worker = Task { try await work.work { _ in .infinity } }
    let (_, error) = await collect(Just(1).distribute(over: work).values)
    #expect((error as? NATSJobFailure)?.reason == .notStorable)
    try await isCancelled(worker)
  }

  @Test func aResultThatIsTooLargeFails() async throws {
    let fixture = try await WorkFixture()
    let work = try await NATSWork<Int, String>(fixture.connection, "WORK", settings: fixture.work.settings)
    let worker = Task { try await work.work { String(repeating: "x", count: $0) } }
    let (_, error) = await collect(Just(3_000_000).distribute(over: work).values)
    #expect((error as? NATSJobFailure)?.reason == .notStorable)
    try await isCancelled(worker)
  }

  @Test func upstreamsFailureEndsTheJobs() async throws {
    let fixture = try await WorkFixture()
    let values = (0..<5).publisher.setFailureType(to: Broken.self).append(Fail(error: Broken()))
    let (_, error) = await collect(values.distribute(over: fixture.work, maxJobs: 8).values)
    #expect(error as? Broken == Broken())
    try await fixture.nothingIsHeld()
  }

  @Test func theEndOfTheConnectionFailsThePublisher() async throws {
    let fixture = try await WorkFixture()
    let other = try await fixture.elsewhere()
    let isCompleted = Signal()
    let probe = Probe()
    probe.onCompletion = { _ in isCompleted.fire() }
    (0..<5).publisher.distribute(over: other).subscribe(probe)
    while try await fixture.held() != [5, 0, 1] { await Task.yield() }
    await other.connection.close()
    await isCompleted.wait()
    #expect((probe.error as? NATSError)?.kind == .closed)
  }

  @Test func anInterruptionThatIsLongerThanResultsAreHeldFailsThePublisher() async throws {
    let fixture = try await WorkFixture { $0.resultAge = .milliseconds(500) }
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let work = try await WorkFixture.Work(connection, "WORK", settings: fixture.work.settings)
    let isCompleted = Signal()
    let probe = Probe()
    probe.onCompletion = { _ in isCompleted.fire() }
    Just(1).distribute(over: work).subscribe(probe)
    // On a machine that is busy, the servers may find nobody there before.
    while isCompleted.count == 0, try await fixture.held() != [1, 0, 1] { await Task.yield() }
    let isInterrupted = Signal()
    let cancellable = connection.status.sink { if case .reconnecting = $0 { isInterrupted.fire() } }
    proxy.cut()
    await isInterrupted.wait()
    try await Task.sleep(for: fixture.work.settings.resultAge)
    while try await fixture.held()[2] > 0 { await Task.yield() }
    proxy.restore()
    await isCompleted.wait()
    let error = try #require(probe.error as? NATSError)
    #expect(error.kind == .notFound)
    #expect(error.description.hasPrefix("receiving results of “WORK”: "))
    #expect(error.description.contains("0.5 seconds"))
    try await fixture.nothingIsHeld()
    cancellable.cancel()
  }

  @Test func whatAProcessThatEndsLeavesBehindIsRemoved() async throws {
    let fixture = try await WorkFixture { $0.resultAge = .milliseconds(500) }
    let other = try await fixture.elsewhere()
    let probe = Probe()
    let isCompleted = Signal()
    probe.onCompletion = { _ in isCompleted.fire() }
    (0..<3).publisher.distribute(over: other).subscribe(probe)
    while isCompleted.count == 0, try await fixture.held() != [3, 0, 1] { await Task.yield() }
    // Without a word to the servers.
    natsConnection_Close(other.connection.handle.pointer)
    await isCompleted.wait()
    let worker = try await fixture.worker { $0 }
    try await fixture.nothingIsHeld()
    while try await fixture.held() != [0, 0, 0] { await Task.yield() }
    try await isCancelled(worker)
  }

  // MARK: Cancellation

  @Test func cancellationRemovesWhatNobodyHasBegun() async throws {
    let fixture = try await WorkFixture()
    let isCancelled = Signal()
    let probe = Probe()
    (0...).publisher.handleEvents(receiveCancel: { isCancelled.fire() })
      .distribute(over: fixture.work, maxJobs: 10).subscribe(probe)
    while try await fixture.held() != [10, 0, 1] { await Task.yield() }
    probe.cancel()
    await isCancelled.wait()
    try await fixture.nothingIsHeld()
    let attempts = Attempts()
    let worker = try await fixture.worker { attempts.add($0) }
    #expect(await collect(Just(100).distribute(over: fixture.work).values).values == [1])
    #expect(attempts.total == 1)
    #expect(probe.values.isEmpty && probe.completions == 0)
    try await self.isCancelled(worker)
  }

  /// The answers to requests that the server does not permit never come.
  @Test func jobsThatCannotBeLookedUpDelayNoOthers() async throws {
    var options = NATSOptions.patient
    options.credentials = .user("a", password: "a")
    options.requestTimeout = .seconds(3_600)
    let fixture = try await WorkFixture(
      options: options,
      configuration: """
        authorization: { users: [
          { user: a, password: a, permissions: { publish: { deny: "$JS.API.STREAM.MSG.GET.>" } } }
        ] }
        """)
    let probe = Probe()
    (0..<8).publisher.distribute(over: fixture.work).subscribe(probe)
    while try await fixture.held() != [8, 0, 1] { await Task.yield() }
    probe.cancel()
    try await fixture.nothingIsHeld()
    let work = fixture.work
    let worker = Task { try await work.work { $0 } }
    #expect(await collect(Just(100).distribute(over: work).values).values == [100])
    try await isCancelled(worker)
    await fixture.connection.close()
  }

  @Test func releasesEverythingAfterCancellation() async throws {
    let fixture = try await WorkFixture()
    weak var weakObject: AnyObject?
    do {
      let object = NSObject()
      weakObject = object
      let probe = Probe()
      (0..<3).publisher.map { [object] in object.isEqual(nil) ? 0 : $0 }
        .distribute(over: fixture.work).subscribe(probe)
      while try await fixture.held() != [3, 0, 1] { await Task.yield() }
      probe.cancel()
    }
    await until { weakObject == nil }
    try await fixture.nothingIsHeld()
  }
}
