import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncBufferSequenceTests {
  private static let policies: [AsyncBufferSequencePolicy] = [
    .bounded(1), .bounded(2), .bounded(64), .unbounded, .bufferingLatest(1_000_000), .bufferingOldest(1_000_000),
  ]

  // MARK: Values

  @Test(arguments: [0, 1, 3]) func elementsComeAtTheirTimes(limit: Int) throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("a-b--(cd)|").buffer(policy: .bounded(limit)), toEmit: "a-b--(cd)|")
    let failing = try timeline.sequence("a-#", error: TestError("a"))
    try timeline.expect(failing.buffer(policy: .bufferingLatest(limit)), toEmit: "a-#", error: TestError("a"))
  }

  @Test(arguments: 0..<6) func allElementsComeInOrder(policy: Int) async {
    let numbers = Array(0..<10_000)
    #expect(await collect(ready(numbers).buffer(policy: Self.policies[policy])).values == numbers)
  }

  @Test func anInputThatNeverEndsKeepsItOpen() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("a-b-").buffer(policy: .unbounded), toEmit: "a-b-----")
    try timeline.expect(try timeline.sequence("a-b-").buffer(policy: .bounded(1)), toEmit: "a-b--!")
    try timeline.verifyFinished()
  }

  // MARK: Policies

  @Test func aBoundedBufferMakesTheBaseWait() async throws {
    let source = Source()
    var iterator = source.buffer(policy: .bounded(3)).makeAsyncIterator()
    for value in 0..<10 { source.send(value) }
    #expect(try await iterator.next() == 0)
    await source.taken.wait(4)
    #expect(source.requested.count == 4)
    #expect(try await iterator.next() == 1)
    await source.taken.wait(5)
    #expect(source.requested.count == 5)
    for value in 2..<10 { #expect(try await iterator.next() == value) }
  }

  @Test func aFullBufferIsNeverExceeded() async {
    let source = naturals()
    var iterator = source.buffer(policy: .bounded(20)).makeAsyncIterator()
    for taken in 1...2_000 {
      _ = await iterator.next()
      #expect(source.taken.value <= taken + 20)
    }
  }

  @Test func theLatestElementsAreKept() async throws {
    let source = Source()
    var iterator = source.buffer(policy: .bufferingLatest(2)).makeAsyncIterator()
    source.send(0)
    #expect(try await iterator.next() == 0)
    for value in 1...5 { source.send(value) }
    await source.requested.wait(7)
    #expect(try await iterator.next() == 4)
    source.send(6)
    await source.requested.wait(8)
    source.send(7)
    await source.requested.wait(9)
    #expect(try await iterator.next() == 6)
    #expect(try await iterator.next() == 7)
  }

  @Test func theOldestElementsAreKept() async throws {
    let source = Source()
    var iterator = source.buffer(policy: .bufferingOldest(2)).makeAsyncIterator()
    source.send(0)
    #expect(try await iterator.next() == 0)
    for value in 1...5 { source.send(value) }
    await source.requested.wait(7)
    #expect(try await iterator.next() == 1)
    source.send(6)
    await source.requested.wait(8)
    #expect(try await iterator.next() == 2)
    #expect(try await iterator.next() == 6)
  }

  @Test func withoutALimitNothingWaits() async throws {
    let source = Source()
    var iterator = source.buffer(policy: .unbounded).makeAsyncIterator()
    source.send(0)
    #expect(try await iterator.next() == 0)
    for value in 1...1_000 { source.send(value) }
    await source.requested.wait(1_002)
    source.finish()
    for value in 1...1_000 { #expect(try await iterator.next() == value) }
    #expect(try await iterator.next() == nil)
  }

  @Test func aLimitOfZeroTakesNothingAhead() async {
    let source = naturals()
    var iterator = source.buffer(policy: .bounded(0)).makeAsyncIterator()
    for taken in 1...100 {
      _ = await iterator.next()
      #expect(source.taken.value == taken)
    }
  }

  @Test func nothingIsTakenBeforeTheFirstNext() {
    let source = Source()
    let iterator = source.buffer(policy: .unbounded).makeAsyncIterator()
    withExtendedLifetime(iterator) { #expect(source.requested.count == 0) }
  }

  // MARK: The end

  @Test func aFailureComesAfterTheBufferedElements() async throws {
    let source = Source()
    var iterator = source.buffer(policy: .bounded(8)).makeAsyncIterator()
    for value in 0..<5 { source.send(value) }
    source.fail(TestError("a"))
    for value in 0..<5 { #expect(try await iterator.next() == value) }
    await #expect(throws: TestError("a")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    await source.released.wait()
  }

  @Test func failuresAreTyped() {
    #expect(fails(ready([1]).buffer(policy: .unbounded), with: Never.self))
    #expect(fails(ready([1], failure: TestError("a")).buffer(policy: .unbounded), with: TestError.self))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    for policy in Self.policies { await expectConcurrentRules(1) { $0[0].buffer(policy: policy) } }
  }

  @Test func droppingTheIteratorReleasesAnEndlessBase() async {
    for policy in Self.policies.prefix(3) + [.bufferingLatest(3), .bufferingOldest(3)] {
      let source = naturals()
      for await value in source.buffer(policy: policy) where value > 500 { break }
      await source.released.wait()
    }
  }

  /// The producer waits for room when the consumer stops.
  @Test func droppingTheIteratorReleasesABaseThatWaitsForRoom() async throws {
    let source = Source()
    do {
      var iterator = source.buffer(policy: .bounded(1)).makeAsyncIterator()
      for value in 0..<3 { source.send(value) }
      #expect(try await iterator.next() == 0)
      await source.taken.wait(2)
    }
    await source.released.wait()
    #expect(source.taken.count == 2)
  }

  @Test func bufferedElementsComeWithoutAHop() async throws {
    let source = ManualSource<Int, Never>()
    for number in 0...10 { source.send(number) }
    try await CountingActor().expectNoHops(for: 10) {
      source.buffer(policy: .unbounded)
    } after: {
      // The eleventh element is in the buffer when the base's next element is requested.
      await source.requested.wait(12)
    }
  }

  // MARK: Misuse

  @Test func aNegativeLimitTraps() async {
    await #expect(processExitsWith: .failure) { _ = AsyncBufferSequencePolicy.bounded(-1) }
  }
}
