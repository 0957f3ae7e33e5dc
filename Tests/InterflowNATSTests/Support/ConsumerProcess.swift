import Foundation

/// A process of its own that consumes a stream of numbers.
final class ConsumerProcess {
  /// The numbers that it has received, until it ends.
  let numbers: AsyncStream<Int>

  private let process = Process()

  init(_ arguments: String...) throws {
    let output = Pipe()
    let (numbers, continuation) = AsyncStream<Int>.makeStream()
    self.numbers = numbers
    // The build puts it beside the tests.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("StreamConsumer")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    // Reading blocks, so it has a thread.
    Thread.detachNewThread {
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
    }
  }

  deinit { kill() }

  /// Ends the process without giving it time for anything.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
