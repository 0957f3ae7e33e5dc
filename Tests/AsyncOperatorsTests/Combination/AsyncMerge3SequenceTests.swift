import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncMerge3SequenceTests {
  @Test func elementsComeAsTheyArrive() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a--d|"), try timeline.sequence("-b--e|"), try timeline.sequence("--c---f|"))
    try timeline.expect(merge(a, b, c), toEmit: "abcde-f|")
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--d--"), try timeline.sequence("-b--e--"))
    let c = try timeline.sequence("--c--#", error: TestError("c"))
    try timeline.expect(merge(a, b, c), toEmit: "abcde#", error: TestError("c"))
  }

  @Test func basesWithElementsAvailableTakeTurns() throws {
    #expect(try collectInOrder(merge(ready([1, 4]), ready([2]), ready([3, 5]))).values == [1, 2, 3, 4, 5])
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(merge(never, never, never), with: Never.self))
    #expect(fails(merge(error, error, error), with: TestError.self))
    #expect(fails(merge(error, never, never), with: (any Error).self))
    #expect(fails(merge(never, error, never), with: (any Error).self))
    #expect(fails(merge(never, never, error), with: (any Error).self))
    #expect(fails(merge(never, error, error), with: (any Error).self))
    #expect(fails(merge(error, never, error), with: (any Error).self))
    #expect(fails(merge(error, error, never), with: (any Error).self))
    #expect(fails(merge(error, never, other), with: (any Error).self))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(3) { merge($0[0], $0[1], $0[2]) }
  }
}
