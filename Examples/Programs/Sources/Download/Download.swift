import AsyncOperators
import Combine
import Foundation
import Interflow

/// Downloads with limits: at most two at a time, and at most five begin each second. The results come in the
/// order of the addresses, whichever is ready first.
///
///     swift run Download https://swift.org https://example.org
@main
enum Download {
  static func main() async {
    let addresses = CommandLine.arguments.dropFirst().compactMap(URL.init(string:))
    guard !addresses.isEmpty else {
      FileHandle.standardError.write(Data("Usage: Download URL…\n".utf8))
      exit(2)
    }

    // A tick is needed for each address, so their rate is that of the ticks.
    let paced = zip(addresses.async, AsyncTimerSequence.repeating(every: .milliseconds(200)))

    let results = paced.publisher
      .concurrentMap(maxTasks: 2) { address, _ in
        do {
          let (data, response) = try await URLSession.shared.data(from: address)
          return "\(address): \((response as? HTTPURLResponse)?.statusCode ?? 0), \(data.count) bytes"
        } catch {
          return "\(address): \(error.localizedDescription)"
        }
      }

    for await result in results.asyncValues { print(result) }
  }
}
