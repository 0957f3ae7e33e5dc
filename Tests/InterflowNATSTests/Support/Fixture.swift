import Foundation
import InterflowNATS

/// A server with a connection and a stream of numbers.
struct Fixture {
  let server: NATSServer
  let connection: NATSConnection
  let stream: NATSStream<Int>

  init(_ settings: NATSStreamSettings = NATSStreamSettings(), options: NATSOptions = NATSOptions()) async throws {
    server = try NATSServer()
    connection = try await NATSConnection(urls: [server.url], options: options)
    stream = try await NATSStream(connection, "NUMBERS", subjects: ["numbers", "numbers.>"], settings: settings)
  }

  func send(_ values: some Sequence<Int>) async throws {
    for value in values { try await stream.send(value) }
  }
}

/// The error that a closure throws.
func natsError(_ body: () async throws -> Void) async -> NATSError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? NATSError
  }
}
