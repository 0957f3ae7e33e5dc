import AsyncOperators
import Foundation
import Interflow

/// Prints the lines that are appended to a file, until there have been as many as wanted.
///
///     swift run Tail /var/log/syslog 10
@main
enum Tail {
  static func main() async {
    guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]), count > 0 else {
      FileHandle.standardError.write(Data("Usage: Tail FILE COUNT\n".utf8))
      exit(2)
    }
    let path = CommandLine.arguments[1]
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      try file.seekToEnd()

      // Five times a second, the bytes that are new. A line is complete when its end has been written.
      let bytes = AsyncTimerSequence.repeating(every: .milliseconds(200))
        .map { _ in try file.readToEnd() ?? Data() }
        .flatMap { $0.async }

      for try await line in bytes.lines.prefix(count) { print(line) }
    } catch {
      FileHandle.standardError.write(Data("Tail: \(path): \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }
}
