import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncZip3SequenceTests {
  @Test func elementsMeetInOrder() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a--d|"), try timeline.sequence("-b-e--"), try timeline.sequence("--c-f-"))
    let zipped = zip(a, b, c).map { $0 + $1 + $2 }
    try timeline.expect(zipped, toEmit: "--x-(y|)", values: ["x": "abc", "y": "def"])
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--d--"), try timeline.sequence("-b--e--"))
    let c = try timeline.sequence("--c#", error: TestError("c"))
    let zipped = zip(a, b, c).map { $0 + $1 + $2 }
    try timeline.expect(zipped, toEmit: "--x#", values: ["x": "abc"], error: TestError("c"))
  }

  @Test func nothingIsTakenAhead() async {
    let (a, b, c) = (naturals(), naturals(), naturals())
    var iterator = zip(a, b, c).makeAsyncIterator()
    for taken in 1...100 {
      _ = await iterator.next()
      #expect([a, b, c].map(\.taken.value) == [taken, taken, taken])
    }
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(zip(never, never, never), with: Never.self))
    #expect(fails(zip(error, error, error), with: TestError.self))
    #expect(fails(zip(error, never, never), with: (any Error).self))
    #expect(fails(zip(never, error, error), with: (any Error).self))
    #expect(fails(zip(error, never, other), with: (any Error).self))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(3) { zip($0[0], $0[1], $0[2]) }
  }
}
