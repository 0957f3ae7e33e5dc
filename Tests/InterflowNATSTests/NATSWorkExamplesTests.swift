import Combine
import Foundation
import InterflowNATS
import InterflowTestSupport
import Testing

private func size(of name: String) async throws -> Int { name.count }

/// The examples of the documentation of work, as written there.
// swift-format-ignore
@Suite(.timeLimit(.minutes(60))) struct NATSWorkExamplesTests {
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
    let (here, there) = (try await NATSConnection(urls: [server.url]), try await NATSConnection(urls: [server.url]))
    let working = Task { try await work(there) }
    let cancellable = try await distribute(here)
    await until { print.lines.count == 3 }
    #expect(print.lines.sorted() == ["1", "2", "finished"])
    cancellable.cancel()
    await there.close()
    await #expect(throws: NATSError.self) { try await working.value }
  }

  @Test func aWorker() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url])
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
