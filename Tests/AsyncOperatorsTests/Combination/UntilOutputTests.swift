import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PrefixUntilOutputTests {
  private let timeline = TestTimeline()

  @Test func theOthersFirstElementEndsIt() throws {
    let (base, other) = (try timeline.sequence("a-b-c-d|"), try timeline.sequence("---x-x|"))
    try timeline.expect(base.prefix(untilOutputFrom: other), toEmit: "a-b|")
    try timeline.verifyFinished()
  }

  @Test func itEndsWithTheBase() throws {
    let (base, other) = (try timeline.sequence("a-b|"), try timeline.sequence("-------x"))
    try timeline.expect(base.prefix(untilOutputFrom: other), toEmit: "a-b|")
    try timeline.verifyFinished()
  }

  @Test func anOtherThatEndsWithoutAnElementDoesNotCount() throws {
    let (base, other) = (try timeline.sequence("a-b-c|"), try timeline.sequence("-|"))
    try timeline.expect(base.prefix(untilOutputFrom: other), toEmit: "a-b-c|")
  }

  @Test func anOtherThatFailsDoesNotCount() throws {
    let base = try timeline.sequence("a-b-c|")
    let other = try timeline.sequence("-#", error: TestError("other"))
    let prefix = base.prefix(untilOutputFrom: other)
    #expect(fails(prefix, with: Never.self))
    try timeline.expect(prefix, toEmit: "a-b-c|")
  }

  @Test func aFailureOfTheBaseIsDelivered() throws {
    let base = try timeline.sequence("a-#", error: TestError("base"))
    try timeline.expect(
      base.prefix(untilOutputFrom: try timeline.sequence("------x")), toEmit: "a-#", error: TestError("base"))
    try timeline.verifyFinished()
  }

  @Test func anOtherThatHasAnElementAtOnceEndsItAtOnce() throws {
    let (base, other) = (naturals(), naturals())
    #expect(try collectInOrder(base.prefix(untilOutputFrom: other)).values == [])
    #expect(other.taken.value == 1)
  }

  @Test func theBaseIsNotTakenAhead() async {
    let base = naturals()
    var iterator = base.prefix(untilOutputFrom: Source()).makeAsyncIterator()
    for taken in 1...100 {
      #expect(await iterator.next() == taken - 1)
      #expect(base.taken.value == taken)
    }
  }

  /// The other's element counts when the consumer comes back, whatever the base has by then.
  @Test func itEndsWhileTheConsumerIsBusy() throws {
    let (base, other) = (try timeline.sequence("ab--|"), try timeline.sequence("--x"))
    let elements = try timeline.run { [timeline] in
      var iterator = base.prefix(untilOutputFrom: other).makeAsyncIterator()
      var elements: [String] = []
      while let element = await iterator.next() {
        elements.append(element)
        try await timeline.clock.sleep(for: .seconds(3))
      }
      return elements
    }
    #expect(elements == ["a"])
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(2, sending: [0], failing: [0]) { $0[0].prefix(untilOutputFrom: $0[1]) }
  }
}

@Suite struct DropUntilOutputTests {
  private let timeline = TestTimeline()

  @Test func elementsBeforeTheOthersFirstAreDropped() throws {
    let (base, other) = (try timeline.sequence("a-b-c-d|"), try timeline.sequence("---x-x|"))
    try timeline.expect(base.drop(untilOutputFrom: other), toEmit: "----c-d|")
  }

  @Test func anOtherThatEndsWithoutAnElementEndsIt() throws {
    let (base, other) = (try timeline.sequence("a-b-c|"), try timeline.sequence("-|"))
    try timeline.expect(base.drop(untilOutputFrom: other), toEmit: "-|")
    try timeline.verifyFinished()
  }

  @Test func anOtherThatFailsWithoutAnElementEndsIt() throws {
    let base = try timeline.sequence("a-b-c|", error: TestError?.none)
    let other = try timeline.sequence("-#", error: TestError("other"))
    try timeline.expect(base.drop(untilOutputFrom: other), toEmit: "-#", error: TestError("other"))
    try timeline.verifyFinished()
  }

  @Test func nothingIsTakenFromTheOtherAfterItsFirst() async throws {
    let other = ready([1, 2], failure: TestError("other"))
    let result = try collectInOrder(ready([1, 2, 3]).drop(untilOutputFrom: other))
    #expect(result.values == [1, 2, 3])
    #expect(result.error == nil)
    #expect(other.taken.value == 1)
    await other.released.wait()
  }

  @Test func theBasesEndEndsIt() throws {
    let (base, other) = (try timeline.sequence("a-b|"), try timeline.sequence("-----x"))
    try timeline.expect(base.drop(untilOutputFrom: other), toEmit: "---|")
    try timeline.verifyFinished()
  }

  @Test func aFailureOfTheBaseIsDelivered() throws {
    let base = try timeline.sequence("a-#", error: TestError("base"))
    try timeline.expect(
      base.drop(untilOutputFrom: try timeline.sequence("------x")), toEmit: "--#", error: TestError("base"))
    try timeline.verifyFinished()
  }

  @Test func failuresAreTyped() async {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(never.drop(untilOutputFrom: never), with: Never.self))
    #expect(fails(error.drop(untilOutputFrom: never), with: TestError.self))
    #expect(fails(never.drop(untilOutputFrom: error), with: TestError.self))
    #expect(fails(error.drop(untilOutputFrom: error), with: TestError.self))
    #expect(fails(error.drop(untilOutputFrom: other), with: (any Error).self))
    let silent = ManualSource<Int, CancellationError>()
    #expect(await collect(error.drop(untilOutputFrom: silent)).error is TestError)
  }

  @Test func theBaseIsNotTakenAhead() async throws {
    let base = naturals()
    var iterator = base.drop(untilOutputFrom: ready([1])).makeAsyncIterator()
    for _ in 1...100 {
      let element = await iterator.next()
      #expect(base.taken.value == element.map { $0 + 1 })
    }
  }

  @Test func aBaseThatAlwaysHasAnElementDoesNotKeepTheOtherWaiting() async throws {
    let (base, other) = (naturals(), ManualSource<Int, Never>())
    Task.detached {
      await other.requested.wait()
      other.send(1)
    }
    for await _ in base.drop(untilOutputFrom: other) { break }
    await base.released.wait()
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(2, failing: [0]) { sources in
      // The signal's iterator is released when its element has been delivered.
      sources[0].waiting { [released = sources[1].released] in await released.wait() }
        .drop(untilOutputFrom: sources[1])
    }
  }
}
