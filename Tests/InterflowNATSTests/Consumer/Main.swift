import Foundation
import InterflowNATS

/// A process that consumes a stream of numbers until it is killed, for tests. It reports each number that it has received,
/// as a line on standard output.
///
/// `StreamConsumer URL STREAM DURABLE`
@main enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { exit(2) }
    let connection = try await NATSConnection(urls: [arguments[1]])
    let stream = try await NATSStream<Int>(connection, existing: arguments[2])
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(1)
    for try await number in stream.values(durable: arguments[3], settings: settings, prefetch: 16) {
      // At once, whatever standard output is.
      let line = Array("\(number)\n".utf8)
      if write(STDOUT_FILENO, line, line.count) != line.count { exit(1) }
    }
  }
}
