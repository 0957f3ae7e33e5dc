import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Four and more bases of different types.
@Suite struct AsyncZipSequenceTests {
  @Test func elementsMeetInOrder() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a--d|"), try timeline.sequence("-b-e--"), try timeline.sequence("--c-f-"))
    let zipped = zip(a, b.map { [$0] }, c, a.map { $0.uppercased() }, b).map { $0 + $1[0] + $2 + $3 + $4 }
    try timeline.expect(zipped, toEmit: "--x-(y|)", values: ["x": "abcAb", "y": "defDe"])
  }

  @Test func theFirstEndEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("ab--c--"), try timeline.sequence("-d-|"))
    try timeline.expect(zip(a, a, a, b).map { $0 + $3 }, toEmit: "-x-|", values: ["x": "ad"])
  }

  @Test(arguments: 0..<5) func aFailureOfAnyEndsIt(_ failing: Int) throws {
    let timeline = TestTimeline()
    let bases = try (0..<5).map { index in
      try timeline.sequence(index == failing ? "a-#" : "a----", error: TestError("\(index)"))
    }
    let zipped = zip(bases[0], bases[1], bases[2], bases[3], bases[4]).map { $0 + $1 + $2 + $3 + $4 }
    try timeline.expect(zipped, toEmit: "x-#", values: ["x": "aaaaa"], error: TestError("\(failing)"))
  }

  @Test func nothingIsTakenAhead() async {
    let bases = (0..<4).map { _ in naturals() }
    var iterator = zip(bases[0], bases[1], bases[2], bases[3]).makeAsyncIterator()
    for taken in 1...100 {
      _ = await iterator.next()
      #expect(bases.map(\.taken.value) == [taken, taken, taken, taken])
    }
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(zip(never, never, never, never), with: Never.self))
    #expect(fails(zip(never, never, never, never, never, never), with: Never.self))
    #expect(fails(zip(error, error, error, error), with: TestError.self))
    #expect(fails(zip(error, error, error, error, error), with: TestError.self))
    #expect(fails(zip(error, never.setFailureType(to: TestError.self), error, error), with: TestError.self))
    #expect(fails(zip(error, never, error, error), with: (any Error).self))
    #expect(fails(zip(error, never, other, error, error), with: (any Error).self))
  }

  @Test func aFailureAmongOthersArrives() async {
    let (never, error) = (ready([1]), ready([Int](), failure: TestError("a")))
    let other = ready(["3"], failure: CancellationError())
    let outcome = await collect(zip(never, other, error, never))
    #expect(outcome.values.isEmpty)
    #expect(outcome.error as? TestError == TestError("a"))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(4) { zip($0[0], $0[1], $0[2], $0[3]) }
  }
}
