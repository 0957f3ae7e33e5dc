import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MapLatestTests {
  private let timeline = TestTimeline()

  @Test func aNewerElementReplacesTheClosure() throws {
    let clock = timeline.clock
    let results = try timeline.sequence("ab-----c-|").mapLatest { element in
      try? await clock.sleep(for: .seconds(2))
      return element.uppercased()
    }
    try timeline.expect(results, toEmit: "---B-----(C|)")
    try timeline.verifyFinished()
  }

  /// As a search field does: the closure throws when a newer query cancels it.
  @Test func theErrorOfAReplacedClosureIsIgnored() throws {
    let clock = timeline.clock
    let results = try timeline.sequence("ab---|").mapLatest { element in
      try await clock.sleep(for: .seconds(2))
      return element.uppercased()
    }
    try timeline.expect(results, toEmit: "---B-|", error: TestError())
  }

  @Test func anErrorOfTheLatestClosureEndsIt() async {
    let base = Source()
    base.send(1)
    let outcome = await collect(base.mapLatest { _ async throws(TestError) -> Int in throw TestError("closure") })
    #expect(outcome.values == [] && outcome.error == TestError("closure"))
    await base.released.wait()
  }

  @Test func aReplacedClosureIsCancelled() async throws {
    let (base, begun, cancelled) = (Source(), Signal(), Signal())
    let results = base.mapLatest { number in
      begun.fire()
      if number == 1 {
        await withTaskCancellationHandler {
          await cancelled.wait()
        } onCancel: {
          cancelled.fire()
        }
      }
      return number
    }
    base.send(1)
    let task = Task { await collect(results) }
    await begun.wait()
    base.send(2)
    await cancelled.wait()
    await begun.wait(2)
    base.finish()
    let outcome = await task.value
    #expect(outcome.values == [2] && outcome.error == nil)
  }

  @Test func aReplacedClosureMayIgnoreItsCancellation() async {
    let (base, begun, proceed) = (Source(), Signal(), Signal())
    let results = base.mapLatest { number in
      begun.fire()
      if number == 1 { await proceed.wait() }
      return number
    }
    base.send(1)
    let task = Task { await collect(results).values }
    await begun.wait()
    base.send(2)
    base.finish()
    #expect(await task.value == [2])
    proceed.fire()
  }

  @Test func cancellingCancelsTheClosure() async {
    let (begun, cancelled) = (Signal(), Signal())
    let results = ready([1]).mapLatest { number in
      begun.fire()
      await withTaskCancellationHandler {
        await cancelled.wait()
      } onCancel: {
        cancelled.fire()
      }
      return number
    }
    let task = Task { await collect(results).values }
    await begun.wait()
    task.cancel()
    #expect(await task.value == [])
    await cancelled.wait()
  }

  @Test func failuresAreTyped() {
    let never = ready([1])
    let failing = ready([1], failure: TestError("base"))
    let typed: @Sendable (Int) async throws(TestError) -> Int = { $0 }
    let other: @Sendable (Int) async throws(CancellationError) -> Int = { $0 }
    #expect(fails(never.mapLatest { $0 }, with: Never.self))
    #expect(fails(failing.mapLatest { $0 }, with: TestError.self))
    #expect(fails(never.mapLatest(typed), with: TestError.self))
    #expect(fails(failing.mapLatest(typed), with: TestError.self))
    #expect(fails(failing.mapLatest(other), with: (any Error).self))
    let checked = never.mapLatest { number in
      try Task.checkCancellation()
      return number
    }
    #expect(fails(checked, with: (any Error).self))
  }
}
