import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncMerge2SequenceTests {
  // MARK: Values

  @Test func elementsComeAsTheyArrive() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a--c--e|"), try timeline.sequence("-b--d|"))
    try timeline.expect(merge(a, b), toEmit: "ab-cd-e|")
  }

  @Test func elementsOfOneInstantComeInTheOrderOfTheBases() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("-a-c|"), try timeline.sequence("-b-d|"))
    try timeline.expect(merge(a, b), toEmit: "-(ab)-(cd)|")
  }

  @Test func aBaseThatNeverEndsKeepsItOpen() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a-"), try timeline.sequence("-b|"))
    try timeline.expect(merge(a, b), toEmit: "ab----")
  }

  @Test func cancellingInVirtualTimeEndsIt() throws {
    let timeline = TestTimeline()
    let (a, b) = (try timeline.sequence("a-a-a-"), try timeline.sequence("-b"))
    try timeline.expect(merge(a, b), toEmit: "aba-!")
    try timeline.verifyFinished()
  }

  @Test func theElementsOfABaseKeepTheirOrder() async {
    let merged = await collect(merge(ready(Array(0..<1_000)), ready(Array(1_000..<1_500)))).values
    #expect(merged.filter { $0 < 1_000 } == Array(0..<1_000))
    #expect(merged.filter { $0 >= 1_000 } == Array(1_000..<1_500))
  }

  @Test func emptyBasesEndAtOnce() async {
    #expect(await collect(merge(ready([Int]()), ready([Int]()))).values == [])
    #expect(await collect(merge(ready([Int]()), ready([1, 2]))).values == [1, 2])
  }

  @Test func twoIteratorsAreTwoIterations() async {
    let merged = merge(ready([1]), ready([2]))
    #expect(await collect(merged).values.sorted() == [1, 2])
    #expect(await collect(merged).values.sorted() == [1, 2])
  }

  // MARK: How far ahead

  @Test func oneElementOfABaseAtMostIsTakenAhead() async {
    let (a, b) = (naturals(), naturals())
    var iterator = merge(a, b).makeAsyncIterator()
    for taken in 1...100 {
      _ = await iterator.next()
      #expect(a.taken.value + b.taken.value <= taken + 2)
    }
  }

  @Test func nothingIsTakenBeforeTheFirstNext() async {
    let (a, b) = (naturals(), naturals())
    let iterator = merge(a, b).makeAsyncIterator()
    withExtendedLifetime(iterator) { #expect(a.taken.value + b.taken.value == 0) }
  }

  /// Each delivers one element while the consumer is busy, and no more.
  @Test func aSlowConsumerGetsWhatArrivedMeanwhile() async throws {
    let (a, b) = (Source(), Source())
    var iterator = merge(a, b).makeAsyncIterator()
    a.send(1)
    #expect(try await iterator.next() == 1)
    a.send(3)
    a.send(5)
    await a.taken.wait(2)
    b.send(2)
    b.send(4)
    await b.taken.wait()
    #expect(a.taken.count == 2)
    #expect(b.taken.count == 1)
    #expect(try await iterator.next() == 3)
    #expect(try await iterator.next() == 2)
    var rest: Set<Int> = []
    for _ in 0..<2 { rest.insert(try await iterator.next() ?? 0) }
    #expect(rest == [4, 5])
  }

  @Test func aConsumerThatStopsInAnEndlessInputReleasesIt() async {
    let (a, b) = (naturals(), naturals())
    var count = 0
    for await _ in merge(a, b) {
      count += 1
      if count == 1_000 { break }
    }
    await a.released.wait()
    await b.released.wait()
  }

  // MARK: Failure

  @Test func aFailureComesAfterTheElements() throws {
    let timeline = TestTimeline()
    let a = try timeline.sequence("a-c-#", error: TestError("a"))
    let b = try timeline.sequence("-b-d-e|", error: TestError?.none)
    try timeline.expect(merge(a, b), toEmit: "abcd#", error: TestError("a"))
  }

  @Test func elementsThatArrivedBeforeAFailureAreDeliveredFirst() async throws {
    let (a, b) = (Source(), Source())
    var iterator = merge(a, b).makeAsyncIterator()
    a.send(1)
    #expect(try await iterator.next() == 1)
    b.send(2)
    await b.taken.wait()
    a.fail(TestError("a"))
    #expect(try await iterator.next() == 2)
    await #expect(throws: TestError("a")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func failuresAreTyped() async throws {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(merge(never, never), with: Never.self))
    #expect(fails(merge(never, error), with: TestError.self))
    #expect(fails(merge(error, never), with: TestError.self))
    #expect(fails(merge(error, error), with: TestError.self))
    #expect(fails(merge(error, other), with: (any Error).self))
    #expect(await collect(merge(never, error)).error == TestError("a"))
    #expect(await collect(merge(error, never)).error == TestError("a"))
    #expect(try collectInOrder(merge(error, other)).error is TestError)
  }

  @Test func theTypeMayBeStated() async {
    let merged: AsyncMerge2Sequence<ReadySource<Int, TestError>, ReadySource<Int, Never>> = merge(
      ready([1], failure: TestError("a")), ready([2]))
    #expect(await collect(merged).error == TestError("a"))
  }

  // MARK: Lifetime

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(2) { merge($0[0], $0[1]) }
  }

  /// It yields without end, and never has an element.
  @Test func aBaseThatOnlyYieldsDoesNotKeepTheOther() async {
    let spinning = AsyncStream<Int>(unfolding: {
      while !Task.isCancelled { await Task.yield() }
      return nil
    })
    let source = ManualSource<Int, Never>()
    var iterator = merge(spinning, source).makeAsyncIterator()
    Task.detached {
      await source.requested.wait()
      source.send(1)
    }
    #expect(await iterator.next() == 1)
  }
}
