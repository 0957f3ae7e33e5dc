import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport

/// A server with the connection of a process that distributes numbers.
struct WorkFixture {
  typealias Work = NATSWork<Int, Int>

  let server: NATSServer
  let connection: NATSConnection
  let work: Work

  /// - Parameters:
  ///   - program: The server's file; that of ``NATSServer/findProgram()`` if it is `nil`.
  ///   - configuration: Lines of its configuration file.
  init(
    options: NATSOptions = NATSOptions.patient, program: String? = nil, configuration: String = "",
    _ change: (inout NATSWorkSettings) -> Void = { _ in }
  ) async throws {
    var settings = NATSWorkSettings()
    change(&settings)
    server = try NATSServer(program: program, configuration: configuration)
    connection = try await NATSConnection(urls: [server.url], options: options)
    let connection = connection
    work = try await setUp { try await Work(connection, "WORK", settings: settings) }
  }

  /// The work as another process has it.
  func elsewhere() async throws -> Work {
    try await Work(NATSConnection(urls: [server.url], options: .patient), "WORK", settings: work.settings)
  }

  /// Another process that works.
  func worker(
    concurrency: Int = 1, _ body: @escaping @Sendable (Int) async throws -> Int
  ) async throws -> Task<Void, any Error> {
    let work = try await elsewhere()
    return Task { try await work.work(concurrency: concurrency, body) }
  }

  /// The results, as they come.
  func results(of values: Range<Int>) -> Task<[Int], any Error> {
    let work = work
    return Task {
      var results: [Int] = []
      for try await result in values.publisher.distribute(over: work).values { results.append(result) }
      return results
    }
  }

  /// Has the durables of the only run take nothing for its results, which a failure of a cluster can bring about, too.
  func deliverNoResults() async throws {
    for shard in work.shards {
      while try await shard.results.state().consumerCount == 0 { await Task.yield() }
      var settings = NATSConsumerSettings()
      settings.inactiveThreshold = work.settings.resultAge
      settings.filter = shard.subject(ofResultsOf: "another")
      for durable in try shard.results.consumerNames() {
        try await shard.results.updateConsumer(durable, settings: settings)
      }
    }
  }

  /// What the servers hold: jobs, results, and consumers of results.
  func held() async throws -> [Int] {
    let (jobs, results) = (try await work.jobs.state(), try await work.results.state())
    return [jobs.messageCount, results.messageCount, results.consumerCount]
  }

  /// Waits until the servers hold no jobs, and nothing fetches results.
  func nothingIsHeld() async throws {
    while true {
      let held = try await held()
      if held[0] == 0, held[2] == 0 { return }
      await Task.yield()
    }
  }
}

extension NATSWork {
  /// The streams of the first shard, which are those of a work without others.
  var jobs: NATSStream<Data> { shards[0].jobs }
  var results: NATSStream<Data> { shards[0].results }
}

/// How often closures ran for each value.
final class Attempts: Sendable {
  private let counts = Shared<[Int: Int]>([:])

  /// - Returns: How often, with this time.
  @discardableResult
  func add(_ value: Int) -> Int {
    counts.update {
      $0[value, default: 0] += 1
      return $0[value]!
    }
  }

  func count(of value: Int) -> Int { counts.value[value] ?? 0 }
  var total: Int { counts.value.values.reduce(0, +) }
}
