import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// The operators that make sequences of elements, with closures that suspend.
@Suite struct FlatMapSuspendingTests {
  private let timeline = TestTimeline()

  /// A closure that takes two frames, and makes the sequence that it is given.
  private func slowly(
    _ inner: MarbleSequence<String, Never>
  ) -> @Sendable (String) async -> MarbleSequence<String, Never> {
    let clock = timeline.clock
    return { _ in
      try? await clock.sleep(for: .seconds(2))
      return inner
    }
  }

  @Test func aNewerElementCancelsTheClosure() throws {
    let inner = try timeline.sequence("xy|")
    let base = try timeline.sequence("ab-----c-|")
    try timeline.expect(base.flatMapLatest(slowly(inner)), toEmit: "---xy----xy|")
    try timeline.verifyFinished()
  }

  @Test func elementsAreDroppedWhileTheClosureRuns() throws {
    let inner = try timeline.sequence("xy|")
    let base = try timeline.sequence("ab-----c-|")
    try timeline.expect(base.flatMapFirst(slowly(inner)), toEmit: "--xy-----xy|")
    try timeline.verifyFinished()
  }

  @Test func severalClosuresRunAtATime() throws {
    let inner = try timeline.sequence("x|")
    let base = try timeline.sequence("abc|")
    try timeline.expect(base.flatMap(maxTasks: 2, slowly(inner)), toEmit: "--xx-x|")
    try timeline.verifyFinished()
  }

  @Test func oneClosureAfterTheOther() throws {
    let inner = try timeline.sequence("xy|")
    let clock = timeline.clock
    let sequence = try timeline.sequence("ab|").concatMap { _ in
      try? await clock.sleep(for: .seconds(2))
      return inner
    }
    try timeline.expect(sequence, toEmit: "--xy--xy|")
  }

  @Test func theSequenceOfAReplacedClosureIsNotIterated() async {
    /// Reports when it has been released.
    final class Requests: Sendable {
      let count: Shared<Int>
      let released: Signal

      init(_ count: Shared<Int>, _ released: Signal) {
        self.count = count
        self.released = released
      }

      deinit { released.fire() }
    }
    struct Empty: AsyncSequence, AsyncIteratorProtocol, Sendable {
      var requests: Requests?

      func makeAsyncIterator() -> Self { self }

      mutating func next() async -> Int? {
        requests?.count.update { $0 += 1 }
        return nil
      }
    }
    let (begun, cancelled, mayReturn, released) = (Signal(), Signal(), Signal(), Signal())
    let requested = Shared(0)
    let (base, continuation) = AsyncStream<Int>.makeStream()
    let latest = base.flatMapLatest { number -> Empty in
      if number == 2 { return Empty() }
      begun.fire()
      await withTaskCancellationHandler(operation: { await mayReturn.wait() }, onCancel: { cancelled.fire() })
      return Empty(requests: Requests(requested, released))
    }
    let task = Task { await collect(latest).values }
    continuation.yield(1)
    await begun.wait()
    continuation.yield(2)
    await cancelled.wait()
    mayReturn.fire()
    await released.wait()
    #expect(requested.value == 0)
    continuation.finish()
    #expect(await task.value == [])
  }

  @Test func cancellingCancelsTheClosure() async {
    let begun = Signal()
    let cancelled = Signal()
    let sequence = ready([1]).flatMapLatest { _ in
      begun.fire()
      await withTaskCancellationHandler(
        operation: { await cancelled.wait() }, onCancel: { cancelled.fire() })
      return ready([2])
    }
    let task = Task { await collect(sequence).values }
    await begun.wait()
    task.cancel()
    #expect(await task.value == [])
    await cancelled.wait()
  }

  @Test func failuresAreTyped() async {
    let (never, error, other) = (Inputs.never, Inputs.error, Inputs.other)
    await expectTypedFailures(
      none: never.flatMapLatest { await later($0, never) }, base: error.flatMapLatest { await later($0, never) },
      inner: never.flatMapLatest { await later($0, error) }, both: error.flatMapLatest { await later($0, error) },
      different: error.flatMapLatest { await later($0, other) })
    await expectTypedFailures(
      none: never.flatMapFirst { await later($0, never) }, base: error.flatMapFirst { await later($0, never) },
      inner: never.flatMapFirst { await later($0, error) }, both: error.flatMapFirst { await later($0, error) },
      different: error.flatMapFirst { await later($0, other) })
    await expectTypedFailures(
      none: never.flatMap(maxTasks: 2) { await later($0, never) },
      base: error.flatMap(maxTasks: 2) { await later($0, never) },
      inner: never.flatMap(maxTasks: 2) { await later($0, error) },
      both: error.flatMap(maxTasks: 2) { await later($0, error) },
      different: error.flatMap(maxTasks: 2) { await later($0, other) })
  }

  /// A closure that does not suspend has the form that costs less.
  @Test func theFormThatCannotSuspendIsPreferred() {
    func isPlain<Base, Inner>(_ sequence: AsyncFlatMapLatestSequence<Base, Inner>) -> Bool {
      Inner.self == ReadySource<Int, Never>.self
    }
    #expect(isPlain(ready([1]).flatMapLatest { ready([$0]) }))
    #expect(!isPlain(ready([1]).flatMapLatest { await later($0, ready([2])) }))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].flatMapLatest { await later($0, ready([$0])) } }
    await expectConcurrentRules(1) { $0[0].flatMapFirst { await later($0, ready([$0])) } }
    await expectConcurrentRules(1) { $0[0].flatMap(maxTasks: 2) { await later($0, ready([$0])) } }
    await expectConcurrentRules(1) { sources in
      ready([0]).flatMap(maxTasks: 2) { await later($0, sources[0]) }
    }
  }

  @Test func theIteratorReturnsNilAfterTheEnd() async {
    var iterator = ready([1]).flatMapLatest { await later($0, ready([2])) }.makeAsyncIterator()
    #expect(await iterator.next() == 2)
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
  }
}

/// A sequence, after other tasks have run.
private func later<S: AsyncSequence & Sendable>(_ element: Int, _ sequence: S) async -> S {
  await Task.yield()
  return sequence
}
