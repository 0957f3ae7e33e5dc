import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FlatMapMaxTasksTests {
  private let timeline = TestTimeline()

  // MARK: Values

  @Test func elementsComeAsTheyArrive() throws {
    let inner = try timeline.sequence("x--y|")
    let base = try timeline.sequence("a-b-c|")
    try timeline.expect(base.flatMap(maxTasks: .max) { _ in inner }, toEmit: "x-xyxy-y|")
    try timeline.verifyFinished()
  }

  @Test func theBaseWaitsUntilOneOfTheSequencesHasEnded() throws {
    let inner = try timeline.sequence("x---y|")
    let base = try timeline.sequence("a-b-c|")
    try timeline.expect(base.flatMap(maxTasks: 2) { _ in inner }, toEmit: "x-x-yxy--y|")
  }

  @Test func oneAtATimeIsOneAfterTheOther() throws {
    let inner = try timeline.sequence("x--y|")
    try timeline.expect(try timeline.sequence("ab|").flatMap(maxTasks: 1) { _ in inner }, toEmit: "x--yx--y|")
  }

  @Test func sequencesWithElementsAvailableTakeTurns() async {
    let numbers = ready([1, 2, 3]).flatMap(maxTasks: 2) { ready([$0, 10 * $0]) }
    #expect(await collect(numbers).values == [1, 2, 10, 20, 3, 30])
  }

  @Test func emptySequences() async {
    #expect(await collect(ready([Int]()).flatMap(maxTasks: 1) { ready([$0]) }).values == [])
    #expect(await collect(ready([1, 2, 3]).flatMap(maxTasks: 2) { _ in ready([Int]()) }).values == [])
    #expect(
      await collect(ready(Array(0..<1_000)).flatMap(maxTasks: 3) { ready([$0]) }).values.sorted() == Array(0..<1_000))
  }

  @Test func itGoesOnWhenTheBaseHasEnded() throws {
    let inner = try timeline.sequence("--x--y|")
    try timeline.expect(try timeline.sequence("a|").flatMap(maxTasks: 2) { _ in inner }, toEmit: "--x--y|")
  }

  @Test func twoIteratorsAreTwoIterations() async {
    let numbers = ready([1, 2]).flatMap(maxTasks: 2) { ready([$0]) }
    #expect(await collect(numbers).values == [1, 2])
    #expect(await collect(numbers).values == [1, 2])
  }

  // MARK: How far ahead

  @Test func theBaseIsNotTakenBeyondTheLimit() async throws {
    let base = naturals()
    let inner = (0..<5).map { _ in Source() }
    var iterator = base.flatMap(maxTasks: 2) { inner[$0] }.makeAsyncIterator()
    inner[0].send(1)
    #expect(try await iterator.next() == 1)
    #expect(base.taken.value == 2)
    inner[0].finish()
    inner[1].send(2)
    #expect(try await iterator.next() == 2)
    await inner[2].requested.wait()
    #expect(base.taken.value == 3)
  }

  @Test func oneElementOfASequenceAtMostIsTakenAhead() async {
    let inner = [naturals(), naturals()]
    var iterator = ready([0, 1]).flatMap(maxTasks: 2) { inner[$0] }.makeAsyncIterator()
    for taken in 1...100 {
      _ = await iterator.next()
      #expect(inner[0].taken.value + inner[1].taken.value <= taken + 2)
    }
  }

  @Test func sequencesBeginWhileTheConsumerIsBusy() async throws {
    let base = Source()
    let inner = [Source(), Source()]
    var iterator = base.flatMap(maxTasks: 2) { inner[$0] }.makeAsyncIterator()
    base.send(0)
    inner[0].send(1)
    #expect(try await iterator.next() == 1)
    base.send(1)
    await inner[1].requested.wait()
    inner[1].send(2)
    #expect(try await iterator.next() == 2)
  }

  // MARK: Failure

  @Test func aFailureOfOneCancelsTheOthers() async throws {
    let base = Source()
    let inner = [Source(), Source()]
    base.send(0)
    base.send(1)
    inner[0].send(1)
    var iterator = base.flatMap(maxTasks: 3) { inner[$0] }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await inner[1].requested.wait()
    inner[1].send(2)
    await inner[1].taken.wait()
    inner[0].fail(TestError("inner"))
    #expect(try await iterator.next() == 2)
    await #expect(throws: TestError("inner")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    for source in [base] + inner { await source.released.wait() }
  }

  @Test func aFailureOfTheBaseCancelsTheSequences() async throws {
    let (base, inner) = (Source(), Source())
    base.send(0)
    inner.send(1)
    var iterator = base.flatMap(maxTasks: 3) { _ in inner }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    base.fail(TestError("base"))
    await #expect(throws: TestError("base")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    await inner.released.wait()
  }

  @Test func failuresAreTyped() async {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(never.flatMap(maxTasks: 1) { _ in never }, with: Never.self))
    #expect(fails(error.flatMap(maxTasks: 1) { _ in never }, with: TestError.self))
    #expect(fails(never.flatMap(maxTasks: 1) { _ in error }, with: TestError.self))
    #expect(fails(error.flatMap(maxTasks: 1) { _ in error }, with: TestError.self))
    #expect(fails(error.flatMap(maxTasks: 1) { _ in other }, with: (any Error).self))
    #expect(await collect(never.flatMap(maxTasks: 1) { _ in error }).error == TestError("a"))
    #expect(await collect(error.flatMap(maxTasks: 1) { _ in never }).error == TestError("a"))
    #expect(await collect(error.flatMap(maxTasks: 1) { _ in other }).error is CancellationError)
  }

  // MARK: Lifetime

  @Test func readyElementsComeWithoutAHop() async throws {
    try await CountingHome().expectNoHops(for: 10) { ready([0, 1]).flatMap(maxTasks: 2) { _ in naturals() } }
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].flatMap(maxTasks: 2) { ready([$0]) } }
    await expectConcurrentRules(1) { sources in ready([0]).flatMap(maxTasks: 2) { _ in sources[0] } }
    await expectConcurrentRules(2) { sources in ready([0, 1]).flatMap(maxTasks: 2) { sources[$0] } }
  }

  @Test func cancellingInVirtualTimeEndsIt() throws {
    let inner = try timeline.sequence("x--y-----")
    try timeline.expect(try timeline.sequence("a-b---").flatMap(maxTasks: 2) { _ in inner }, toEmit: "x-xy!")
    try timeline.verifyFinished()
  }

  @Test func theClosureIsReleasedAtTheEnd() async {
    final class Object: Sendable {}
    weak var object: Object?
    var iterator: AsyncConcurrentFlatMapSequence<ReadySource<Int, Never>, ReadySource<Int, Never>>.AsyncIterator
    do {
      let value = Object()
      object = value
      iterator = ready([1]).flatMap(maxTasks: 1) { number in withExtendedLifetime(value) { ready([number]) } }
        .makeAsyncIterator()
    }
    #expect(await iterator.next() == 1)
    #expect(object != nil)
    #expect(await iterator.next() == nil)
    await until { object == nil }
  }

  @MainActor @Test func theConsumersActorIsKept() async {
    for await _ in naturals().flatMap(maxTasks: 3, { ready([$0, $0]) }).prefix(100) { MainActor.assertIsolated() }
  }
}

