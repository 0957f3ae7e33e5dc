import CNATS
import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// What holds where a server has forgotten the numbers of jobs.
@Suite struct DistributedRunTests {
  private let workers = NATSWork<Int, Int>.workers

  /// What has been delivered to workers, and what the stream of jobs has counted.
  private func numbers(of work: NATSWork<Int, Int>) throws -> (delivered: UInt64, last: UInt64) {
    let context = work.connection.context
    var consumer: UnsafeMutablePointer<jsConsumerInfo>?
    let status = js_GetConsumerInfo(&consumer, context.pointer, work.jobs.name, workers, nil, nil)
    try NATSError.check(status, while: "a test")
    defer { jsConsumerInfo_Destroy(consumer) }
    let last = try context.stream(work.jobs.name, while: "a test") { state, _ in state.State.LastSeq }.get()
    return (try #require(consumer).pointee.Delivered.Stream, last)
  }

  @Test func jobsAreSentWhenTheWorkersDurableHasBeenChecked() async throws {
    for _ in 0..<10 {
      let fixture = try await WorkFixture()
      let process = try await forgetful(fixture)
      let before = try numbers(of: process)
      #expect(before.last == 0)
      // A server may have forgotten the durable's numbers, too: then there is nothing to show.
      if before.delivered != 3 { continue }
      let results = Task {
        var results: [Int] = []
        for try await result in (0..<64).publisher.distribute(over: process).values { results.append(result) }
        return results
      }
      while try await process.jobs.state().messageCount < 64 { await Task.yield() }
      let second = try await fixture.worker { $0 }
      #expect(try await results.value.sorted() == Array(0..<64))
      second.cancel()
      return
    }
    Issue.record("ten servers have forgotten the numbers of a durable")
  }

  /// Three jobs are done, and the server forgets them.
  private func forgetful(_ fixture: WorkFixture) async throws -> NATSWork<Int, Int> {
    let first = try await fixture.worker { $0 }
    #expect(try await fixture.results(of: 0..<3).value.sorted() == [0, 1, 2])
    first.cancel()
    _ = await first.result
    try await fixture.nothingIsHeld()
    fixture.server.shutDown()
    try fixture.server.forgetMessages(of: "WORK")
    try fixture.server.restart()
    return try await fixture.elsewhere()
  }

  @Test func numbersThatBeginAgainAreNoticedByTheNextJob() async throws {
    let fixture = try await WorkFixture()
    let numbers = PassthroughSubject<Int, Never>()
    let results = Shared<Set<Int>>([])
    let cancellable = numbers.distribute(over: fixture.work, maxJobs: 64)
      .sink(receiveCompletion: { _ in }) { result in results.update { _ = $0.insert(result) } }
    let first = try await fixture.worker(concurrency: 8) { $0 }
    for number in 0..<20 { numbers.send(number) }
    await until { results.value.count == 20 }
    first.cancel()
    _ = await first.result
    try await fixture.work.jobs.delete()
    let again = try await fixture.elsewhere()
    let consumer = try PullConsumer(
      again.connection, stream: "WORK", durable: workers, settings: again.settings.worker)
    #expect(try await again.connection.queue.run { .success(consumer.create()) } == nil)
    for number in 20..<50 { numbers.send(number) }
    while await natsError({ _ = try await again.jobs.state(ofConsumer: workers) }) == nil { await Task.yield() }
    let second = try await fixture.worker { $0 }
    await until { results.value == Set(0..<50) }
    second.cancel()
    cancellable.cancel()
  }

  @Test func jobsOfARunThatEndsDuringAnInterruptionAreRemoved() async throws {
    let fixture = try await InterruptibleWork()
    defer { fixture.proxy.close() }
    let cancellable = (0..<10).publisher.distribute(over: fixture.work).sink(receiveCompletion: { _ in }) { _ in }
    while try await fixture.elsewhere.jobs.state().messageCount < 10 { await Task.yield() }
    fixture.proxy.cut()
    cancellable.cancel()
    fixture.proxy.restore()
    while try await fixture.elsewhere.jobs.state().messageCount > 0 { await Task.yield() }
    await fixture.work.connection.close()
  }

  @Test func theDurableOfResultsIsRecreatedAfterAnInterruption() async throws {
    let fixture = try await InterruptibleWork()
    defer { fixture.proxy.close() }
    let numbers = PassthroughSubject<Int, Never>()
    let results = Shared<[Int]>([])
    let cancellable = numbers.distribute(over: fixture.work)
      .sink(receiveCompletion: { _ in }) { result in results.update { $0.append(result) } }
    let worker = Task { [elsewhere = fixture.elsewhere] in try await elsewhere.work { $0 } }
    for round in 0..<5 {
      for number in round * 10..<(round + 1) * 10 { numbers.send(number) }
      fixture.proxy.cut()
      fixture.proxy.restore()
      await until { results.value.count == (round + 1) * 10 }
    }
    #expect(results.value.sorted() == Array(0..<50))
    #expect(try await fixture.elsewhere.results.state().consumerCount == 1)
    cancellable.cancel()
    while try await fixture.elsewhere.results.state().consumerCount > 0 { await Task.yield() }
    worker.cancel()
  }
}

/// A work whose connection can be interrupted, and the same work of another process.
private struct InterruptibleWork {
  let proxy: TCPProxy
  let work: NATSWork<Int, Int>
  let elsewhere: NATSWork<Int, Int>
  private let server: NATSServer

  init() async throws {
    server = try NATSServer()
    proxy = try TCPProxy(to: server.port)
    work = try await NATSWork(NATSConnection(urls: [proxy.url], options: .reconnecting), "WORK")
    elsewhere = try await NATSWork(NATSConnection(urls: [server.url], options: .patient), "WORK")
  }
}
