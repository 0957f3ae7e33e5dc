import Combine
import Foundation
import InterflowNATS

/// A process that uses NATS until it is killed, for tests. It writes numbers on standard output, each as a line.
///
/// `NATSProcess consume URL STREAM DURABLE` writes each number of a stream that it has received,
/// `NATSProcess work URL NAME REPLICAS` each job that it begins, and `NATSProcess distribute URL NAME COUNT` each result.
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
      let stream = try await NATSStream<Int>(connection, existing: arguments[2])
      var settings = NATSConsumerSettings()
      settings.acknowledgementWait = .seconds(1)
      for try await number in stream.values(durable: arguments[3], settings: settings, prefetch: 16) { report(number) }
    case ("work", 4):
      try await work(connection, arguments[2], replicas: Int(arguments[3]) ?? 1).work(concurrency: 4) { number in
        report(number)
        return number
      }
    case ("distribute", 4):
      let numbers = 0..<(Int(arguments[3]) ?? 0)
      for try await number in numbers.publisher.distribute(over: try await work(connection, arguments[2])).values {
        report(number)
      }
    default: exit(2)
    }
  }

  private static func work(
    _ connection: NATSConnection, _ name: String, replicas: Int = 1
  ) async throws -> NATSWork<Int, Int> {
    try await answered {
      var settings = NATSWorkSettings()
      settings.replicas = replicas
      settings.acknowledgementWait = .seconds(1)
      settings.maxDeliveries = 100
      return try await NATSWork(connection, name, settings: settings)
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
