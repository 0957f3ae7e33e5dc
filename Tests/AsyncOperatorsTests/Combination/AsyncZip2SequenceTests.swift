import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncZip2SequenceTests {
  // MARK: Values

  @Test func elementsMeetInOrder() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--b-c-|"), try timeline.sequence("-1-2--3-|"))
    let zipped = zip(a, b).map { $0 + $1 }
    try timeline.expect(zipped, toEmit: "-x-y--z|", values: ["x": "a1", "y": "b2", "z": "c3"])
  }

  @Test func theShorterBaseEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a-|"), try timeline.sequence("1--2-"))
    try timeline.expect(zip(a, b).map { $0 + $1 }, toEmit: "x-|", values: ["x": "a1"])
    try timeline.expect(zip(b, a).map { $0 + $1 }, toEmit: "x-|", values: ["x": "1a"])
  }

  @Test func aBaseThatNeverEndsKeepsItOpen() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a-"), try timeline.sequence("1-2"))
    try timeline.expect(zip(a, b).map { $0 + $1 }, toEmit: "x----", values: ["x": "a1"])
  }

  @Test func cancellingInVirtualTimeEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--b"), try timeline.sequence("1-2-"))
    try timeline.expect(zip(a, b).map { $0 + $1 }, toEmit: "x-!", values: ["x": "a1"])
    try timeline.verifyFinished()
  }

  @Test func elementsAvailableMakeTuples() async {
    let values = await collect(zip(ready([1, 2, 3]), ready(["a", "b"]))).values
    #expect(values.map(\.0) == [1, 2])
    #expect(values.map(\.1) == ["a", "b"])
  }

  @Test func anEmptyBaseEndsItAtOnce() async {
    #expect(await collect(zip(ready([Int]()), naturals())).values.isEmpty)
    #expect(await collect(zip(naturals(), ready([Int]()))).values.isEmpty)
  }

  // MARK: How far ahead

  @Test func nothingIsTakenAhead() async {
    let (a, b) = (naturals(), naturals())
    var iterator = zip(a, b).makeAsyncIterator()
    #expect(a.taken.value + b.taken.value == 0)
    for taken in 1...100 {
      _ = await iterator.next()
      #expect(a.taken.value == taken)
      #expect(b.taken.value == taken)
    }
  }

  @Test func aConsumerThatStopsInAnEndlessInputReleasesIt() async {
    let (a, b) = (naturals(), naturals())
    for await (left, right) in zip(a, b) {
      #expect(left == right)
      if left == 1_000 { break }
    }
    await a.released.wait()
    await b.released.wait()
  }

  /// The other base's element is requested while the first one waits, and not only after it.
  @Test func bothBasesAreAskedAtOnce() async throws {
    let (a, b) = (Source(), Source())
    let task = Task { try await zip(a, b).first { _ in true } }
    await a.requested.wait()
    await b.requested.wait()
    b.send(2)
    await b.taken.wait()
    a.send(1)
    let tuple = try await task.value
    #expect(tuple?.0 == 1 && tuple?.1 == 2)
  }

  // MARK: Failure

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let a = try timeline.sequence("a-b-#", error: TestError("a"))
    let b = try timeline.sequence("1-2-3|", error: TestError?.none)
    try timeline.expect(
      zip(a, b).map { $0 + $1 }, toEmit: "x-y-#", values: ["x": "a1", "y": "b2"], error: TestError("a"))
  }

  @Test func aFailureDropsAPartnerThatHasArrived() async throws {
    let (a, b) = (Source(), Source())
    let task = Task { try await zip(a, b).first { _ in true } }
    a.send(1)
    await a.taken.wait()
    await b.requested.wait()
    b.fail(TestError("b"))
    await #expect(throws: TestError("b")) { _ = try await task.value }
    await a.released.wait()
  }

  @Test func failuresAreTyped() async throws {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(zip(never, never), with: Never.self))
    #expect(fails(zip(never, error), with: TestError.self))
    #expect(fails(zip(error, never), with: TestError.self))
    #expect(fails(zip(error, error), with: TestError.self))
    #expect(fails(zip(error, other), with: (any Error).self))
    #expect(await collect(zip(naturals(), error)).error == TestError("a"))
    #expect(await collect(zip(error, naturals())).error == TestError("a"))
  }

  // MARK: Lifetime

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(2) { zip($0[0], $0[1]) }
  }
}
