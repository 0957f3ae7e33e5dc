import AsyncOperators
import Testing

/// The examples of the module's page, and of *Failure types*.
@Suite struct ArticleExamplesTests {
  @Test func firstExamples() async throws {
    let texts = ["swift"].async
    let urls = ["a", "b"].async
    let (clicks, keys) = ([1].async, [2].async)
    let ticker = AsyncCurrentValueSubject<Int, Never>(7)

    // A search field: wait for a pause, drop what is the same, and give up the search before when there is a newer text.
    for try await results in texts.debounce(for: .milliseconds(300)).removeDuplicates().mapLatest({
      try await search($0)
    }) {
      show(results)
    }

    // Work for each element, four at a time, with the results in the order of the elements.
    for try await page in urls.concurrentMap(maxTasks: 4, { try await load($0) }) {
      keep(page)
    }

    // Two sources in one loop, as their elements come.
    for await event in merge(clicks, keys) { handle(event) }

    // One source for many consumers, of which a late one gets the newest element.
    let prices = ticker.share(replay: 1)

    // The same call again, with growing pauses, until it succeeds.
    let reply = try await retry(5, backoff: .exponential(from: .milliseconds(100), upTo: .seconds(5))) {
      try await request()
    }

    #expect(await prices.first { _ in true } == 7)
    #expect(reply == "reply")
  }

  private func search(_ text: String) async throws -> Int { text.count }
  private func show(_ results: Int) { #expect(results == 5) }
  private func load(_ name: String) async throws -> String { name.uppercased() }
  private func keep(_ page: String) { #expect(["A", "B"].contains(page)) }
  private func handle(_ event: Int) { #expect([1, 2].contains(event)) }
  private func request() async throws -> String { "reply" }

  enum Offline: Error { case now }

  @Test func failuresOfTwoInputs() async throws {
    let task = Task {
      enum Offline: Error { case now }
      let numbers = AsyncPassthroughSubject<Int, Offline>()
      let letters = AsyncPassthroughSubject<String, Never>()
      for try await (number, letter) in zip(numbers, letters) {  // throws Offline
        print(number, letter)
      }
    }
    task.cancel()
    try await task.value
    let (numbers, letters) = (AsyncPassthroughSubject<Int, Offline>(), AsyncPassthroughSubject<String, Never>())
    #expect(fails(zip(numbers, letters), with: Offline.self))
  }

  @Test func failuresOfThreeInputs() async {
    let numbers = AsyncPassthroughSubject<Int, Offline>()
    let otherNumbers = AsyncPassthroughSubject<Int, Offline>()
    let lengths = AsyncPassthroughSubject<Int, Never>()
    let all = merge(numbers, otherNumbers, lengths.setFailureType(to: Offline.self))  // fails with Offline
    #expect(fails(all, with: Offline.self))
    #expect(fails(merge(numbers, otherNumbers, lengths), with: (any Error).self))
  }

  private func stated<A: AsyncSequence & Sendable, B: AsyncSequence & Sendable>(_ a: A, _ b: B) -> Bool
  where A.Element == B.Element, A.Element: Sendable {
    let both: AsyncMerge2Sequence<A, B> = merge(a, b)
    return fails(both, with: A.Failure.self)
  }

  @Test func aTypeThatIsStated() {
    let numbers = AsyncPassthroughSubject<Int, Offline>()
    #expect(stated(numbers, numbers))
  }

  @Test func aTypeAgain() {
    let anything = AsyncThrowingStream<Int, any Error> { $0.finish() }
    let known = anything.mapError { $0 as? Offline ?? .now }
    #expect(fails(known, with: Offline.self))
  }

  private func fails<S: AsyncSequence, Failure>(_ sequence: S, with type: Failure.Type) -> Bool {
    S.Failure.self == Failure.self
  }
}
