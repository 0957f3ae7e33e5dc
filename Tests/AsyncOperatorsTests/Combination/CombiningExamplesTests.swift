import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct CombiningExamplesTests {
  private let print = ExampleOutput()

  @Test func concurrentFlatMap() async throws {
    let numbers = (1...3).async.flatMap(maxTasks: 2) { [$0, 10 * $0].async }
    for await number in numbers {
      print(number)  // for example 1, 2, 10, 20, 3, 30
    }
    #expect(print.lines.sorted() == ["1", "10", "2", "20", "3", "30"])
  }

  @Test func dropUntilOutput() async throws {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    start.yield()
    let ticks = AsyncTimerSequence(interval: .milliseconds(1), clock: .continuous)
    for await tick in ticks.drop(untilOutputFrom: starts) {
      print(tick)
      break
    }
    #expect(print.lines.count == 1)
  }

  @Test func flatMapFirst() async throws {
    let clicks = AsyncStream<Int> {
      $0.yield(1); $0.yield(2); $0.finish()
    }
    let answers = clicks.flatMapFirst { click in ["start \(click)", "end \(click)"].async }
    for await answer in answers {
      print(answer)  // for example start 1, end 1
    }
    // Two more if the second click comes late.
    #expect(Array(print.lines.prefix(2)) == ["start 1", "end 1"])
  }

  @Test func flatMapLatest() async throws {
    let queries = AsyncStream<String> {
      $0.yield("s"); $0.yield("swift"); $0.finish()
    }
    let results = queries.flatMapLatest { query in [query, query + "!"].async }
    for await result in results {
      print(result)  // for example swift, swift!
    }
    // Others before if the second search comes late.
    #expect(Array(print.lines.suffix(2)) == ["swift", "swift!"])
  }

  @Test func prefixUntilOutput() async throws {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let ticks = AsyncTimerSequence(interval: .milliseconds(1), clock: .continuous)
    for await tick in ticks.prefix(untilOutputFrom: stops) {
      print(tick)
      stop.yield()  // The loop ends.
    }
    #expect(!print.line.isEmpty)
  }

  @Test func racing() async throws {
    let mirror = AsyncStream<String> { _ in }
    let server = AsyncStream<String> {
      $0.yield("a"); $0.yield("b"); $0.finish()
    }
    for await line in race(mirror, server) {
      print(line)  // a, b
    }
    #expect(print.line == "a, b")
  }

  @Test func withLatestFrom() async throws {
    let names = AsyncStream<String> {
      $0.yield("Ann"); $0.finish()
    }
    let ticks = AsyncTimerSequence(interval: .milliseconds(1), clock: .continuous)
    for await (_, name) in ticks.withLatestFrom(names) {
      print(name)  // Ann
      break
    }
    #expect(print.line == "Ann")
  }

  @Test func zipFour() async {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    let words = ["one"].async
    for await (a, b, c, d) in zip(numbers, words, [2].async, words) {
      print(a, b, c, d)  // 1 one 2 one
    }
    #expect(print.line == "1 one 2 one")
  }

  @Test func combineLatestFour() async {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    let words = ["one"].async
    for await (a, b, c, d) in combineLatest(numbers, words, [2].async, words) {
      print(a, b, c, d)  // 1 one 2 one
    }
    #expect(print.line == "1 one 2 one")
  }

  @Test func mergeFour() async {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    for await number in merge(numbers, [2].async, [3].async.map { $0 + 1 }, [5, 6].async.filter { $0 > 5 }) {
      print(number)  // 1, 2, 4 and 6, in any order
    }
    #expect(Set(print.line.split(separator: ", ")) == ["1", "2", "4", "6"])
  }
}
