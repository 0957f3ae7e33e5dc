import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncCombineLatest2SequenceTests {
  // MARK: Values

  @Test func eachElementMeetsTheLatestOfTheOther() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--b--c|"), try timeline.sequence("-1---2|"))
    let latest = combineLatest(a, b).map { $0 + $1 }
    try timeline.expect(latest, toEmit: "-w-x-yz|", values: ["w": "a1", "x": "b1", "y": "b2", "z": "c2"])
  }

  @Test func newerElementsReplaceOlderOnesUntilAllHaveOne() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("abc--d|"), try timeline.sequence("---1|"))
    try timeline.expect(combineLatest(a, b).map { $0 + $1 }, toEmit: "---x-y|", values: ["x": "c1", "y": "d1"])
  }

  @Test func aBaseWithoutAnElementEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a-b-c-d"), try timeline.sequence("---|"))
    try timeline.expect(combineLatest(a, b).map { $0 + $1 }, toEmit: "---|")
    try timeline.expect(combineLatest(b, a).map { $0 + $1 }, toEmit: "---|")
  }

  @Test func aBaseThatNeverEndsKeepsItOpen() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a|"), try timeline.sequence("1-2"))
    try timeline.expect(combineLatest(a, b).map { $0 + $1 }, toEmit: "x-y---", values: ["x": "a1", "y": "a2"])
  }

  @Test func cancellingInVirtualTimeEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--b"), try timeline.sequence("1-"))
    try timeline.expect(combineLatest(a, b).map { $0 + $1 }, toEmit: "x-!", values: ["x": "a1"])
    try timeline.verifyFinished()
  }

  @Test func elementsAvailableTakeTurns() throws {
    let values = try collectInOrder(combineLatest(ready([1, 2, 3]), ready([1, 2, 3]))).values
    #expect(values.map { $0 * 10 + $1 } == [11, 21, 22, 32, 33])
  }

  /// The other base's first element comes from elsewhere, after any number of this one's.
  @Test func anEndlessBaseDoesNotKeepTheOther() async {
    let source = ManualSource<Int, Never>()
    var iterator = combineLatest(naturals(), source).makeAsyncIterator()
    Task.detached {
      await source.requested.wait()
      source.send(1)
    }
    #expect(await iterator.next()?.1 == 1)
  }

  // MARK: How far ahead

  @Test func oneElementOfABaseAtMostIsTakenAhead() async {
    let (a, b) = (naturals(), naturals())
    var iterator = combineLatest(a, b).makeAsyncIterator()
    _ = await iterator.next()
    // One of them may deliver any number until the other one begins.
    let first = a.taken.value + b.taken.value
    for taken in 1...100 {
      _ = await iterator.next()
      #expect(a.taken.value + b.taken.value <= first + taken + 2)
    }
  }

  /// While the consumer is busy, each base delivers one element, and no element replaces another.
  @Test func aSlowConsumerGetsATupleForEachElement() async throws {
    let (a, b) = (Source(), Source())
    var iterator = combineLatest(a, b).makeAsyncIterator()
    a.send(1)
    b.send(1)
    #expect(try await iterator.next().map { [$0.0, $0.1] } == [1, 1])
    for value in 2...4 { a.send(value) }
    #expect(try await iterator.next().map { [$0.0, $0.1] } == [2, 1])
    #expect(try await iterator.next().map { [$0.0, $0.1] } == [3, 1])
    #expect(try await iterator.next().map { [$0.0, $0.1] } == [4, 1])
  }

  // MARK: Failure

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let a = try timeline.sequence("a-b-#", error: TestError("a"))
    let b = try timeline.sequence("1----2|", error: TestError?.none)
    try timeline.expect(
      combineLatest(a, b).map { $0 + $1 }, toEmit: "x-y-#", values: ["x": "a1", "y": "b1"], error: TestError("a"))
  }

  @Test func failuresAreTyped() async throws {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(combineLatest(never, never), with: Never.self))
    #expect(fails(combineLatest(never, error), with: TestError.self))
    #expect(fails(combineLatest(error, never), with: TestError.self))
    #expect(fails(combineLatest(error, error), with: TestError.self))
    #expect(fails(combineLatest(error, other), with: (any Error).self))
    #expect(await collect(combineLatest(never, error)).error == TestError("a"))
    #expect(await collect(combineLatest(error, never)).error == TestError("a"))
  }

  // MARK: Lifetime

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(2) { combineLatest($0[0], $0[1]) }
  }
}
