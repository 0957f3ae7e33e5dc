import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct EffectsExamplesTests {
  private let print = ExampleOutput()

  private let source = ready(["a"], failure: TestError("end"))
  private let log = ""

  @MainActor private final class Label {
    var text = ""
  }

  @Sendable private func store(_ line: String) async { print("stored \(line)") }

  @Test func assign() async throws {
    @MainActor func show(_ titles: some AsyncSequence<String, Never>, on label: Label) async {
      await titles.assign(to: \.text, on: label)
    }
    let label = Label()
    await show(ready(["title"]), on: label)
    #expect(await label.text == "title")
  }

  @Test func breakpoint() async throws {
    let lines = source.breakpoint(receiveOutput: { $0.isEmpty })
    #expect(await collect(lines).values == ["a"])
  }

  @Test func breakpointOnError() async throws {
    let lines = source.breakpointOnError()
    _ = lines
  }

  @Test func handleEvents() async throws {
    let print = print
    let lines = source.handleEvents(receiveOutput: { print("got \($0)") }, receiveCancel: { print("cancelled") })
    _ = await collect(lines)
    #expect(print.line == "got a")
  }

  @Test func printing() async throws {
    for await _ in [1].async.print("numbers") {}
    // numbers: receive subscription: (AsyncSyncSequence<Array<Int>>)
    // numbers: request max: (1)
    // numbers: receive value: (1)
    // numbers: request max: (1)
    // numbers: receive finished
  }

  @Test func printingToAStream() async throws {
    let numbers = [1].async.print("numbers", to: log)
    #expect(await Array(numbers) == [1])
  }

  @Test func sink() async throws {
    let print = print
    let sink = source.sink { completion in
      print(completion)
    } receiveValue: { line in
      await store(line)
    }
    await sink.wait()
    #expect(print.lines.count == 2)
  }

  @Test func sinkWithoutFailure() async throws {
    let print = print
    let sink = [1, 2].async.sink { print($0) }
    await sink.wait()
    #expect(print.line == "1, 2")
  }

  @Test func sinksInASet() async throws {
    let print = print
    var sinks: Set<AsyncSink> = []
    [1, 2].async.sink { print($0) }.store(in: &sinks)
    for sink in sinks { await sink.wait() }
    #expect(print.line == "1, 2")
  }

  @Test func anySequence() async throws {
    func numbers(_ isSorted: Bool) -> AnyAsyncSequence<Int, Never> {
      isSorted ? [1, 2].async.eraseToAnyAsyncSequence() : Set([1, 2]).async.eraseToAnyAsyncSequence()
    }
    #expect(await Array(numbers(true)) == [1, 2])
    #expect(await Set(numbers(false)) == [1, 2])
  }

  @Test func erasure() async throws {
    let numbers: AnyAsyncSequence<Int, Never> = [1, 2].async.eraseToAnyAsyncSequence()
    #expect(await Array(numbers) == [1, 2])
  }

  @Test func opaqueErasure() async throws {
    let numbers: some AsyncSequence<Int, Never> & Sendable = [1, 2].async.eraseToSomeAsyncSequence()
    #expect(await Array(numbers) == [1, 2])
  }
}