@Suite(.timeLimit(.minutes(5))) struct FlatMapLatestTests {
  private let timeline = TestTimeline()

  @Test func anElementReplacesTheSequenceBefore() throws {
    let inner = try timeline.sequence("x-y-z|")
    let base = try timeline.sequence("a--b---|")
    try timeline.expect(base.flatMapLatest { _ in inner }, toEmit: "x-yx-y-z|")
    try timeline.verifyFinished()
  }

  @Test func itGoesOnWhenTheBaseHasEnded() throws {
    let inner = try timeline.sequence("--x--y|")
    try timeline.expect(try timeline.sequence("a|").flatMapLatest { _ in inner }, toEmit: "--x--y|")
  }

  @Test func itGoesOnWhenASequenceHasEnded() throws {
    let inner = try timeline.sequence("x|")
    try timeline.expect(try timeline.sequence("a--b--|").flatMapLatest { _ in inner }, toEmit: "x--x--|")
  }

  @Test func ofElementsThatAreAvailableTheLastOneCounts() async {
    let made = Shared(0)
    let latest = ready([1, 2, 3]).flatMapLatest { number in
      made.update { $0 += 1 }
      return ready([number, 10 * number])
    }
    #expect(await collect(latest).values == [3, 30])
    #expect(made.value == 3)
  }

  /// The element is there, but the consumer has not taken it when the base has a newer one.
  @Test func anElementThatHasArrivedIsDroppedWithItsSequence() async throws {
    let base = Source()
    let inner = [Source(), Source()]
    base.send(0)
    inner[0].send(1)
    var iterator = base.flatMapLatest { inner[$0] }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    // The request for another element is made by a call that waits, and is cancelled with its task only.
    inner[0].send(2)
    #expect(try await iterator.next() == 2)
    base.send(1)
    await inner[0].released.wait()
    await inner[1].requested.wait()
    inner[0].send(3)
    inner[1].send(4)
    #expect(try await iterator.next() == 4)
  }

  @Test func aSequenceThatIgnoresItsCancellationDeliversNothingMore() async throws {
    let base = Source()
    let proceed = Signal()
    let begun = Signal()
    let deaf = AsyncStream<Int>(unfolding: {
      begun.fire()
      await proceed.wait()
      return 1
    })
    let sequences: [AsyncStream<Int>] = [
      deaf,
      AsyncStream {
        $0.yield(2); $0.finish()
      },
    ]
    base.send(0)
    let latest = base.flatMapLatest { sequences[$0] }
    let task = Task { await collect(latest).values }
    await begun.wait()
    base.send(1)
    await base.requested.wait(3)
    proceed.fire()
    base.finish()
    #expect(await task.value == [2])
  }

  @Test func theBaseIsTakenWhileTheConsumerIsBusy() async throws {
    let base = Source()
    let inner = [Source(), Source(), Source()]
    base.send(0)
    inner[0].send(1)
    var iterator = base.flatMapLatest { inner[$0] }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    base.send(1)
    base.send(2)
    await inner[2].requested.wait()
    inner[2].send(2)
    #expect(try await iterator.next() == 2)
  }

  @Test func aFailureOfASequenceThatWasReplacedDoesNotCount() async throws {
    let base = Source()
    let inner = [Source(), Source()]
    base.send(0)
    inner[0].send(1)
    var iterator = base.flatMapLatest { inner[$0] }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    base.send(1)
    await inner[1].requested.wait()
    inner[0].fail(TestError("replaced"))
    inner[1].send(2)
    #expect(try await iterator.next() == 2)
    inner[1].fail(TestError("latest"))
    await #expect(throws: TestError("latest")) { try await iterator.next() }
    await base.released.wait()
  }

  @Test func failuresAreTyped() async {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(never.flatMapLatest { _ in never }, with: Never.self))
    #expect(fails(error.flatMapLatest { _ in never }, with: TestError.self))
    #expect(fails(never.flatMapLatest { _ in error }, with: TestError.self))
    #expect(fails(error.flatMapLatest { _ in error }, with: TestError.self))
    #expect(fails(error.flatMapLatest { _ in other }, with: (any Error).self))
    #expect(await collect(never.flatMapLatest { _ in error }).error == TestError("a"))
  }

  @Test func readyElementsComeWithoutAHop() async throws {
    try await CountingHome().expectNoHops(for: 10) { ready([0, 1]).flatMapLatest { _ in naturals() } }
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].flatMapLatest { ready([$0]) } }
    await expectConcurrentRules(1) { sources in ready([0]).flatMapLatest { _ in sources[0] } }
  }

  @Test func aBaseThatAlwaysHasAnElementIsCancelled() async {
    let base = naturals()
    for await _ in base.flatMapLatest({ ready([$0]) }) { break }
    await base.released.wait()
  }

  @Test func cancellingInVirtualTimeEndsIt() throws {
    let inner = try timeline.sequence("x--y-----")
    try timeline.expect(try timeline.sequence("a----b--").flatMapLatest { _ in inner }, toEmit: "x--y-x-!")
    try timeline.verifyFinished()
  }

  // MARK: switchToLatest

  @Test func sequencesOfSequencesAreSwitched() throws {
    let inner = try timeline.sequence("x-y-z|")
    let base = try timeline.sequence("a--b---|")
    try timeline.expect(base.map { _ in inner }.switchToLatest(), toEmit: "x-yx-y-z|")
  }

  @Test func failuresOfSequencesOfSequencesAreTyped() async {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(ready([never]).switchToLatest(), with: Never.self))
    #expect(fails(ready([error]).switchToLatest(), with: TestError.self))
    #expect(fails(ready([never], failure: TestError("b")).switchToLatest(), with: TestError.self))
    #expect(fails(ready([error], failure: TestError("b")).switchToLatest(), with: TestError.self))
    #expect(fails(ready([other], failure: TestError("b")).switchToLatest(), with: (any Error).self))
    #expect(await collect(ready([error]).switchToLatest()).error == TestError("a"))
  }
}

