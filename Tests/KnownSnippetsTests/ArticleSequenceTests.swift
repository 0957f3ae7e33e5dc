import Combine
import Testing

// The sequence that a published article on letting Combine and async/await work together writes in order to show how
// `values` works, compiled against this Combine, and what the article does with it.
//
// Deviations:
// - `fileprivate` in place of `public`, so that its names do not get in the way of the files beside this.
// - `print()` writes to the test's console, and `handleEvents` tells the test when a loop has subscribed.
// - `asyncPrint` waits for a second that takes no time.

fileprivate struct CombineAsyncPublisher<P>: AsyncSequence, AsyncIteratorProtocol
where P: Publisher, P.Failure == Never {
  public typealias Element = P.Output
  public typealias AsyncIterator = CombineAsyncPublisher<P>

  public func makeAsyncIterator() -> Self {
    self
  }

  private let stream: AsyncStream<P.Output>
  private var iterator: AsyncStream<P.Output>.Iterator
  private var cancellable: AnyCancellable?

  public init(_ upstream: P, bufferingPolicy limit: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded) {
    var subscription: AnyCancellable?
    stream = AsyncStream<P.Output>(P.Output.self, bufferingPolicy: limit) { continuation in
      subscription =
        upstream
        .sink(receiveValue: { value in
          continuation.yield(value)
        })
    }
    cancellable = subscription
    iterator = stream.makeAsyncIterator()
  }

  public mutating func next() async -> P.Output? {
    await iterator.next()
  }
}

fileprivate extension Publisher where Self.Failure == Never {
  var sequence: CombineAsyncPublisher<Self> {
    CombineAsyncPublisher(self)
  }
}

/// Where `print()` writes, so that a test can read it.
private struct ConsoleStream: TextOutputStream {
  let console: Console

  func write(_ text: String) { console.print(text, terminator: "") }
}

@Suite struct ArticleSequenceTests {
  private let console = Console()

  private func asyncPrint(value: String) async {
    console.print("hello \(value)")
    await console.waitASecond()
  }

  @Test func itKeepsWhatIsSentMeanwhile() async {
    let publisher = PassthroughSubject<String, Never>()
    let sequence = publisher.sequence
    for event in ["event1", "event2", "event3"] { publisher.send(event) }

    // The article's sequence does not end when its publisher does.
    var count = 0
    for await value in sequence {
      await asyncPrint(value: value)
      count += 1
      if count == 3 { break }
    }

    #expect(
      console.lines == [
        "hello event1", "Wait for 1 second", "hello event2", "Wait for 1 second", "hello event3", "Wait for 1 second",
      ])
  }

  @Test func itAsksWithoutLimit() async {
    let log = Console()
    let publisher = CurrentValueSubject<String, Never>("event1")
    let p =
      publisher
      .print(to: ConsoleStream(console: log))  // Observe the subscription's request status.

    for await value in p.sequence {
      await asyncPrint(value: value)
      break
    }

    #expect(log.lines.dropFirst().first == "request unlimited")
    #expect(console.lines == ["hello event1", "Wait for 1 second"])
  }

  @Test func valuesAsksForOneAtATime() async {
    let log = Console()
    let publisher = CurrentValueSubject<String, Never>("event1")
    let p =
      publisher
      .print(to: ConsoleStream(console: log))

    for await value in p.values {
      await asyncPrint(value: value)
      break
    }

    #expect(log.lines.dropFirst().first == "request max: (1)")
    #expect(console.lines == ["hello event1", "Wait for 1 second"])
  }
}
