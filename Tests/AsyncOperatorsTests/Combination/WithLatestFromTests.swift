import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct WithLatestFromTests {
  private let timeline = TestTimeline()

  private func expectPair<A: Equatable, B: Equatable>(
    _ pair: (A, B)?, _ first: A, _ second: B, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(pair?.0 == first && pair?.1 == second, sourceLocation: sourceLocation)
  }

  /// Sends when the first element of the other one has been delivered, so that what is sent is not dropped.
  private func sendAfterFirst<Element>(
    of other: ManualSource<Element, some Error>, _ send: @escaping @Sendable () -> Void
  ) {
    let requested = other.requested
    Task.detached {
      await requested.wait(2)
      send()
    }
  }

  // MARK: Values

  @Test func elementsComeWithTheLatestOfTheOther() throws {
    let (base, other) = (try timeline.sequence("a-b-c-d|"), try timeline.sequence("-1-2--|"))
    let both = base.withLatestFrom(other) { $1 == "1" ? $0 : $0.uppercased() }
    try timeline.expect(both, toEmit: "--b-C-D|")
    try timeline.verifyFinished()
  }

  @Test func elementsAreTuples() throws {
    let pairs = try collectInOrder(ready([1, 2]).withLatestFrom(ready(["a", "b"]))).values
    #expect(pairs.map(\.0) == [1, 2])
    #expect(pairs.map(\.1) == ["b", "b"])
  }

  @Test func elementsBeforeTheOthersFirstAreDropped() async throws {
    let (base, other) = (Source(), Source())
    base.send(1)
    base.send(2)
    var iterator = base.withLatestFrom(other).makeAsyncIterator()
    Task.detached {
      await base.requested.wait(3)
      other.send(10)
      await other.requested.wait(2)
      base.send(3)
    }
    expectPair(try await iterator.next(), 3, 10)
  }

  @Test func anOtherWithoutElementsLetsNothingThrough() async {
    #expect(await collect(ready([1, 2]).withLatestFrom(ready([Int]())) { $0 + $1 }).values == [])
  }

  @Test func itEndsWithTheBaseOnly() throws {
    let (base, other) = (try timeline.sequence("--a-|"), try timeline.sequence("x|"))
    try timeline.expect(base.withLatestFrom(other) { first, _ in first }, toEmit: "--a-|")
    let (endless, short) = (try timeline.sequence("x-x-x-x-"), try timeline.sequence("-a|"))
    try timeline.expect(short.withLatestFrom(endless) { first, _ in first }, toEmit: "-a|")
    try timeline.verifyFinished()
  }

  // MARK: How far ahead

  /// The other's elements are replaced while the consumer is busy, so that the latest one is not an old one.
  @Test func aSlowConsumerGetsTheLatest() async throws {
    let (base, other) = (Source(), Source())
    other.send(10)
    sendAfterFirst(of: other) { base.send(1) }
    var iterator = base.withLatestFrom(other).makeAsyncIterator()
    expectPair(try await iterator.next(), 1, 10)
    for value in 11...20 { other.send(value) }
    await other.requested.wait(12)
    #expect(base.requested.count == 1)
    base.send(2)
    expectPair(try await iterator.next(), 2, 20)
  }

  @Test func theBaseIsNotTakenAhead() async {
    let base = naturals()
    var iterator = base.withLatestFrom(ready([0])).makeAsyncIterator()
    for _ in 1...100 {
      let element = await iterator.next()
      #expect(base.taken.value == element.map { $0.0 + 1 })
    }
  }

  @Test func anOtherThatAlwaysHasAnElementDoesNotKeepTheBaseWaiting() async {
    let other = naturals()
    let elements = await collect(naturals().prefix(1_000).withLatestFrom(other) { first, _ in first }).values
    #expect(elements == Array((elements.first ?? 1_000)..<1_000))
    await other.released.wait()
  }

  @Test func aBaseThatAlwaysHasAnElementDoesNotKeepTheOtherWaiting() async throws {
    let (base, other) = (naturals(), ManualSource<Int, Never>())
    Task.detached {
      await other.requested.wait()
      other.send(1)
    }
    for await (_, value) in base.withLatestFrom(other) {
      #expect(value == 1)
      break
    }
    await base.released.wait()
    await other.released.wait()
  }

  // MARK: Failure

  @Test func aFailureOfEitherEndsIt() throws {
    let base = try timeline.sequence("-a-#", error: TestError("base"))
    let other = try timeline.sequence("x")
    try timeline.expect(
      base.withLatestFrom(other) { first, _ in first }, toEmit: "-a-#", error: TestError("base"))
    let endless = try timeline.sequence("-a-a-a")
    let failing = try timeline.sequence("x-#", error: TestError("other"))
    try timeline.expect(
      endless.withLatestFrom(failing) { first, _ in first }, toEmit: "-a#", error: TestError("other"))
    try timeline.verifyFinished()
  }

  @Test func anElementThatArrivedBeforeAFailureIsDeliveredFirst() async throws {
    let (base, other) = (Source(), Source())
    other.send(1)
    sendAfterFirst(of: other) { base.send(2) }
    var iterator = base.withLatestFrom(other) { $0 + $1 }.makeAsyncIterator()
    #expect(try await iterator.next() == 3)
    other.fail(TestError("other"))
    await other.released.wait()
    await #expect(throws: TestError("other")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func failuresAreTyped() async {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(never.withLatestFrom(never), with: Never.self))
    #expect(fails(error.withLatestFrom(never), with: TestError.self))
    #expect(fails(never.withLatestFrom(error), with: TestError.self))
    #expect(fails(error.withLatestFrom(error), with: TestError.self))
    #expect(fails(error.withLatestFrom(other), with: (any Error).self))
    #expect(fails(never.withLatestFrom(never) { $0 + $1 }, with: Never.self))
    #expect(fails(never.withLatestFrom(error) { $0 + $1 }, with: TestError.self))
    #expect(fails(error.withLatestFrom(never) { $0 + $1 }, with: TestError.self))
    #expect(fails(error.withLatestFrom(error) { $0 + $1 }, with: TestError.self))
    #expect(fails(error.withLatestFrom(other) { $0 + $1 }, with: (any Error).self))
    #expect(await collect(ManualSource<Int, Never>().withLatestFrom(error)).error == TestError("a"))
    #expect(await collect(error.withLatestFrom(never)).error == TestError("a"))
    #expect(await collect(ManualSource<Int, TestError>().withLatestFrom(other)).error is CancellationError)
  }

  // MARK: Lifetime

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    // The other's second element is requested when the first has been delivered.
    await expectConcurrentRules(2) { sources in
      sources[0].waiting { [requested = sources[1].requested] in await requested.wait(2) }
        .withLatestFrom(sources[1])
    }
    await expectConcurrentRules(2) { sources in
      sources[0].waiting { [requested = sources[1].requested] in await requested.wait(2) }
        .withLatestFrom(sources[1]) { $0 + $1 }
    }
  }

  @Test func theLatestElementIsReleasedAtTheEnd() async {
    final class Object: Sendable {}
    weak var object: Object?
    let base = ManualSource<Int, Never>()
    var iterator: AsyncWithLatestFromSequence<ManualSource<Int, Never>, ManualSource<Object, Never>, Int>.AsyncIterator
    let other = ManualSource<Object, Never>()
    do {
      let value = Object()
      object = value
      other.send(value)
      sendAfterFirst(of: other) {
        base.send(1)
        base.finish()
      }
      iterator = base.withLatestFrom(other) { first, _ in first }.makeAsyncIterator()
    }
    #expect(await iterator.next() == 1)
    #expect(object != nil)
    #expect(await iterator.next() == nil)
    await other.released.wait()
    await until { object == nil }
  }

  @MainActor @Test func theConsumersActorIsKept() async {
    for await sum in naturals().withLatestFrom(
      ready([1]),
      { first, second in
        MainActor.assertIsolated()
        return first + second
      }
    ).prefix(10) {
      MainActor.assertIsolated()
      #expect(sum > 0)
    }
  }

  // MARK: Inputs that ignore their cancellation

  /// Its elements are numbers from zero, each of which comes when the test says so, and not when its task is cancelled.
  private struct StubbornSource: AsyncSequence, Sendable {
    let requested = Signal()
    let proceed = Signal()
    let released = Signal()

    final class Token {
      let released: Signal
      init(_ released: Signal) { self.released = released }
      deinit { released.fire() }
    }

    struct Iterator: AsyncIteratorProtocol {
      let source: StubbornSource
      let token: Token
      var number = 0

      mutating func next() async -> Int? { await next(isolation: nil) }

      mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
        source.requested.fire()
        number += 1
        await source.proceed.wait(number)
        return number - 1
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(source: self, token: Token(released)) }
  }

  @Test func noInputOutlivesTheConsumerByMoreThanAnElement() async {
    let base = StubbornSource()
    let other = StubbornSource()
    let task = Task { for await _ in base.withLatestFrom(other) {} }
    await base.requested.wait()
    await other.requested.wait()
    task.cancel()
    await task.value
    base.proceed.fire()
    other.proceed.fire()
    await base.released.wait()
    await other.released.wait()
    #expect(base.requested.count == 1 && other.requested.count == 1)
  }
}
