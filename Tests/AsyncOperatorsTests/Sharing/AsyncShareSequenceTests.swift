import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncShareSequenceTests {
  private static let policies: [AsyncBufferSequencePolicy] = [
    .bounded(0), .bounded(1), .bounded(3), .unbounded, .bufferingLatest(1_000_000), .bufferingOldest(1_000_000),
  ]

  // MARK: Values

  @Test(arguments: 0..<6) func elementsComeAtTheirTimes(policy: Int) throws {
    let timeline = TestTimeline()
    let policy = Self.policies[policy]
    try timeline.expect(try timeline.sequence("a-b--(cd)|").share(bufferingPolicy: policy), toEmit: "a-b--(cd)|")
    let failing = try timeline.sequence("a-#", error: TestError("a")).share(bufferingPolicy: policy)
    try timeline.expect(failing, toEmit: "a-#", error: TestError("a"))
    try timeline.expect(failing, toEmit: "#", error: TestError("a"))
  }

  @Test func anInputThatNeverEndsKeepsItOpen() throws {
    let timeline = TestTimeline()
    do {
      let shared = try timeline.sequence("a-b-").share()
      try timeline.expect(shared, toEmit: "a-b--!")
      try timeline.expect(shared, toEmit: "----!")
    }
    timeline.advance()
    try timeline.verifyFinished()
  }

  @Test(arguments: 0..<6) func allConsumersGetAllElements(policy: Int) async {
    let numbers = Array(0..<2_000)
    let source = ready(numbers)
    let shared = source.share(bufferingPolicy: Self.policies[policy])
    let consumers = (0..<4).map { _ in Passed(shared.makeAsyncIterator()) }
    let tasks = consumers.map { consumer in
      Task {
        var iterator = consumer.value
        var values: [Int] = []
        while let value = await iterator.next() { values.append(value) }
        return values
      }
    }
    for task in tasks { #expect(await task.value == numbers) }
    #expect(source.taken.value == 2_000 && source.released.count == 1)
  }

  @Test func aLateConsumerGetsWhatArrivesAfterIt() async throws {
    let source = Source()
    let shared = source.share(bufferingPolicy: .unbounded)
    var first = shared.makeAsyncIterator()
    source.send(1)
    #expect(try await first.next() == 1)
    await source.requested.wait(2)
    var second = shared.makeAsyncIterator()
    source.send(2)
    source.finish()
    #expect(try await second.next() == 2)
    #expect(try await second.next() == nil)
    #expect(try await first.next() == 2)
    #expect(try await first.next() == nil)
    #expect(await collect(shared).values == [])
  }

  @Test(arguments: 1..<6) func aLateConsumerGetsWhatIsBufferedForAnother(policy: Int) throws {
    // In virtual time, the base is as far ahead as it can be when the clock has slept.
    let timeline = TestTimeline()
    let elements = try timeline.run {
      let shared = ready([1, 2, 3]).share(bufferingPolicy: Self.policies[policy])
      var first = shared.makeAsyncIterator()
      var elements = [await first.next()]
      try await timeline.clock.sleep(for: .seconds(1))
      var second = shared.makeAsyncIterator()
      elements.append(await second.next())
      for _ in 2...3 { elements.append(await first.next()) }
      elements.append(await second.next())
      return elements
    }
    #expect(elements == [1, 2, 2, 3, 3])
  }

  @Test func ofSeveralBuffersTheLongestIsGiven() async throws {
    let shared = naturals().share(bufferingPolicy: .bounded(3))
    var (fast, slow) = (shared.makeAsyncIterator(), shared.makeAsyncIterator())
    for number in 0..<3 { #expect(await fast.next() == number) }
    #expect(await slow.next() == 0)
    var late = shared.makeAsyncIterator()
    #expect(await late.next() == 1)
    #expect(await late.next() == 2)
    #expect(await slow.next() == 1)
    withExtendedLifetime(fast) {}
  }

  @Test func consumersInOneOperatorDoNotWaitForEachOther() async {
    let shared = ready(Array(0..<100)).share()
    let pairs = await collect(zip(shared, shared)).values
    #expect(pairs.map(\.0) == Array(0..<100))
    #expect(pairs.map(\.1) == Array(0..<100))
  }

  @Test func theNewestElementsAreReplayed() throws {
    let timeline = TestTimeline()
    let shared = try timeline.sequence("abc-d-#", error: TestError("a")).share(replay: 2)
    try timeline.expect(shared, toEmit: "abc!")
    try timeline.expect(shared, toEmit: "(bc)d-#", error: TestError("a"))
    try timeline.expect(shared, toEmit: "(cd#)", error: TestError("a"))
  }

  @Test func theNewestAreReplayedThoughAnotherBufferHasOlderOnes() async throws {
    let source = Source()
    let shared = source.share(replay: 2, bufferingPolicy: .bufferingOldest(3))
    var (fast, slow) = (shared.makeAsyncIterator(), shared.makeAsyncIterator())
    for value in 1...9 {
      source.send(value)
      #expect(try await fast.next() == value)
    }
    var late = shared.makeAsyncIterator()
    #expect(try await late.next() == 8)
    #expect(try await late.next() == 9)
    #expect(try await slow.next() == 1)
  }

  // MARK: How far ahead

  @Test func nothingIsTakenBeforeTheFirstNext() async throws {
    let source = Source()
    let shared = source.share(bufferingPolicy: .unbounded)
    var iterator = shared.makeAsyncIterator()
    for _ in 0..<20 { await Task.yield() }
    #expect(source.requested.count == 0)
    source.send(1)
    #expect(try await iterator.next() == 1)
  }

  @Test func theSlowestConsumerSetsThePace() async throws {
    let source = Source()
    let shared = source.share(bufferingPolicy: .bounded(2))
    var fast = shared.makeAsyncIterator()
    var slow = shared.makeAsyncIterator()
    for value in 1...9 { source.send(value) }
    #expect(try await fast.next() == 1)
    #expect(try await fast.next() == 2)
    for _ in 0..<50 { await Task.yield() }
    #expect(source.requested.count == 2)
    #expect(try await slow.next() == 1)
    #expect(try await fast.next() == 3)
    for _ in 0..<50 { await Task.yield() }
    #expect(source.requested.count == 3)
    for value in 2...7 {
      #expect(try await slow.next() == value)
      #expect(try await fast.next() == value + 2)
    }
    for value in 8...9 { #expect(try await slow.next() == value) }
  }

  @Test func aSlowConsumerThatLeavesHoldsUpNothing() async throws {
    let source = Source()
    let shared = source.share()
    var fast = shared.makeAsyncIterator()
    for value in 1...5 { source.send(value) }
    source.finish()
    do {
      let slow = shared.makeAsyncIterator()
      #expect(try await fast.next() == 1)
      for _ in 0..<50 { await Task.yield() }
      #expect(source.requested.count == 1)
      withExtendedLifetime(slow) {}
    }
    for value in 2...5 { #expect(try await fast.next() == value) }
    #expect(try await fast.next() == nil)
  }

  @Test func aLimitOfZeroTakesAnElementWhenAllWait() async throws {
    let source = Source()
    let shared = source.share(bufferingPolicy: .bounded(0))
    let first = Passed(shared.makeAsyncIterator())
    var second = shared.makeAsyncIterator()
    source.send(1)
    let task = Task {
      var iterator = first.value
      return try await iterator.next()
    }
    for _ in 0..<50 { await Task.yield() }
    #expect(source.requested.count == 0)
    #expect(try await second.next() == 1)
    #expect(try await task.value == 1)
    for _ in 0..<50 { await Task.yield() }
    #expect(source.requested.count == 1)
  }

  @Test func onlySlowConsumersLoseElements() async throws {
    let source = Source()
    let latest = source.share(bufferingPolicy: .bufferingLatest(2))
    var fast = latest.makeAsyncIterator()
    var slow = latest.makeAsyncIterator()
    for value in 1...5 {
      source.send(value)
      #expect(try await fast.next() == value)
    }
    #expect(try await slow.next() == 4)
    #expect(try await slow.next() == 5)
    #expect(fast.droppedCount == 0 && slow.droppedCount == 3)
    let other = Source()
    let oldest = other.share(bufferingPolicy: .bufferingOldest(2))
    fast = oldest.makeAsyncIterator()
    slow = oldest.makeAsyncIterator()
    for value in 1...5 {
      other.send(value)
      #expect(try await fast.next() == value)
    }
    #expect(try await slow.next() == 1)
    #expect(try await slow.next() == 2)
    #expect(fast.droppedCount == 0 && slow.droppedCount == 3)
  }

  // MARK: Leaving

  @Test func nothingIsTakenWhileNoConsumerIsThere() async throws {
    let source = Source()
    let shared = source.share(bufferingPolicy: .unbounded)
    do {
      var iterator = shared.makeAsyncIterator()
      source.send(1)
      #expect(try await iterator.next() == 1)
      await source.requested.wait(2)
    }
    // The base was making this one already.
    source.send(2)
    await source.taken.wait(2)
    for _ in 0..<50 { await Task.yield() }
    #expect(source.requested.count == 2)
    var iterator = shared.makeAsyncIterator()
    for _ in 0..<50 { await Task.yield() }
    #expect(source.requested.count == 2)
    source.send(3)
    #expect(try await iterator.next() == 2)
    #expect(try await iterator.next() == 3)
    #expect(source.released.count == 0)
  }

  @Test func theBaseIsCancelledWithTheLastConsumerAndTheSequence() async throws {
    let source = Source()
    do {
      let iterator: AsyncShareSequence<Int, TestError>.Iterator
      do {
        let shared = source.share()
        var first = shared.makeAsyncIterator()
        source.send(1)
        #expect(try await first.next() == 1)
        await source.requested.wait(2)
        iterator = shared.makeAsyncIterator()
      }
      source.send(2)
      var second = iterator
      #expect(try await second.next() == 2)
      #expect(source.cancelled.count == 0)
    }
    await source.released.wait()
  }

  @Test func theBaseIsCancelledWhenTheSequenceIsReleasedLast() async throws {
    let source = Source()
    do {
      let shared = source.share()
      do {
        var iterator = shared.makeAsyncIterator()
        source.send(1)
        #expect(try await iterator.next() == 1)
        await source.requested.wait(2)
      }
      for _ in 0..<20 { await Task.yield() }
      #expect(source.cancelled.count == 0)
      withExtendedLifetime(shared) {}
    }
    await source.cancelled.wait()
    await source.released.wait()
  }

  @Test func aSequenceThatIsNotIteratedReleasesItsBase() {
    let alive = LifetimeCounter()
    do {
      let shared = Held(token: alive.make()).share()
      let iterator = shared.makeAsyncIterator()
      #expect(alive.count == 1)
      withExtendedLifetime((shared, iterator)) {}
    }
    #expect(alive.count == 0)
  }

  @Test func aCancelledConsumerStopsNoOther() async throws {
    let source = Source()
    let shared = source.share()
    var other = shared.makeAsyncIterator()
    let task = Task {
      var iterator = shared.makeAsyncIterator()
      let first = try await iterator.next()
      let second = try await iterator.next()
      return first == nil && second == nil
    }
    await source.requested.wait()
    task.cancel()
    #expect(try await task.value)
    source.send(1)
    source.finish()
    #expect(try await other.next() == 1)
    #expect(try await other.next() == nil)
  }

  @Test func aFailureComesOnceToEachConsumer() async throws {
    let source = Source()
    let shared = source.share(bufferingPolicy: .unbounded)
    var consumers = [shared.makeAsyncIterator(), shared.makeAsyncIterator()]
    source.send(1)
    source.fail(TestError("a"))
    for index in consumers.indices {
      #expect(try await consumers[index].next() == 1)
      await #expect(throws: TestError("a")) { try await consumers[index].next() }
      #expect(try await consumers[index].next() == nil)
    }
    await source.released.wait()
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    for policy in Self.policies { await expectConcurrentRules(1) { $0[0].share(bufferingPolicy: policy) } }
    await expectConcurrentRules(1) { $0[0].share(replay: 2) }
  }

  @Test func aBaseThatIsNotSendableIsShared() async {
    let shared = NotSendable().share()
    #expect(await collect(shared).values == [0, 1, 2])
  }

  @MainActor @Test func theConsumersActorIsKept() async {
    for await _ in naturals().share().prefix(50) { MainActor.assertIsolated() }
  }

  @Test func aNegativeReplayTraps() async {
    await #expect(processExitsWith: .failure) { _ = ready([1]).share(replay: -1) }
  }
}

/// Passed to the task that uses it.
struct Passed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

private struct Held: AsyncSequence, Sendable {
  let token: LifetimeCounter.Token
  func makeAsyncIterator() -> AsyncStream<Int>.Iterator { AsyncStream<Int> { _ in }.makeAsyncIterator() }
}

private final class NotSendable: AsyncSequence {
  private var next = 0
  func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  struct Iterator: AsyncIteratorProtocol {
    let base: NotSendable
    func next() async -> Int? { await next(isolation: nil) }
    func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard base.next < 3 else { return nil }
      defer { base.next += 1 }
      return base.next
    }
  }
}
