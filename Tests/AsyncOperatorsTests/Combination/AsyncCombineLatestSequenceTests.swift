import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Four and more bases of different types.
@Suite struct AsyncCombineLatestSequenceTests {
  @Test func eachElementMeetsTheLatestOfTheOthers() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a---d|"), try timeline.sequence("-b---e|"), try timeline.sequence("--c|"))
    let latest = combineLatest(a, b.map { [$0] }, c, c.map { $0.uppercased() }).map { $0 + $1[0] + $2 + $3 }
    try timeline.expect(latest, toEmit: "--x-yz|", values: ["x": "abcC", "y": "dbcC", "z": "decC"])
  }

  @Test func aBaseWithoutAnElementEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a---d"), try timeline.sequence("--|"), try timeline.sequence("-c-"))
    try timeline.expect(combineLatest(a, a, c, b).map { $0 + $1 + $2 + $3 }, toEmit: "--|")
  }

  @Test(arguments: 0..<5) func aFailureOfAnyEndsIt(_ failing: Int) throws {
    let timeline = TestTimeline()
    let bases = try (0..<5).map { index in
      try timeline.sequence(index == failing ? "--a-#" : "a-----", error: TestError("\(index)"))
    }
    let latest = combineLatest(bases[0], bases[1], bases[2], bases[3], bases[4]).map { $0 + $1 + $2 + $3 + $4 }
    try timeline.expect(latest, toEmit: "--x-#", values: ["x": "aaaaa"], error: TestError("\(failing)"))
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(combineLatest(never, never, never, never), with: Never.self))
    #expect(fails(combineLatest(never, never, never, never, never, never), with: Never.self))
    #expect(fails(combineLatest(error, error, error, error), with: TestError.self))
    #expect(fails(combineLatest(error, never, error, error), with: (any Error).self))
    #expect(fails(combineLatest(error, never, other, error, error), with: (any Error).self))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(4) { combineLatest($0[0], $0[1], $0[2], $0[3]) }
  }
}
