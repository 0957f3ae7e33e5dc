import Foundation
import InterflowTestSupport

/// A process of its own that changes a database.
final class WriterProcess: @unchecked Sendable {
  // `process` and `input` are used by the test alone, one call at a time.
  private let process = Process()
  private let input = Pipe()
  private let end = Signal()

  /// The numbers that it reports, until it ends.
  let reports: AsyncStream<Int>

  /// Starts the process.
  init(_ arguments: String...) throws {
    // Writing to a process that has ended is an error, and does not end the tests.
    signal(SIGPIPE, SIG_IGN)
    let output = Pipe()
    let (reports, continuation) = AsyncStream<Int>.makeStream()
    self.reports = reports
    // The build puts it beside the tests.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("DatabaseWriter")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.terminationHandler = { [end] _ in end.fire() }
    try process.run()
    // Reading blocks, so it has a thread.
    Thread {
      var rest = Data()
      while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        rest += data
        // What comes after the last line feed is a report that was cut off.
        while let lineFeed = rest.firstIndex(of: 0x0A) {
          if let number = Int(String(decoding: rest[..<lineFeed], as: UTF8.self)) { continuation.yield(number) }
          rest = Data(rest[(lineFeed + 1)...])
        }
      }
      continuation.finish()
    }.start()
  }

  /// Sends a number to a process that is commanded.
  func send(_ number: Int) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(number)\n".utf8))
  }

  /// Ends the process without giving it time for anything.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Lets a process that is commanded end by itself.
  func closeInput() throws { try input.fileHandleForWriting.close() }

  /// Waits for the end of the process.
  ///
  /// - Returns: Whether it was killed, and not ended by itself.
  func wasKilled() async -> Bool {
    await end.wait()
    return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
  }
}
