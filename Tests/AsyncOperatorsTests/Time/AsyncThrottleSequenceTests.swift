import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncThrottleSequenceTests {
  private let timeline = TestTimeline()

  @Test func oneElementInAnInterval() throws {
    let source = try timeline.sequence("abcdefgh|")
    let clock = timeline.clock
    try timeline.expect(source.throttle(for: .seconds(3), clock: clock), toEmit: "a--d--g--(h|)")
    try timeline.expect(source.throttle(for: .seconds(3), clock: clock, latest: false), toEmit: "a--b--e--(h|)")
  }

  @Test func elementsFurtherApartAreDeliveredAtOnce() throws {
    let source = try timeline.sequence("-a--b---c|")
    try timeline.expect(source.throttle(for: .seconds(3), clock: timeline.clock), toEmit: "-a--b---c|")
  }

  @Test func elementsAreReduced() throws {
    let source = try timeline.sequence("abcdef|")
    let reduced = source.throttle(for: .seconds(3), clock: timeline.clock) { ($0 ?? "") + $1 }
    try timeline.expect(reduced, toEmit: "a--x--(y|)", values: ["a": "a", "x": "bcd", "y": "ef"])
  }

  @Test func theRestWaitsForTheEndOfTheInterval() throws {
    let source = try timeline.sequence("ab|")
    try timeline.expect(source.throttle(for: .seconds(5), clock: timeline.clock), toEmit: "a----(b|)")
  }

  @Test func aFailureComesAtOnceWithoutTheRest() throws {
    let source = try timeline.sequence("ab#", error: TestError("a"))
    try timeline.expect(source.throttle(for: .seconds(5), clock: timeline.clock), toEmit: "a-#", error: TestError("a"))
  }

  @Test func cancellingEndsTheWaitForTheEndOfTheInterval() throws {
    let source = try timeline.sequence("ab|")
    try timeline.expect(source.throttle(for: .seconds(5), clock: timeline.clock), toEmit: "a--!")
    try timeline.verifyFinished()
  }

  @Test func nothingIsTakenAhead() async {
    let source = naturals()
    var iterator = source.throttle(for: .zero).makeAsyncIterator()
    for taken in 1...100 {
      #expect(await iterator.next() == taken - 1)
      #expect(source.taken.value == taken)
    }
  }

  @Test func afterTheEndThereIsNothing() async throws {
    var iterator = ready([1], failure: TestError("a")).throttle(for: .zero).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("a")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func failuresAreTyped() {
    #expect(fails(ready([1]).throttle(for: .zero), with: Never.self))
    #expect(fails(ready([1], failure: TestError("a")).throttle(for: .zero), with: TestError.self))
  }

  @Test func readyElementsComeWithoutAHop() async throws {
    try await CountingActor().expectNoHops(for: 10) { naturals().throttle(for: .zero) }
  }

  @MainActor @Test func theClosureRunsOnTheConsumersActor() async {
    let throttled = naturals().throttle(for: .zero) { (_: Int?, next) in
      MainActor.assertIsolated()
      return next
    }
    for await _ in throttled.prefix(10) {}
  }
}
