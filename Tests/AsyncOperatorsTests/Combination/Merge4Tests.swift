import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Four and more bases of different types.
@Suite struct Merge4Tests {
  @Test func elementsComeAsTheyArrive() throws {
    let timeline = TestTimeline()
    let (a, b, c) = (try timeline.sequence("a--d|"), try timeline.sequence("-b--e|"), try timeline.sequence("--c---f|"))
    let merged = merge(a, b.map { $0 }, c, try timeline.sequence("-------g|"), c.map { $0.uppercased() })
    try timeline.expect(merged.filter { $0 != "C" && $0 != "F" }, toEmit: "abcde-fg|")
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--d--"), try timeline.sequence("-b--e--"))
    let c = try timeline.sequence("--c--#", error: TestError("c"))
    let (d, e) = (a.setFailureType(to: TestError.self), b.setFailureType(to: TestError.self))
    try timeline.expect(merge(d, e, e.filter { _ in false }, c), toEmit: "abcde#", error: TestError("c"))
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(merge(never, never, never, never), with: Never.self))
    #expect(fails(merge(never, never, never, never, never, never), with: Never.self))
    #expect(fails(merge(error, error, error, error), with: TestError.self))
    #expect(fails(merge(error, never.setFailureType(to: TestError.self), error, error), with: TestError.self))
    #expect(fails(merge(error, never, error, error), with: (any Error).self))
    #expect(fails(merge(error, never, other, error, error), with: (any Error).self))
    #expect(fails(merge(error, never, other, error, error, error), with: (any Error).self))
  }

  @Test func aFailureAmongOthersArrives() async throws {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([Int](), failure: TestError("b")).mapError { _ in CancellationError() }
    let four = await collect(merge(never, never, other, never))
    #expect(four.error is CancellationError)
    let six = try collectInOrder(merge(never, never, error, never, never, never))
    #expect(six.error as? TestError == TestError("a"))
    #expect(six.values == [1, 1, 2, 1, 1, 1])
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(4) { merge($0[0], $0[1], $0[2], $0[3]) }
  }
}
