import AsyncOperators
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ConcurrentMapTests {
  private let timeline = TestTimeline()

  /// A closure that takes as many frames as its element says.
  private func slowly() -> @Sendable (String) async -> String {
    let clock = timeline.clock
    return { element in
      try? await clock.sleep(for: .seconds(Int(element) ?? 0))
      return element
    }
  }

  // MARK: Values

  @Test func resultsKeepTheOrderOfElements() throws {
    let base = try timeline.sequence("312|")
    try timeline.expect(base.concurrentMap(maxTasks: 3, slowly()), toEmit: "---(31)(2|)")
    try timeline.verifyFinished()
  }

  @Test func resultsOfTaskComeAsTheyAreReady() throws {
    let base = try timeline.sequence("312|")
    try timeline.expect(base.task(maxTasks: 3, slowly()), toEmit: "--13(2|)")
    try timeline.verifyFinished()
  }

  @Test func emptyAndManyElements() async {
    #expect(await collect(ready([Int]()).concurrentMap(maxTasks: 2) { $0 }).values == [])
    let numbers = Array(0..<1_000)
    #expect(await collect(ready(numbers).concurrentMap(maxTasks: 7) { 2 * $0 }).values == numbers.map { 2 * $0 })
    #expect(await collect(ready(numbers).task(maxTasks: 7) { 2 * $0 }).values.sorted() == numbers.map { 2 * $0 })
    #expect(await collect(ready([1, 2]).task { $0 }).values.sorted() == [1, 2])
  }

  @Test func resultsMayBeNil() async {
    let results = await collect(ready([1, 2, 3]).concurrentMap(maxTasks: 2) { $0 == 2 ? nil : $0 }).values
    #expect(results == [1, nil, 3])
  }

  @Test func twoIteratorsAreTwoIterations() async {
    let doubled = ready([1, 2]).concurrentMap(maxTasks: 2) { 2 * $0 }
    #expect(await collect(doubled).values == [2, 4])
    #expect(await collect(doubled).values == [2, 4])
  }

  // MARK: How many at a time

  @Test func noMoreRunThanAllowed() async {
    let running = Shared(0)
    let most = Shared(0)
    let count: @Sendable (Int) async -> Int = { number in
      let now = running.update {
        $0 += 1
        return $0
      }
      most.update { $0 = max($0, now) }
      for _ in 0..<number % 5 { await Task.yield() }
      running.update { $0 -= 1 }
      return number
    }
    #expect(await collect(ready(Array(0..<300)).concurrentMap(maxTasks: 3, count)).values == Array(0..<300))
    #expect((1...3).contains(most.value))
    most.value = 0
    #expect(await collect(ready(Array(0..<300)).task(maxTasks: 3, count)).values.count == 300)
    #expect((1...3).contains(most.value))
  }

  /// Results that wait for one before them take room, so that a slow call does not let the others run away.
  @Test func theBaseIsNotTakenBeyondTheLimit() async {
    let base = naturals()
    let proceed = Signal()
    let later = Signal()
    let mapped = base.concurrentMap(maxTasks: 3) { number in
      if number == 0 { await proceed.wait() } else { later.fire() }
      return number
    }
    let first = Task {
      var iterator = mapped.makeAsyncIterator()
      let first = await iterator.next()
      let taken = base.taken.value
      let second = await iterator.next()
      return (first, second, taken)
    }
    await later.wait(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(base.taken.value == 3 && later.count == 2)
    proceed.fire()
    let (one, two, taken) = await first.value
    #expect(one == 0 && two == 1)
    #expect(taken <= 4)
  }

  @Test func callsRunAtTheSameTime() async {
    let begun = Signal()
    let both = ready([1, 2]).concurrentMap(maxTasks: 2) { number in
      begun.fire()
      // Neither returns before both have begun.
      await begun.wait(2)
      return number
    }
    #expect(await collect(both).values == [1, 2])
    let again = Signal()
    let all = ready([1, 2]).task(maxTasks: 2) { number in
      again.fire()
      await again.wait(2)
      return number
    }
    #expect(await collect(all).values.sorted() == [1, 2])
  }

  // MARK: Failure

  @Test func anEarlierFailureBehindALaterOneKeepsTheResultsBefore() throws {
    let clock = timeline.clock
    let base = try timeline.sequence("531|").setFailureType(to: TestError.self)
    let mapped = base.concurrentMap(maxTasks: 3) { (element) async throws(TestError) in
      try? await clock.sleep(for: .seconds(Int(element) ?? 0))
      if element != "5" { throw TestError(element) }
      return element
    }
    try timeline.expect(mapped, toEmit: "-----(5#)", error: TestError("3"))
    try timeline.verifyFinished()
  }

  /// The base and the closures after the one that fails end at once, though the failure has to wait for its turn.
  @Test func aFailureComesAfterTheResultsBeforeIt() async throws {
    let (proceed, lastHasBegun, cancelled) = (Signal(), Signal(), Signal())
    let base = Source()
    let mapped = base.concurrentMap(maxTasks: 8) { (number) async throws(TestError) in
      switch number {
      case 0: await proceed.wait()
      case 1: break
      case 2:
        await lastHasBegun.wait()
        throw TestError("closure")
      default:
        lastHasBegun.fire()
        await withTaskCancellationHandler {
          await cancelled.wait()
        } onCancel: {
          cancelled.fire()
        }
      }
      return number
    }
    for number in 0...3 { base.send(number) }
    let received = Shared<[Int]>([])
    let task = Task {
      var iterator = mapped.makeAsyncIterator()
      do throws(TestError) {
        while let number = try await iterator.next() { received.update { $0.append(number) } }
        return false
      } catch {
        let after = try? await iterator.next()
        return error == TestError("closure") && after == nil
      }
    }
    await base.released.wait()
    await cancelled.wait()
    #expect(received.value == [])
    proceed.fire()
    #expect(await task.value)
    #expect(received.value == [0, 1])
  }

  @Test func aFailureOfTheBaseComesAfterAllResults() async {
    let failing = ready([1, 2, 3], failure: TestError("base"))
    let outcome = await collect(
      failing.concurrentMap(maxTasks: 2) { number in
        await Task.yield()
        return number
      })
    #expect(outcome.values == [1, 2, 3] && outcome.error == TestError("base"))
  }

  @Test func failuresAreTyped() async {
    let never = ready([1])
    let failing = ready([1], failure: TestError("base"))
    let typed: @Sendable (Int) async throws(TestError) -> Int = { $0 }
    let other: @Sendable (Int) async throws(CancellationError) -> Int = { $0 }
    #expect(fails(never.concurrentMap(maxTasks: 1) { $0 }, with: Never.self))
    #expect(fails(failing.concurrentMap(maxTasks: 1) { $0 }, with: TestError.self))
    #expect(fails(never.concurrentMap(maxTasks: 1, typed), with: TestError.self))
    #expect(fails(failing.concurrentMap(maxTasks: 1, typed), with: TestError.self))
    #expect(fails(failing.concurrentMap(maxTasks: 1, other), with: (any Error).self))
    #expect(fails(never.concurrentMap(maxTasks: 1) { try await laterOrThrow($0) }, with: (any Error).self))
    #expect(fails(never.task { $0 }, with: Never.self))
    #expect(fails(failing.task { $0 }, with: TestError.self))
    #expect(fails(never.task(typed), with: TestError.self))
    #expect(fails(failing.task(typed), with: TestError.self))
    #expect(fails(failing.task(other), with: (any Error).self))
    #expect(fails(never.task(maxTasks: 1) { try await laterOrThrow($0) }, with: (any Error).self))
    let thrown = await collect(failing.concurrentMap(maxTasks: 1, other))
    #expect(thrown.values == [1] && thrown.error as? TestError == TestError("base"))
  }

  @Test func aFailureOfATaskEndsTheOthers() async {
    let cancelled = Signal()
    let failing = ready([0, 1]).task(maxTasks: 2) { (number) async throws(TestError) in
      if number == 1 { throw TestError("closure") }
      await withTaskCancellationHandler {
        await cancelled.wait()
      } onCancel: {
        cancelled.fire()
      }
      return number
    }
    let outcome = await collect(failing)
    #expect(outcome.values == [] && outcome.error == TestError("closure"))
    await cancelled.wait()
  }

  // MARK: Cancellation and lifetime

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].concurrentMap(maxTasks: 2) { $0 } }
    await expectConcurrentRules(1) { $0[0].task(maxTasks: 2) { $0 } }
    await expectConcurrentRules(1) { $0[0].mapLatest { $0 } }
  }

  /// The consumer ends at once, though the closures do not return.
  @Test func closuresThatIgnoreCancellationDoNotKeepTheConsumer() async {
    for inOrder in [true, false] {
      let (begun, proceed, left) = (Signal(), Signal(), Signal())
      let deaf: @Sendable (Int) async -> Int = { number in
        begun.fire()
        await proceed.wait()
        left.fire()
        return number
      }
      let task = Task {
        inOrder
          ? await collect(naturals().concurrentMap(maxTasks: 3, deaf)).values
          : await collect(naturals().task(maxTasks: 3, deaf)).values
      }
      await begun.wait(3)
      task.cancel()
      #expect(await task.value == [])
      #expect(left.count == 0)
      proceed.fire()
      await left.wait(3)
    }
  }

  /// An element that arrives when the consumer has been cancelled begins no closure.
  @Test func aDeafBaseBeginsNothingAfterCancellation() async {
    let (requested, proceed, done) = (Signal(), Signal(), Signal())
    let calls = Shared(0)
    let base = AsyncStream<Int>(unfolding: {
      requested.fire()
      await proceed.wait()
      defer { done.fire() }
      return done.count == 0 ? 1 : nil
    })
    let task = Task {
      await collect(
        base.concurrentMap(maxTasks: 2) { number in
          calls.update { $0 += 1 }
          return number
        }
      ).values
    }
    await requested.wait()
    task.cancel()
    #expect(await task.value == [])
    proceed.fire()
    for _ in 0..<100 { await Task.yield() }
    #expect(calls.value == 0)
  }

  @Test func everythingIsReleasedAtTheEnd() async {
    final class Object: Sendable {}
    weak var object: Object?
    var iterator: AsyncConcurrentMapSequence<ReadySource<Int, Never>, Int, Never>.AsyncIterator
    do {
      let value = Object()
      object = value
      iterator = ready([1]).concurrentMap(maxTasks: 1) { number in withExtendedLifetime(value) { number } }
        .makeAsyncIterator()
    }
    #expect(await iterator.next() == 1)
    #expect(object != nil)
    #expect(await iterator.next() == nil)
    await until { object == nil }
  }

  @Test func cancellingInVirtualTimeEndsIt() throws {
    try timeline.expect(try timeline.sequence("39---").concurrentMap(maxTasks: 2, slowly()), toEmit: "---3-!")
    try timeline.verifyFinished()
  }

  @MainActor @Test func closuresRunOutsideOfTheConsumersActor() async {
    let isOnMain: @Sendable (Int) async -> Bool = { _ in isMainThread() }
    for await wasOnMain in naturals().concurrentMap(maxTasks: 2, isOnMain).prefix(20) {
      MainActor.assertIsolated()
      #expect(!wasOnMain)
    }
    for await wasOnMain in naturals().task(maxTasks: 2, isOnMain).prefix(20) { #expect(!wasOnMain) }
    for await wasOnMain in ready([1]).mapLatest(isOnMain) { #expect(!wasOnMain) }
  }

  @TaskLocal static var local = 0

  @Test func closuresInheritTaskLocalValues() async {
    let values = await Self.$local.withValue(7) {
      await collect(ready([1, 2]).concurrentMap(maxTasks: 2) { _ in Self.local }).values
    }
    #expect(values == [7, 7])
  }

  @Test func badArgumentsTrap() async {
    await #expect(processExitsWith: .failure) { _ = [1].async.concurrentMap(maxTasks: 0) { $0 } }
    await #expect(processExitsWith: .failure) { _ = [1].async.task(maxTasks: 0) { $0 } }
  }
}

private func laterOrThrow(_ number: Int) async throws -> Int {
  await Task.yield()
  try Task.checkCancellation()
  return number
}

private func isMainThread() -> Bool { Thread.isMainThread }
