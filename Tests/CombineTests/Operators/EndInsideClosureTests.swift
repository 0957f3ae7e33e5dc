import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// A program's closure, which an operator calls with a value, ends the stream: nothing follows that.
@Suite struct EndInsideClosureTests {
  private typealias Source = PassthroughSubject<Int, any Error>
  private typealias Operator = @Sendable (Source, @escaping () -> Void) -> AnyPublisher<Int, any Error>

  private static let operators: [(name: String, make: Operator)] = [
    (
      "tryMap",
      { source, end in
        source.tryMap {
          end(); return $0
        }.eraseToAnyPublisher()
      }
    ),
    (
      "tryScan",
      { source, end in
        source.tryScan(0) {
          end(); return $1
        }.eraseToAnyPublisher()
      }
    ),
    (
      "tryCompactMap",
      { source, end in
        source.tryCompactMap {
          end(); return $0
        }.eraseToAnyPublisher()
      }
    ),
    (
      "tryFilter",
      { source, end in
        source.tryFilter { _ in
          end(); return true
        }.eraseToAnyPublisher()
      }
    ),
    (
      "removeDuplicates",
      { source, end in
        source.prepend(7).removeDuplicates { _, _ in
          end(); return false
        }.eraseToAnyPublisher()
      }
    ),
    (
      "prefix(while:)",
      { source, end in
        source.prefix { _ in
          end(); return true
        }.eraseToAnyPublisher()
      }
    ),
    (
      "drop(while:)",
      { source, end in
        source.drop { _ in
          end(); return false
        }.eraseToAnyPublisher()
      }
    ),
    (
      "tryDrop(while:)",
      { source, end in
        source.tryDrop { _ in
          end(); return false
        }.eraseToAnyPublisher()
      }
    ),
    (
      "handleEvents", { source, end in source.handleEvents(receiveOutput: { _ in end() }).eraseToAnyPublisher() }
    ),
    (
      "encode",
      { source, end in source.encode(encoder: EndingCoder(end: end)).map { _ in 0 }.eraseToAnyPublisher() }
    ),
    (
      "print", { source, end in source.print("", to: EndingStream(end: end)).eraseToAnyPublisher() }
    ),
  ]

  private struct EndingCoder: TopLevelEncoder {
    let end: () -> Void

    func encode<T: Encodable>(_ value: T) throws -> String {
      end()
      return ""
    }
  }

  private struct EndingStream: TextOutputStream {
    let end: () -> Void

    mutating func write(_ text: String) { if text.contains("value: (1)") { end() } }
  }

  @Test(arguments: operators.map(\.name))
  func nothingFollowsACompletion(name: String) throws {
    let make = try #require(Self.operators.first { $0.name == name }).make
    let (source, recorder) = (Source(), RecordingSubscriber<Int, any Error>())
    make(source) { source.send(completion: .finished) }.subscribe(recorder)
    source.send(1)
    #expect(recorder.log.filter { $0 != "7" } == ["finished"])
  }

  @Test(arguments: operators.map(\.name))
  func nothingFollowsACancellation(name: String) throws {
    let make = try #require(Self.operators.first { $0.name == name }).make
    let (source, recorder) = (Source(), RecordingSubscriber<Int, any Error>())
    make(source) { [unowned recorder] in recorder.cancel() }.subscribe(recorder)
    source.send(1)
    #expect(recorder.log.filter { $0 != "7" }.isEmpty)
  }
}
