import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FlatMapMaxTasksTests {
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

  @Test func theElementsOfASequenceKeepTheirOrder() async {
    let numbers = await collect(ready([1, 2, 3]).flatMap(maxTasks: 2) { ready([$0, 10 * $0]) }).values
    #expect(numbers.filter { $0 < 10 }.sorted() == [1, 2, 3])
    for number in 1...3 { #expect(numbers.filter { $0 == number || $0 == 10 * number } == [number, 10 * number]) }
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
    #expect(await collect(numbers).values.sorted() == [1, 2])
    #expect(await collect(numbers).values.sorted() == [1, 2])
  }

  // MARK: How far ahead

  @Test func theBaseIsNotTakenBeyondTheLimit() async throws {
    let base = naturals()
    let inner = (0..<5).map { _ in Source() }
    var iterator = base.flatMap(maxTasks: 2) { inner[$0] }.makeAsyncIterator()
    inner[0].send(1)
    #expect(try await iterator.next() == 1)
    await inner[1].requested.wait()
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
    let (never, error, other) = (Inputs.never, Inputs.error, Inputs.other)
    await expectTypedFailures(
      none: never.flatMap(maxTasks: 1) { _ in never }, base: error.flatMap(maxTasks: 1) { _ in never },
      inner: never.flatMap(maxTasks: 1) { _ in error }, both: error.flatMap(maxTasks: 1) { _ in error },
      different: error.flatMap(maxTasks: 1) { _ in other })
  }

  // MARK: Lifetime

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
    #expect(object != nil)
    #expect(await iterator.next() == 1)
    #expect(await iterator.next() == nil)
    await until { object == nil }
  }

  @MainActor @Test func theConsumersActorIsKept() async {
    for await _ in naturals().flatMap(maxTasks: 3, { ready([$0, $0]) }).prefix(100) { MainActor.assertIsolated() }
  }
}
