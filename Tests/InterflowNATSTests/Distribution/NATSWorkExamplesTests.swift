import Combine
import Foundation
import InterflowNATS
import InterflowTestSupport
import Testing

private func size(of name: String) async throws -> Int { name.count }

/// The examples of the documentation of work, as written there.
// swift-format-ignore
@Suite struct NATSWorkExamplesTests {
  private let print = ExampleOutput()
  private let names = ["a", "bc"]

  private func work(_ connection: NATSConnection) async throws {
    let work = try await NATSWork<String, Int>(connection, "SIZES")
    try await work.work(concurrency: 4) { name in try await size(of: name) }
  }

  private func distribute(_ connection: NATSConnection) async throws -> AnyCancellable {
    let work = try await NATSWork<String, Int>(connection, "SIZES")
    let cancellable = names.publisher
      .distribute(over: work, maxJobs: 16)
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    return cancellable
  }

  @Test func twoProcesses() async throws {
    let server = try NATSServer()
    let (here, there) = (try await NATSConnection(urls: [server.url], options: .patient), try await NATSConnection(urls: [server.url], options: .patient))
    let working = Task { try await work(there) }
    let cancellable = try await distribute(here)
    await until { print.lines.count == 3 }
    #expect(print.lines.sorted() == ["1", "2", "finished"])
    cancellable.cancel()
    await there.close()
    await #expect(throws: NATSError.self) { try await working.value }
  }

  @Test func aWorkerThatStops() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let work = try await NATSWork<String, Int>(connection, "SIZES")
    let stop = CurrentValueSubject<Bool, Never>(false)
    let worker = Task {
      try await work.work(concurrency: 4, until: stop.filter { $0 }.map { _ in }) { name in try await size(of: name) }
    }
    let cancellable = try await distribute(connection)
    await until { print.lines.count == 3 }
    stop.send(true)
    try await worker.value
    cancellable.cancel()
  }

  @Test func aWorkerThatPrefetches() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let working = Task {
      let work = try await NATSWork<String, Int>(connection, "SIZES")
      try await work.work(concurrency: 4, prefetch: 64) { name in try await size(of: name) }
    }
    let cancellable = try await distribute(connection)
    await until { print.lines.count == 3 }
    cancellable.cancel()
    working.cancel()
    try await working.value
  }

  @Test func workWithShards() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    var settings = NATSWorkSettings()
    settings.shards = 4
    let work = try await NATSWork<String, Int>(connection, "SIZES", settings: settings)
    #expect(work.settings.shards == 4)
  }

  @Test func aWorker() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let work = try await NATSWork<String, Int>(connection, "SIZES")
    let worker = Task {
      try await work.work(concurrency: 4) { name in try await size(of: name) }
    }
    let cancellable = try await distribute(connection)
    await until { print.lines.count == 3 }
    cancellable.cancel()
    worker.cancel()
    try await worker.value
  }
}
