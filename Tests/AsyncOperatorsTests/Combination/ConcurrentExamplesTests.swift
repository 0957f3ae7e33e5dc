import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct ConcurrentExamplesTests {
  private let print = ExampleOutput()

  @Test func combineLatest2() async throws {
    let widths = AsyncStream<Int> {
      $0.yield(1); $0.yield(2); $0.finish()
    }
    let heights = AsyncStream<Int> {
      $0.yield(3); $0.finish()
    }
    for await (width, height) in combineLatest(widths, heights) {
      print(width * height)
    }
    #expect(print.lines.last == "6")
  }

  @Test func combineLatest3() async throws {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    for await (a, b, c) in combineLatest(numbers, numbers, numbers) {
      print(a, b, c)
    }
    #expect(print.lines.count <= 1)
  }

  @Test func combineLatestMany() async throws {
    let streams = (1...3).map { number in
      AsyncStream<Int> {
        $0.yield(number); $0.finish()
      }
    }
    for await numbers in combineLatest(streams) {
      print(numbers)  // [1, 2, 3]
    }
    #expect(print.line == "[1, 2, 3]")
  }

  @Test func merge2() async throws {
    let clicks = AsyncStream<String> {
      $0.yield("click"); $0.finish()
    }
    let keys = AsyncStream<String> {
      $0.yield("key"); $0.finish()
    }
    for await event in merge(clicks, keys) {
      print(event)
    }
    #expect(Set(print.lines) == ["click", "key"])
  }

  @Test func merge3() async throws {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    for await number in merge(numbers, numbers, numbers) {
      print(number)
    }
    #expect(print.line == "1")
  }

  @Test func mergeMany() async throws {
    let streams = (1...10).map { number in
      AsyncStream<Int> {
        $0.yield(number); $0.finish()
      }
    }
    for await number in merge(streams) {
      print(number)
    }
    #expect(Set(print.lines) == Set((1...10).map { "\($0)" }))
  }

  @Test func zip2() async throws {
    let names = AsyncStream<String> {
      $0.yield("a"); $0.yield("b"); $0.finish()
    }
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.yield(2); $0.finish()
    }
    for await (name, number) in zip(names, numbers) {
      print(name, number)
    }
    #expect(print.line == "a 1, b 2")
  }

  @Test func zip3() async throws {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    for await (a, b, c) in zip(numbers, numbers, numbers) {
      print(a, b, c)
    }
    #expect(print.lines.count <= 1)
  }

  @Test func zipMany() async throws {
    let streams = (1...3).map { number in
      AsyncStream<Int> {
        $0.yield(number); $0.finish()
      }
    }
    for await numbers in zip(streams) {
      print(numbers)  // [1, 2, 3]
    }
    #expect(print.line == "[1, 2, 3]")
  }

  @Test func buffer() async throws {
    let lines = AsyncStream<String> {
      $0.yield("a"); $0.finish()
    }
    for await line in lines.buffer(policy: .bufferingLatest(10)) {
      print(line)
    }
    #expect(print.line == "a")
  }

  @Test func bufferPolicy() async throws {
    let numbers = AsyncStream<Int> {
      $0.yield(1); $0.finish()
    }
    for await number in numbers.buffer(policy: .bounded(64)) {
      print(number)
    }
    #expect(print.line == "1")
  }

  @Test func chunks() async throws {
    let lines = AsyncStream<String> {
      $0.yield("a"); $0.yield("b"); $0.finish()
    }
    let second = AsyncTimerSequence(interval: .seconds(1), clock: .continuous)
    for await batch in lines.chunks(ofCount: 100, or: second) {
      print(batch)
    }
    // On a machine that is busy for so long, the signal comes in between.
    #expect([#"["a", "b"]"#, #"["a"], ["b"]"#].contains(print.line))
  }

  @Test func chunksByTimer() async throws {
    let lines = ["a", "b"].async
    for await batch in lines.chunked(by: .repeating(every: .seconds(1))) {
      print(batch)
    }
    for await batch in lines.chunks(ofCount: 100, or: .repeating(every: .seconds(1))) {
      print(batch)
    }
    #expect(!print.line.isEmpty)
  }

  @Test func statedSequence() async throws {
    struct Merged<A: AsyncSequence & Sendable, B: AsyncSequence & Sendable>
    where A.Element == B.Element, A.Element: Sendable {
      let both: AsyncMerge2Sequence<A, B>
      init(_ a: A, _ b: B) { both = merge(a, b) }
    }
    #expect(await Array(Merged([1].async, [2].async).both).sorted() == [1, 2])
  }

  @Test func concurrentMap() async throws {
    let squares = (1...3).async.concurrentMap(maxTasks: 2) { number in
      await Task.yield()
      return number * number
    }
    for await square in squares {
      print(square)  // 1, 4, 9
    }
    #expect(print.line == "1, 4, 9")
  }

  @Test func sizesOfFiles() async throws {
    @Sendable func size(of file: String) async -> Int { file.count }
    let files = ["a", "bb"].async
    for await size in files.concurrentMap(maxTasks: 4, { file in await size(of: file) }) {
      print(size)  // that of the first file, then that of the second ...
    }
    #expect(print.line == "1, 2")
    for await size in files.task(maxTasks: 4, { file in await size(of: file) }) {
      print(size)  // that of the smallest, perhaps, which was read first
    }
  }

  @Test func mapLatest() async throws {
    @Sendable func search(_ query: String) async -> [String] { [query] }
    let queries = ["swift"].async
    let show = print
    for await hits in queries.mapLatest({ query in await search(query) }) {
      show(hits)
    }
    #expect(print.line == #"["swift"]"#)
  }

  @Test func update() {
    let counter = AsyncCurrentValueSubject<Int, Never>(0)
    counter.update { $0 += 1 }
    print(counter.value)  // 1
    #expect(print.line == "1")
  }

  @Test func retryOfOneCall() async throws {
    @Sendable func download() async throws -> Int { 1 }
    do {
      let backoff = RetryBackoff.exponential(from: Duration.milliseconds(100), upTo: .seconds(10)).jittered()
      let picture = try await retry(5, backoff: backoff, clock: ContinuousClock()) {
        try await download()
      }
      #expect(picture == 1)
    }
    let picture = try await retry(5, backoff: .constant(.seconds(1))) {
      try await download()
    }
    #expect(picture == 1)
  }
}
