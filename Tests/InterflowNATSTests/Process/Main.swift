import Combine
import Foundation
import InterflowNATS

/// A process that uses NATS until it is killed, for tests. It writes numbers on standard output, each as a line.
///
/// `NATSProcess consume URL STREAM DURABLE` writes each number of a stream that it has received,
/// `NATSProcess work URL NAME REPLICAS [SHARDS CONCURRENCY PREFETCH]` each job that it begins, and
/// `NATSProcess distribute URL NAME COUNT [SHARDS JOBS]` each result; `NATSProcess threads URL COUNT` how many threads it has
/// when so many consumers have received something. A worker ends on SIGTERM, after the jobs that it has
/// begun.
@main enum Main {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3 else { exit(2) }
    let connection = try await answered {
      var options = NATSOptions()
      options.reconnection = .always(pause: .milliseconds(10))
      options.requestTimeout = .milliseconds(500)
      return try await NATSConnection(urls: [arguments[1]], options: options)
    }
    switch (arguments[0], arguments.count) {
    case ("consume", 4):
      let stream = try await answered { try await NATSStream<Int>(connection, existing: arguments[2]) }
      var settings = NATSConsumerSettings()
      settings.acknowledgementWait = .seconds(1)
      for try await number in stream.values(durable: arguments[3], settings: settings, prefetch: 16) { report(number) }
    case ("work", 4...):
      let numbers = arguments.dropFirst(4).map { Int($0) ?? 1 }
      let work = try await work(
        connection, arguments[2], replicas: Int(arguments[3]) ?? 1, shards: numbers.first ?? 1)
      try await doJobs(
        of: work, concurrency: numbers.dropFirst().first ?? 4, prefetch: numbers.dropFirst(2).first ?? 0)
    case ("distribute", 4...):
      let numbers = arguments.dropFirst(3).map { Int($0) ?? 0 }
      let work = try await work(connection, arguments[2], shards: numbers.dropFirst().first ?? 1)
      let jobs = numbers.dropFirst(2).first ?? 64
      for try await number in (0..<numbers[0]).publisher.distribute(over: work, maxJobs: jobs).values {
        report(number)
      }
    case ("threads", 3): try await countThreads(connection, consumers: Int(arguments[2]) ?? 0)
    default: exit(2)
    }
  }

  private static func countThreads(_ connection: NATSConnection, consumers count: Int) async throws {
    var settings = NATSStreamSettings()
    settings.storage = .memory
    let stored = settings
    let stream = try await answered { try await NATSStream<Int>(connection, "NUMBERS", settings: stored) }
    try await stream.send(1, id: "one", retrying: .untilStored)
    let (arrivals, arrived) = AsyncStream.makeStream(of: Int.self)
    let consumers = (0..<count).map { number in
      stream.publisher(durable: "reader-\(number)")
        .sink(receiveCompletion: { _ in exit(3) }, receiveValue: { _ in arrived.yield(number) })
    }
    var received: Set<Int> = []
    for await number in arrivals {
      received.insert(number)
      if received.count == count { break }
    }
    report(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count)
    withExtendedLifetime(consumers) {}
  }

  private nonisolated static func doJobs(
    of work: NATSWork<Int, Int>, concurrency: Int, prefetch: Int
  ) async throws {
    let stop = CurrentValueSubject<Bool, Never>(false)
    signal(SIGTERM, SIG_IGN)
    let signals = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    signals.setEventHandler { stop.send(true) }
    signals.resume()
    defer { signals.cancel() }
    try await work.work(
      concurrency: concurrency, prefetch: prefetch, until: stop.filter { $0 }.map { _ in }
    ) { number in
      report(number)
      return number
    }
  }

  /// Numbers of a hundred bytes, which are JSON, too.
  private static let coding = NATSCoding<Int>(
    encode: { number in
      let digits = Array("\(number)".utf8)
      return Data(digits + Array(repeating: UInt8(ascii: " "), count: 100 - digits.count))
    },
    decode: { bytes in
      let digits = bytes.prefix { $0 != UInt8(ascii: " ") }
      guard let number = Int(String(decoding: digits, as: UTF8.self)) else { throw CancellationError() }
      return number
    })

  private static func work(
    _ connection: NATSConnection, _ name: String, replicas: Int = 1, shards: Int
  ) async throws -> NATSWork<Int, Int> {
    try await answered {
      var settings = NATSWorkSettings()
      settings.replicas = replicas
      settings.shards = shards
      settings.acknowledgementWait = .seconds(1)
      settings.maxDeliveries = 100
      return try await NATSWork(connection, name, settings: settings, input: coding, output: coding)
    }
  }

  private static let retried: [NATSError.Kind] = [
    .noServer, .timeout, .disconnected, .interrupted, .unavailable, .other,
  ]

  /// Tries again while there is no server: tests may kill it before this process has begun.
  private static func answered<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    while true {
      do {
        return try await body()
      } catch let error as NATSError where retried.contains(error.kind) {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  private static func report(_ number: Int) {
    // At once, whatever standard output is.
    let line = Array("\(number)\n".utf8)
    if write(STDOUT_FILENO, line, line.count) != line.count { exit(1) }
  }
}
