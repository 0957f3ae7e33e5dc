import Combine
import Foundation
import Interflow

/// A chat room in one process: whatever is written to the standard input reaches every member, in order. The room is a
/// channel, so it is as slow as its slowest member, and nothing piles up.
///
///     printf 'hello\nbye\n' | swift run Chat anna berta
@main
enum Chat {
  static func main() async throws {
    let names = CommandLine.arguments.dropFirst()
    guard !names.isEmpty else {
      FileHandle.standardError.write(Data("Usage: Chat NAME…, with messages as lines of the standard input\n".utf8))
      exit(2)
    }
    let room = AsyncChannel<String, Never>()

    // Each member takes one message at a time, and is in the room from here on.
    let members = names.map { name in
      room
        .task(maxPublishers: .max(1)) { message in print("\(name) reads: \(message)") }
        .count()
        .map { "\(name) leaves after \($0) messages" }
        .asyncStream()
    }

    for try await line in FileHandle.standardInput.bytes.lines {
      // Returns when every member has taken the message.
      try await room.send(line)
    }
    room.send(completion: .finished)

    for member in members {
      for await farewell in member { print(farewell) }
    }
  }
}
