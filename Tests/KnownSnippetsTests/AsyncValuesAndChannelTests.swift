import Interflow
import Testing

// From the documentation of a published bridge between Combine and Swift concurrency for older systems.
//
// Deviations:
// - `TCAsyncChannel` is called `AsyncChannel`, as in Apple's package that the text says it follows.
// - `try` before `await` where a publisher fails with `Error`: the compiler demands it, in the text as well.
// - No `try` before `channel.send(completion:)`, which cannot throw here: completing waits for nobody.
// - `getValue()`, `useValue(_:)` and their kin, which the text leaves open, hand out and write down strings.

@Suite struct AsyncValuesAndChannelTests {
  private let console = Console()

  @Test func asyncValues() async {
    func print(_ text: String, terminator: String) { console.print(text, terminator: terminator) }

    let numbers: [Int] = [1, 2, 3, 4, 5]
    let filtered = numbers.publisher
      .filter { $0 % 2 == 0 }

    for await number in filtered.asyncValues {
      print("\(number)", terminator: " ")
    }

    #expect(console.lines == ["2 4 "])
  }

  @Test func aSubjectMayLoseValues() async throws {
    let values = (1...100).map { "\($0)" }
    let supply = Supply(values)
    let getValue = { supply.next() }
    var received: [String] = []
    func useValue(_ value: String) async { received.append(value) }

    let subject = PassthroughSubject<String, Error>()

    Task {
      while let value = getValue() {
        subject.send(value)
      }

      subject.send(completion: .finished)
    }

    for try await value in subject.asyncValues {
      await useValue(value)
    }

    // Which are lost is up to the scheduler. None comes twice or out of order.
    var rest = values[...]
    for value in received {
      let index = try #require(rest.firstIndex(of: value))
      rest = rest[(index + 1)...]
    }
  }

  @Test func aChannelLosesNone() async throws {
    let values = (1...100).map { "\($0)" }
    let supply = Supply(values)
    let getValue = { supply.next() }
    var received: [String] = []
    func useValue(_ value: String) async { received.append(value) }

    let channel = AsyncChannel<String, Error>()

    Task {
      while let value = getValue() {
        try await channel.send(value)
      }

      channel.send(completion: .finished)
    }

    for try await value in channel.asyncValues {
      await useValue(value)
    }

    #expect(received == values)
  }

  @Test func twoReadersOfAChannelGoInStep() async throws {
    let values = (1...100).map { "\($0)" }
    let supply = Supply(values)
    let getValue = { supply.next() }
    let (first, second) = (Console(), Console())
    func doSomething(with value: String) async { first.print(value) }
    func doSomethingElse(with value: String) async { second.print(value) }

    let channel = AsyncChannel<String, Error>()

    Task {
      while let value = getValue() {
        try await channel.send(value)
      }

      channel.send(completion: .finished)
    }

    let one = Task {
      for try await value in channel.asyncValues {
        await doSomething(with: value)
      }
    }

    let other = Task {
      for try await value in channel.asyncValues {
        await doSomethingElse(with: value)
      }
    }

    // A reader misses what was sent before it came, and nothing after.
    try await one.value
    try await other.value
    #expect(values.suffix(first.lines.count) == first.lines[...])
    #expect(values.suffix(second.lines.count) == second.lines[...])
    #expect(max(first.lines.count, second.lines.count) == values.count)
  }
}
