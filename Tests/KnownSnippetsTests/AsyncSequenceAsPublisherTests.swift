import Interflow
import Testing

// From a published article on the equivalence of AsyncSequence and Combine. It wraps a sequence by writing
// `AsyncSequencePublisher(sequence)`, describes what the publisher does, and leaves its code to a repository.
//
// Deviations:
// - The timer sequence of its tests is an `AsyncStream` here: nothing of the text depends on time.
// - The publisher's failure is the sequence's own. The text has `Error` for every sequence, since the language had no
//   other at its time; a subscriber of a sequence that may throw anything still gets `any Error`.

@Suite struct AsyncSequenceAsPublisherTests {
  private static func ticks(_ count: Int) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for tick in 1...count { continuation.yield(tick) }
      continuation.finish()
    }
  }

  @Test func aLimitedSequenceRunsThroughToCompletion() async {
    let console = Console()
    let cancellable = AsyncSequencePublisher(Self.ticks(3))
      .sink {
        console.print("\($0)")
      } receiveValue: {
        console.print($0)
      }
    await console.waitForLines(4)
    #expect(console.lines == ["1", "2", "3", "finished"])
    cancellable.cancel()
  }

  @Test func everySequenceHasAPublisher() async {
    let console = Console()
    let cancellable = Self.ticks(3).publisher
      .map { $0 * 10 }
      .sink {
        console.print("\($0)")
      } receiveValue: {
        console.print($0)
      }
    await console.waitForLines(4)
    #expect(console.lines == ["10", "20", "30", "finished"])
    cancellable.cancel()
  }

  @Test func anErrorThatIsThrownIsTheFailure() async {
    let sequence = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: SnippetError())
    }
    let console = Console()
    let cancellable = sequence.publisher
      .sink { (completion: Subscribers.Completion<any Error>) in
        if case .failure(let error) = completion { console.print("\(error)") }
      } receiveValue: {
        console.print($0)
      }
    await console.waitForLines(2)
    #expect(console.lines == ["1", "SnippetError()"])
    cancellable.cancel()
  }

  @Test func demandIsAdditive() async {
    let console = Console()
    var subscription: (any Subscription)?
    let publisher = Self.ticks(9).publisher
    publisher.subscribe(
      AnySubscriber(
        receiveSubscription: {
          subscription = $0
          $0.request(.max(1))
          $0.request(.max(2))
        },
        receiveValue: {
          console.print($0)
          return $0 == 3 ? .max(1) : .none
        },
        receiveCompletion: { _ in console.print("completion") }))
    await console.waitForLines(4)
    // With the demand used up the task waits; a request that follows is the only thing that can print a fifth line.
    #expect(console.lines == ["1", "2", "3", "4"])
    subscription?.request(.max(1))
    await console.waitForLines(5)
    #expect(console.lines == ["1", "2", "3", "4", "5"])
    subscription?.cancel()
  }

  @Test func cancellingEndsTheTaskAndDeliversNothingMore() async {
    let isCancelled = Signal()
    let console = Console()
    // The task is the only one to keep the sequence: one that is cancelled between two elements ends without asking
    // for another, and it is by letting go that it ends the stream then.
    let (continuation, cancellable) = {
      let (sequence, continuation) = AsyncStream<Int>.makeStream()
      continuation.onTermination = { termination in
        if case .cancelled = termination { isCancelled.send() }
      }
      let cancellable = sequence.publisher
        .sink { _ in
          console.print("completion")
        } receiveValue: {
          console.print($0)
        }
      return (continuation, cancellable)
    }()
    continuation.yield(1)
    await console.waitForLines(1)
    cancellable.cancel()
    await isCancelled.wait()
    #expect(console.lines == ["1"])
  }
}
