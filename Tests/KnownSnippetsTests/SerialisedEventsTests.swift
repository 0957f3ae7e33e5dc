import Interflow
import Testing

// From a published article on letting Combine and async/await work together: events that come from anywhere are worked
// on one at a time, by async code. Here its uses run on the package's `task`, `emptySink` and `values`; the article's
// own operator, sinks and sequence are in the Article… files beside this.
//
// Deviations:
// - `asyncPrint` waits for a second that takes no time, and prints what the text has as a comment in the output.
// - `handleEvents` tells the test when a loop has subscribed: the text leaves it to chance whether it has when `send`
//   is called.
// Left out: `NotificationCenter.notifications(named:object:)`, which needs the Foundation sequences.

@Suite struct SerialisedEventsTests {
  private let console = Console()

  @Test func taskWithOnePublisherAtATime() async {
    let console = console
    var cancellables = Set<AnyCancellable>()

    @Sendable func asyncPrint(value: String) async {
      console.print("hello \(value)")
      await console.waitASecond()
    }

    ["abc", "sdg", "353"].publisher
      .task(maxPublishers: .max(1)) { value in
        await asyncPrint(value: value)
      }
      .emptySink()
      .store(in: &cancellables)

    await console.waitForLines(6)
    #expect(
      console.lines == [
        "hello abc",
        "Wait for 1 second",
        "hello sdg",
        "Wait for 1 second",
        "hello 353",
        "Wait for 1 second",
      ])
  }

  @Test func aBufferKeepsWhatASubjectSendsMeanwhile() async {
    let console = console
    var cancellables = Set<AnyCancellable>()

    @Sendable func asyncPrint(value: String) async {
      console.print("hello \(value)")
      await console.waitASecond()
    }

    let publisher = PassthroughSubject<String, Never>()
    publisher
      .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
      .task(maxPublishers: .max(1)) { value in
        await asyncPrint(value: value)
      }
      .emptySink()
      .store(in: &cancellables)

    publisher.send("fat")
    publisher.send("bob")
    publisher.send("man")

    await console.waitForLines(6)
    #expect(
      console.lines == [
        "hello fat", "Wait for 1 second", "hello bob", "Wait for 1 second", "hello man", "Wait for 1 second",
      ])
  }

  @Test func valuesOfABufferedSubject() async {
    let console = console

    func asyncPrint(value: String) async {
      console.print("hello \(value)")
      await console.waitASecond()
    }

    let hasSubscribed = Signal()
    let publisher = PassthroughSubject<String, Never>()
    let p =
      publisher
      .handleEvents(receiveRequest: { _ in hasSubscribed.send() })
      .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
    let task = Task {
      for await value in p.values {
        await asyncPrint(value: value)
      }
    }

    await hasSubscribed.wait()
    for event in ["event1", "event2", "event3"] { publisher.send(event) }
    publisher.send(completion: .finished)
    await task.value
    #expect(
      console.lines == [
        "hello event1", "Wait for 1 second", "hello event2", "Wait for 1 second", "hello event3", "Wait for 1 second",
      ])
  }
}
