import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FlatMapLatestTests {
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

  @Test func ofElementsThatAreAvailableTheLastOneCounts() throws {
    let made = Shared(0)
    let latest = ready([1, 2, 3]).flatMapLatest { number in
      made.update { $0 += 1 }
      return ready([number, 10 * number])
    }
    #expect(try collectInOrder(latest).values == [3, 30])
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
    let (never, error, other) = (Inputs.never, Inputs.error, Inputs.other)
    await expectTypedFailures(
      none: never.flatMapLatest { _ in never }, base: error.flatMapLatest { _ in never },
      inner: never.flatMapLatest { _ in error }, both: error.flatMapLatest { _ in error },
      different: error.flatMapLatest { _ in other })
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
