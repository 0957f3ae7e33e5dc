import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncCombineLatest3SequenceTests {
  @Test func eachElementMeetsTheLatestOfTheOthers() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a---d|"), try timeline.sequence("-b---e|"), try timeline.sequence("--c|"))
    let latest = combineLatest(a, b, c).map { $0 + $1 + $2 }
    try timeline.expect(latest, toEmit: "--x-yz|", values: ["x": "abc", "y": "dbc", "z": "dec"])
  }

  @Test func aBaseWithoutAnElementEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a---d"), try timeline.sequence("--|"), try timeline.sequence("-c-"))
    try timeline.expect(combineLatest(a, b, c).map { $0 + $1 + $2 }, toEmit: "--|")
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a---d--"), try timeline.sequence("-b---e--"))
    let c = try timeline.sequence("--c#", error: TestError("c"))
    let latest = combineLatest(a, b, c).map { $0 + $1 + $2 }
    try timeline.expect(latest, toEmit: "--x#", values: ["x": "abc"], error: TestError("c"))
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(combineLatest(never, never, never), with: Never.self))
    #expect(fails(combineLatest(error, error, error), with: TestError.self))
    #expect(fails(combineLatest(never, never, error), with: (any Error).self))
    #expect(fails(combineLatest(error, error, never), with: (any Error).self))
    #expect(fails(combineLatest(error, never, other), with: (any Error).self))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(3) { combineLatest($0[0], $0[1], $0[2]) }
  }
}
