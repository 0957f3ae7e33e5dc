import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct DeferredAsyncTests {
  private let steps = StepExecutor()
  private let workshop = Workshop()

  // MARK: Values

  @Test func valueIsDeliveredAndThenTheEnd() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    steps.run { Deferred { [workshop] in await workshop.work(7) }.subscribe(recorder) }
    #expect(recorder.log == [])
    steps.run { workshop.letGo(7) }
    #expect(recorder.log == ["7", "finished"])
    #expect(recorder.subscriptionNames == ["Deferred"])
  }

  @Test func errorIsTheFailure() {
    let recorder = RecordingSubscriber<Int, TestError>()
    steps.run { Deferred { () async throws(TestError) -> Int in throw TestError("typed") }.subscribe(recorder) }
    #expect(recorder.log == ["typed"])
  }

  @Test func cancellationErrorOfTheClosureItselfIsAFailure() {
    let recorder = RecordingSubscriber<Int, any Error>()
    steps.run { Deferred { () async throws -> Int in throw CancellationError() }.subscribe(recorder) }
    #expect(recorder.error is CancellationError)
  }

  // MARK: The work

  @Test func workBeginsWithTheFirstDemandAndOnce() {
    let deferred = Deferred { [workshop] in await workshop.work(7) }
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { deferred.subscribe(recorder) }
    #expect(workshop.started == [])
    steps.run { recorder.request(.max(1)) }
    steps.run { recorder.request(.max(1)) }
    #expect(workshop.started == [7])
    recorder.cancel()
  }

  @Test func eachSubscriberHasWorkOfItsOwn() {
    let deferred = Deferred { [workshop] in await workshop.work(7) }
    let recorders = [RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>()]
    steps.run { for recorder in recorders { deferred.subscribe(recorder) } }
    #expect(workshop.started == [7, 7])
    steps.run { recorders[0].cancel() }
    #expect(workshop.cancelled == [7])
    steps.run { workshop.letGo(7) }
    #expect(recorders.map(\.log) == [[], ["7", "finished"]])
  }

  @Test func sharedWorkIsCancelledWithTheLastSubscriber() {
    let shared = Deferred { [workshop] in await workshop.work(7) }.share()
    let recorders = [RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>()]
    steps.run { for recorder in recorders { shared.subscribe(recorder) } }
    #expect(workshop.started == [7])
    recorders[0].cancel()
    #expect(workshop.cancelled == [])
    recorders[1].cancel()
    #expect(workshop.cancelled == [7])
    steps.runUntilIdle()
  }

  @Test func retryRunsTheClosureAgain() {
    let runs = Shared(0)
    let recorder = RecordingSubscriber<Int, TestError>()
    let deferred = Deferred { () async throws(TestError) in
      let run = runs.update { runs in
        runs += 1
        return runs
      }
      if run < 3 { throw TestError("run \(run)") }
      return run
    }
    steps.run { deferred.retry(5).subscribe(recorder) }
    #expect(recorder.log == ["3", "finished"])
  }

  // MARK: Cancellation

  @Test func cancelBeforeDemandStartsNothing() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { Deferred { [workshop] in await workshop.work(7) }.subscribe(recorder) }
    steps.run {
      recorder.cancel()
      recorder.request(.max(1))
    }
    #expect(workshop.started == [])
    #expect(recorder.log == [])
  }

  @Test func cancelCancelsTheTaskAtOnceAndReportsNothing() {
    let recorder = RecordingSubscriber<Int, any Error>()
    let deferred = Deferred { [workshop] in
      let value = await workshop.work(7)
      try Task.checkCancellation()
      return value
    }
    steps.run { deferred.subscribe(recorder) }
    recorder.cancel()
    #expect(workshop.cancelled == [7])
    steps.runUntilIdle()
    #expect(recorder.log == [])
  }

  @Test func closureIsReleasedByTheEnd() {
    let counter = LifetimeCounter()
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run { [workshop] in
      let token = counter.make()
      Deferred {
        token.touch()
        return await workshop.work(7)
      }.subscribe(recorder)
    }
    #expect(counter.count == 1)
    steps.run { workshop.letGo(7) }
    #expect(counter.count == 0)
    withExtendedLifetime(recorder.subscription) {}
  }

  @Test(arguments: [TaskPriority.high, .low, .background])
  func priorityIsThatOfTheTask(priority: TaskPriority) async {
    let recorder = RecordingSubscriber<TaskPriority, Never>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    Deferred(priority: priority) { Task.currentPriority }.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == [priority])
  }

  @MainActor @Test func closureRunsOutsideAnyActor() async {
    #expect(await Deferred { #isolation == nil }.firstValue() == true)
  }

  // MARK: What compiles without an annotation

  private typealias Work<Output: Sendable, Failure: Error> = Deferred<TaskPublisher<Just<Void>, Output, Failure>>

  private func plain() async -> String { "" }
  private func throwing() async throws -> String { "" }
  private func typed() async throws(TestError) -> String { "" }

  @Test func failureIsInferred() {
    let never = Deferred { await plain() }
    let any = Deferred { try await throwing() }
    let named = Deferred { () async throws(TestError) in try await typed() }
    let byReference = Deferred(typed)
    let prioritised = Deferred(priority: .low) { await plain() }
    _ = [never, prioritised] as [Work<String, Never>]
    _ = [any] as [Work<String, any Error>]
    _ = [named, byReference] as [Work<String, TestError>]
  }

  @Test func closureThatMakesAPublisherIsStillCombines() {
    let just = Deferred { Just(1) }
    let erased = Deferred {
      if just.createPublisher().output == 2 { return Empty<Int, Never>().eraseToAnyPublisher() }
      return Just(1).eraseToAnyPublisher()
    }
    let future = Deferred { Future { await plain() } }
    let labelled = Deferred(createPublisher: { Just(1) })
    _ = [just, labelled] as [Deferred<Just<Int>>]
    _ = [erased] as [Deferred<AnyPublisher<Int, Never>>]
    _ = [future] as [Deferred<Future<String, Never>>]
  }
}
