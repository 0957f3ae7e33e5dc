import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FutureAsyncTests {
  private let steps = StepExecutor()
  private let workshop = Workshop()

  // MARK: Values

  @Test func valueIsDeliveredAndThenTheEnd() {
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run { Future { [workshop] in await workshop.work(7) }.subscribe(recorder) }
    #expect(recorder.log == [])
    steps.run { workshop.letGo(7) }
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func errorIsTheFailureAndNeedsNoDemand() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    steps.run { Future { () async throws(TestError) in throw TestError("typed") }.subscribe(recorder) }
    #expect(recorder.log == ["typed"])
  }

  @Test func valueWaitsForDemand() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { Future { 7 as Int }.subscribe(recorder) }
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func valueCanBeAwaited() async throws {
    let number = Future { [workshop] in await workshop.work(7) }
    workshop.letGo(7)
    #expect(await number.value == 7)
    let failing = Future { () async throws -> Int in throw TestError("any") }
    await #expect(throws: TestError("any")) { try await failing.value }
  }

  // MARK: The work

  @Test func workBeginsWhenTheFutureIsMadeAndOnceForAll() {
    let future = steps.run { Future { [workshop] in await workshop.work(7) } }
    #expect(workshop.started == [7])
    let recorders = (0..<3).map { _ in RecordingSubscriber<Int, Never>() }
    steps.run { for recorder in recorders { future.subscribe(recorder) } }
    steps.run { workshop.letGo(7) }
    for recorder in recorders { #expect(recorder.log == ["7", "finished"]) }
    #expect(workshop.started == [7])
  }

  @Test func resultIsKeptForLaterSubscribers() {
    let future = steps.run { Future { [workshop] in await workshop.work(7) } }
    steps.run { workshop.letGo(7) }
    let recorder = RecordingSubscriber<Int, Never>()
    future.subscribe(recorder)
    #expect(recorder.log == ["7", "finished"])
    #expect(workshop.started == [7])
  }

  @Test func cancellationOfTheLastSubscriberLeavesTheWorkToTheNext() {
    let future = steps.run { Future { [workshop] in await workshop.work(7) } }
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    future.subscribe(first)
    steps.run { first.cancel() }
    #expect(workshop.cancelled == [])
    future.subscribe(second)
    steps.run { workshop.letGo(7) }
    #expect(first.log == [])
    #expect(second.log == ["7", "finished"])
  }

  @Test func workGoesOnWhenNobodyHoldsTheFuture() {
    _ = steps.run { Future { [workshop] in await workshop.work(7) } }
    steps.run { workshop.letGo(7) }
    #expect(workshop.cancelled == [])
    #expect(workshop.running == 0)
  }

  @Test func closureIsReleasedWhenTheWorkIsDone() {
    let counter = LifetimeCounter()
    let future = steps.run { [workshop] in
      let token = counter.make()
      return Future {
        token.touch()
        return await workshop.work(7)
      }
    }
    #expect(counter.count == 1)
    steps.run { workshop.letGo(7) }
    #expect(counter.count == 0)
    withExtendedLifetime(future) {}
  }

  @Test(arguments: [TaskPriority.high, .low, .background])
  func priorityIsThatOfTheTask(priority: TaskPriority) async {
    let end = Signal()
    let seen = Shared<TaskPriority?>(nil)
    let future = Future(priority: priority) {
      seen.value = Task.currentPriority
      end.fire()
    }
    await end.wait()
    #expect(seen.value == priority)
    withExtendedLifetime(future) {}
  }

  @MainActor @Test func closureRunsOutsideAnyActor() async {
    let isolation = Future { #isolation == nil }
    #expect(await isolation.value)
  }

  // MARK: What compiles without an annotation

  private func plain() async -> String { "" }
  private func throwing() async throws -> String { "" }
  private func typed() async throws(TestError) -> String { "" }

  @Test func failureIsInferred() {
    let never: [Future<String, Never>] = [
      Future { await plain() },
      Future {
        let text = await plain()
        return text + "!"
      },
      Future(plain),
      Future(priority: .low) { await plain() },
    ]
    let inferredNever = Future { await plain() }
    let inferredAny = Future { try await throwing() }
    let inferredFromThrow = Future {
      if await plain().isEmpty { throw TestError() }
      return 1
    }
    let inferredFromReference = Future(typed)
    let named = Future { () async throws(TestError) in try await typed() }
    let namedWithoutAsync = Future { () throws(TestError) in try await typed() }
    _ = never
    _ = [inferredNever] as [Future<String, Never>]
    _ = [inferredAny] as [Future<String, any Error>]
    _ = [inferredFromThrow] as [Future<Int, any Error>]
    _ = [inferredFromReference, named, namedWithoutAsync] as [Future<String, TestError>]
  }

  @Test func closureThatTakesAPromiseIsStillCombines() {
    let promised = Future<Int, Never> { promise in promise(.success(1)) }
    let short = Future<Int, TestError> { $0(.failure(TestError())) }
    let recorder = RecordingSubscriber<Int, Never>()
    promised.subscribe(recorder)
    // At once, where an async closure would take a task.
    #expect(recorder.log == ["1", "finished"])
    _ = short
  }
}
