import AsyncOperators
import Foundation
import Interflow

/// Search as you type: each line of the standard input is what the search field holds now. Searching waits until the
/// typing pauses, and the results of newer text replace those of older text.
///
///     printf 'd\nde\ndemand\n' | swift run Search ../../README.md
@main
enum Search {
  static func main() async {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(Data("Usage: Search FILE, with searches as lines of the standard input\n".utf8))
      exit(2)
    }
    let path = CommandLine.arguments[1]
    do {
      let lines = try await URL(filePath: path).lines.collect()

      let results = FileHandle.standardInput.bytes.lines
        .debounce(for: .milliseconds(300))
        .removeDuplicates()
        .flatMapLatest { text in Matches(text: text, lines: lines) }

      for try await result in results { print(result) }
    } catch {
      FileHandle.standardError.write(Data("Search: \(path): \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }
}

/// The first lines that contain a text.
struct Matches: AsyncSequence {
  let text: String
  let lines: [String]

  func makeAsyncIterator() -> AsyncStream<String>.Iterator {
    let matches = lines.lazy.filter { $0.localizedCaseInsensitiveContains(text) }
    let stream = AsyncStream { continuation in
      continuation.yield("\(text): \(matches.count) lines")
      for match in matches.prefix(3) { continuation.yield("  \(match.prefix(80))") }
      continuation.finish()
    }
    return stream.makeAsyncIterator()
  }
}
