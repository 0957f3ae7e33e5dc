import Foundation
import InterflowNATS
import InterflowTestSupport

/// A server with a connection and a stream of numbers.
struct Fixture {
  let server: NATSServer
  let connection: NATSConnection
  let stream: NATSStream<Int>

  /// - Parameter program: The server's file; that of ``NATSServer/findProgram()`` if it is `nil`.
  init(
    _ settings: NATSStreamSettings = NATSStreamSettings(), options: NATSOptions = .patient, program: String? = nil
  ) async throws {
    server = try NATSServer(program: program)
    connection = try await NATSConnection(urls: [server.url], options: options)
    let connection = connection
    stream = try await setUp {
      try await NATSStream(connection, "NUMBERS", subjects: ["numbers", "numbers.>"], settings: settings)
    }
  }

  func send(_ values: some Sequence<Int>) async throws {
    for value in values { try await stream.send(value) }
  }
}

extension NATSOptions {
  /// With time for a machine that is busy, or stands still for a while.
  static var patient: NATSOptions {
    var options = NATSOptions()
    options.connectTimeout = .seconds(30)
    options.requestTimeout = .seconds(30)
    return options
  }

  /// The same, restored soon after each interruption.
  static var reconnecting: NATSOptions {
    var options = NATSOptions.patient
    options.reconnection = .always(pause: .milliseconds(10))
    return options
  }
}

/// Sets something up within a short limit, for which a busy machine may need several attempts.
func setUp<Success>(_ body: () async throws -> Success) async throws -> Success {
  while true {
    do {
      return try await body()
    } catch let error as NATSError where error.kind == .timeout {
      continue
    }
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

/// A call makes a change visible while a subscriber blocks, and ends when its task is cancelled.
func expectVisible(
  _ call: @escaping @Sendable () async throws -> Void, _ isVisible: @escaping @Sendable () -> Bool
) async throws {
  let hasFailed = Shared(false)
  let task = Task {
    do { try await call() } catch {
      hasFailed.value = true
      throw error
    }
  }
  await until { isVisible() || hasFailed.value }
  task.cancel()
  try await task.value
}
