import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FlatMapFirstTests {
  private let timeline = TestTimeline()

  @Test func elementsAreDroppedWhileASequenceRuns() throws {
    let inner = try timeline.sequence("x--y|")
    let base = try timeline.sequence("a-b---c|")
    try timeline.expect(base.flatMapFirst { _ in inner }, toEmit: "x--y--x--y|")
    try timeline.verifyFinished()
  }

  @Test func ofElementsThatAreAvailableTheFirstOneCounts() throws {
    let made = Shared(0)
    let first = ready([1, 2, 3]).flatMapFirst { number in
      made.update { $0 += 1 }
      return ready([number, 10 * number])
    }
    #expect(try collectInOrder(first).values == [1, 10])
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
    let (never, error, other) = (Inputs.never, Inputs.error, Inputs.other)
    await expectTypedFailures(
      none: never.flatMapFirst { _ in never }, base: error.flatMapFirst { _ in never },
      inner: never.flatMapFirst { _ in error }, both: error.flatMapFirst { _ in error },
      different: error.flatMapFirst { _ in other })
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