@Suite(.timeLimit(.minutes(5))) struct FlatMapFirstTests {
  private let timeline = TestTimeline()

  @Test func elementsAreDroppedWhileASequenceRuns() throws {
    let inner = try timeline.sequence("x--y|")
    let base = try timeline.sequence("a-b---c|")
    try timeline.expect(base.flatMapFirst { _ in inner }, toEmit: "x--y--x--y|")
    try timeline.verifyFinished()
  }

  @Test func ofElementsThatAreAvailableTheFirstOneCounts() async {
    let made = Shared(0)
    let first = ready([1, 2, 3]).flatMapFirst { number in
      made.update { $0 += 1 }
      return ready([number, 10 * number])
    }
    #expect(await collect(first).values == [1, 10])
    #expect(made.value == 1)
  }

  @Test func aSequenceWhoseElementWaitsForTheConsumerRuns() async throws {
    let base = Source()
    let inner = [Source(), Source()]
    base.send(0)
    inner[0].send(1)
    inner[0].send(2)
    var iterator = base.flatMapFirst { inner[$0] }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    base.send(1)
    await base.requested.wait(3)
    inner[0].finish()
    #expect(try await iterator.next() == 2)
    base.finish()
    #expect(try await iterator.next() == nil)
    #expect(inner[1].requested.count == 0)
  }

  @Test func aFailureOfTheSequenceEndsIt() async throws {
    let (base, inner) = (Source(), Source())
    base.send(0)
    inner.fail(TestError("inner"))
    var iterator = base.flatMapFirst { _ in inner }.makeAsyncIterator()
    await #expect(throws: TestError("inner")) { try await iterator.next() }
    await base.released.wait()
  }

  @Test func failuresAreTyped() async {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(never.flatMapFirst { _ in never }, with: Never.self))
    #expect(fails(error.flatMapFirst { _ in never }, with: TestError.self))
    #expect(fails(never.flatMapFirst { _ in error }, with: TestError.self))
    #expect(fails(error.flatMapFirst { _ in error }, with: TestError.self))
    #expect(fails(error.flatMapFirst { _ in other }, with: (any Error).self))
    #expect(await collect(never.flatMapFirst { _ in error }).error == TestError("a"))
  }

  @Test func readyElementsComeWithoutAHop() async throws {
    try await CountingHome().expectNoHops(for: 10) { ready([0, 1]).flatMapFirst { _ in naturals() } }
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].flatMapFirst { ready([$0]) } }
    await expectConcurrentRules(1) { sources in ready([0]).flatMapFirst { _ in sources[0] } }
  }

  @Test func aBaseThatAlwaysHasAnElementIsCancelled() async {
    let base = naturals()
    var count = 0
    for await _ in base.flatMapFirst({ ready([$0]) }) {
      count += 1
      if count == 100 { break }
    }
    await base.released.wait()
  }
}
