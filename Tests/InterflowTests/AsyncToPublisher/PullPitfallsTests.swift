import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// Where publishers of asynchronous sequences that others have written go wrong, one test for each.
@Suite struct PullPitfallsTests {
  private let steps = StepExecutor()

  /// A subscription to a sequence whose every step the test lets go on.
  private func subscribeToLatched(_ recorder: RecordingSubscriber<Int, Never>) -> (CountedSequence<Never>, Signal) {
    let latch = Signal()
    let sequence = CountedSequence<Never> { index in
      await latch.wait(index + 1)
      return index
    }
    steps.run { sequence.publisher.subscribe(recorder) }
    return (sequence, latch)
  }

  @Test func firstElementIsNotPulledBeforeThereIsDemand() {
    let sequence = CountedSequence.upTo(3)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { sequence.publisher.subscribe(recorder) }
    #expect(sequence.pulls.count == 0)
    recorder.cancel()
  }

  @Test func requestForOneAfterWaitingDeliversOne() {
    let sequence = CountedSequence.upTo(10)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    steps.run { sequence.publisher.subscribe(recorder) }
    for count in 2...5 {
      steps.run { recorder.request(.max(1)) }
      #expect(recorder.values.count == count)
      #expect(sequence.pulls.count == count)
    }
    steps.run { recorder.cancel() }
  }

  @Test func requestForNothingIsRefusedAndDoesNotLeakTheWait() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      CountedSequence.upTo(1).publisher.subscribe(recorder)
      recorder.request(.none)
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("a request must ask for at least one value"))
  }

  @Test func valueThatBringsNoDemandLeavesTheWaitIntact() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { _ in .none }
    steps.run { CountedSequence.upTo(2).publisher.subscribe(recorder) }
    steps.run { recorder.request(.max(2)) }
    #expect(recorder.log == ["0", "1", "finished"])
  }

  @Test func cancelWhileNextIsBusyIsNoticedWithoutDemand() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let (sequence, latch) = subscribeToLatched(recorder)
    #expect(sequence.pulls.count == 1)
    recorder.cancel()
    steps.run { latch.fire() }
    // The task has ended and released the iterator, though nobody has asked for more.
    #expect(sequence.counter.count == 0)
    #expect(recorder.log == [])
  }

  @Test func nothingArrivesOnceCancelHasReturned() async {
    for _ in 0..<300 {
      let sequence = CountedSequence<Never> { index in
        await Task.yield()
        return index
      }
      let recorder = RecordingSubscriber<Int, Never>()
      sequence.publisher.subscribe(recorder)
      await sequence.pulls.wait(4)
      recorder.cancel()
      let count = recorder.values.count
      await until { sequence.counter.count == 0 }
      // A delivery under way at the cancellation may end after it; none begins later.
      #expect(recorder.values.count <= count + 1)
      #expect(recorder.completions == 0)
    }
  }

  @Test func demandAndCancelCountInTheOrderInWhichTheyCome() {
    let sequence = CountedSequence.upTo(10)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run {
      sequence.publisher.subscribe(recorder)
      recorder.request(.max(3))
      recorder.cancel()
      recorder.request(.max(3))
    }
    #expect(sequence.pulls.count == 0)
    #expect(recorder.log == [])
    #expect(sequence.counter.count == 0)
  }

  @Test func releaseOfTheSubscriptionEndsTheTaskThatWaits() {
    let sequence = CountedSequence.upTo(10)
    var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber(initialDemand: .max(1))
    steps.run { sequence.publisher.subscribe(recorder!) }
    #expect(sequence.counter.count == 1)
    steps.run {
      recorder?.releaseSubscriptions()
      recorder = nil
    }
    #expect(sequence.counter.count == 0)
    #expect(sequence.pulls.count == 1)
  }

  @Test func sequencesThatAlwaysHaveAnElementLetOtherTasksRun() {
    let count = 10_000
    let recorders = (0..<3).map { _ in RecordingSubscriber<Int, Never>() }
    steps.run {
      for recorder in recorders { CountedSequence.upTo(count).publisher.subscribe(recorder) }
      Task(executorPreference: steps) { for recorder in recorders { recorder.cancel() } }
    }
    for recorder in recorders {
      #expect(recorder.values.count < count)
      #expect(recorder.completions == 0)
    }
  }

  @Test(arguments: [true, false]) func iteratorIsReleasedBeforeTheCompletion(fails: Bool) {
    let sequence = CountedSequence { (index) throws(TestError) in
      if index == 1, fails { throw TestError() }
      return index == 1 ? nil : index
    }
    let recorder = RecordingSubscriber<Int, TestError>()
    let iteratorsAtTheEnd = Shared<[Int]>([])
    recorder.onCompletion = { _ in iteratorsAtTheEnd.update { $0.append(sequence.counter.count) } }
    steps.run { sequence.publisher.subscribe(recorder) }
    #expect(iteratorsAtTheEnd.value == [0])
  }

  @Test func failureIsThatOfTheSequence() {
    let never: any Publisher<Int, Never> = CountedSequence.upTo(1).publisher
    let typed: any Publisher<Int, TestError> = CountedSequence { (_) throws(TestError) in nil }.publisher
    let any: any Publisher<Int, any Error> = CountedSequence<any Error> { _ in nil }.publisher
    let stream: any Publisher<Int, Never> = AsyncStream<Int> { nil }.publisher
    let throwing: any Publisher<Int, any Error> = AsyncThrowingStream<Int, any Error> { nil }.publisher
    _ = (never, typed, any, stream, throwing)
  }

  @Test func cancellationErrorOfTheSequenceItselfEndsTheStream() {
    let recorder = RecordingSubscriber<Int, any Error>()
    let sequence = CountedSequence<any Error> { index in
      if index == 1 { throw CancellationError() }
      return index
    }
    steps.run { sequence.publisher.subscribe(recorder) }
    #expect(recorder.values == [0])
    #expect(recorder.error is CancellationError)
  }
}
