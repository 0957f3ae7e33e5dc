import Foundation
import Interflow
import Testing

// The complete code of a published article on bridging Combine to AsyncSequence, compiled against this Combine, and
// what the article does with it.
//
// Deviations:
// - `fileprivate`, so that its names do not hide those of the package in the files beside this.
// - No line break before `(Upstream.Output.self)`: Swift takes what follows one for another expression.
// - `deinit` calls a closure in place of printing, so that the test can wait for it.
// - The timer ticks every millisecond, not every second, and falls silent after five ticks, which are counted in place
//   of sleeping for five seconds.

fileprivate class CombineAsyncStream<Upstream: Publisher>: AsyncSequence {
  typealias Element = Upstream.Output
  typealias AsyncIterator = CombineAsyncStream<Upstream>

  func makeAsyncIterator() -> Self {
    self
  }

  private let stream: AsyncThrowingStream<Upstream.Output, Error>

  private lazy var iterator = stream.makeAsyncIterator()

  private var cancellable: AnyCancellable?
  public init(_ upstream: Upstream) {
    var subscription: AnyCancellable? = nil

    stream = AsyncThrowingStream<Upstream.Output, Error>(Upstream.Output.self) { continuation in
      subscription =
        upstream
        .handleEvents(
          receiveCancel: {
            continuation.finish(throwing: nil)
          }
        )
        .sink(
          receiveCompletion: { completion in
            switch completion {
            case .failure(let error):
              continuation.finish(throwing: error)
            case .finished: continuation.finish(throwing: nil)
            }
          },
          receiveValue: { value in
            continuation.yield(value)
          })
    }

    cancellable = subscription
  }

  func cancel() {
    cancellable?.cancel()
    cancellable = nil
  }

  deinit {
    onDeinit?()
  }

  var onDeinit: (() -> Void)?
}

extension CombineAsyncStream: AsyncIteratorProtocol {
  public func next() async throws -> Upstream.Output? {
    try await iterator.next()
  }
}

extension Publisher {
  fileprivate func asyncStream() -> CombineAsyncStream<Self> {
    CombineAsyncStream(self)
  }
}

@Suite struct ArticleCombineAsyncStreamTests {
  private let console = Console()

  private func print(_ text: some Sendable) { console.print(text) }

  @Test func aPublisherIsIterated() async throws {
    for try await tick in [1, 2, 3].publisher.asyncStream() {
      print(tick)
    }
    #expect(console.lines == ["1", "2", "3"])
  }

  @Test func aFailureIsThrown() async {
    await #expect(throws: SnippetError.self) {
      for try await _ in Fail<Int, SnippetError>(error: SnippetError()).asyncStream() {}
    }
  }

  @Test func cancellingTheStreamEndsTheLoop() async throws {
    let isDeallocated = Signal()
    do {
      // Create a Timer async stream.
      let stream =
        Timer
        .publish(every: 0.001, tolerance: 0.001, on: .main, in: .common)
        .autoconnect()
        .prefix(5).append(Empty(completeImmediately: false))
        .asyncStream()
      stream.onDeinit = {
        print("[Stream Deinit]")
        isDeallocated.send()
      }

      // Cancel stream after 5 ticks.
      Task.detached {
        await console.waitForLines(5)
        stream.cancel()
      }

      // Print timer ticks to the console.
      for try await tick in stream {
        print("\(tick.formatted(date: .omitted, time: .standard))")
      }

      // Print when the for loop completes
      print("Completed.")
    }
    await isDeallocated.wait()
    #expect(console.lines.count == 7)
    #expect(console.lines.suffix(2) == ["Completed.", "[Stream Deinit]"])
  }
}
