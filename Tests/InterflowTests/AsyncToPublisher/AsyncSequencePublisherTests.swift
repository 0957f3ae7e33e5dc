import Interflow
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct AsyncSequencePublisherTests {
  // MARK: Values

  @Test func elementsAndTheEndAreDelivered() async {
    let recorder = RecordingSubscriber<Int, Never>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence.upTo(3).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.log == ["0", "1", "2", "finished"])
  }

  @Test func aMillionElementsArriveInOrder() async {
    let end = Signal()
    let count = longStreamCount
    var expected = 0
    let sink = CountedSequence.upTo(count).publisher
      .sink { _ in
        end.fire()
      } receiveValue: {
        if $0 == expected { expected += 1 }
      }
    await end.wait()
    #expect(expected == count)
    withExtendedLifetime(sink) {}
  }

  @Test func oneAtATimeThroughAHundredThousandElements() async {
    let end = Signal()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { _ in .max(1) }
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence.upTo(100_000).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == Array(0..<100_000))
  }

  @Test func typedErrorIsTheFailure() async {
    let recorder = RecordingSubscriber<Int, TestError>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    let sequence = CountedSequence { (index) throws(TestError) in
      if index == 2 { throw TestError("typed") }
      return index
    }
    sequence.publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == [0, 1])
    #expect(recorder.error == TestError("typed"))
  }

  @Test func cancellationErrorOfTheSequenceItselfIsAFailure() async {
    let recorder = RecordingSubscriber<Int, any Error>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence<any Error> { _ in throw CancellationError() }.publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.error is CancellationError)
  }

  @Test func eachSubscriberHasItsOwnIterator() async {
    let sequence = CountedSequence.upTo(2)
    let end = Signal()
    let recorders = [RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>()]
    for recorder in recorders {
      recorder.onCompletion = { _ in end.fire() }
      sequence.publisher.subscribe(recorder)
    }
    await end.wait(2)
    for recorder in recorders { #expect(recorder.log == ["0", "1", "finished"]) }
    #expect(sequence.iterators.count == 2)
  }

  // MARK: Demand

  @Test func nothingIsPulledBeforeDemand() {
    let steps = StepExecutor()
    let sequence = CountedSequence.upTo(10)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { sequence.publisher.subscribe(recorder) }
    #expect(sequence.iterators.count == 1)
    #expect(sequence.pulls.count == 0)
    steps.run { recorder.request(.max(1)) }
    #expect(recorder.values == [0])
    #expect(sequence.pulls.count == 1)
    recorder.cancel()
    steps.runUntilIdle()
    #expect(sequence.pulls.count == 1)
  }

  @Test func demandAddsUpAndIsNeverExceeded() {
    let steps = StepExecutor()
    let sequence = CountedSequence.upTo(1_000)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
    steps.run {
      sequence.publisher.subscribe(recorder)
      recorder.request(.max(3))
    }
    #expect(recorder.values.count == 5)
    #expect(sequence.pulls.count == 5)
    steps.run { recorder.request(.max(1)) }
    #expect(recorder.values == [0, 1, 2, 3, 4, 5])
    #expect(sequence.pulls.count == 6)
    steps.run { recorder.cancel() }
  }

  @Test func demandInPiecesFromOtherThreadsIsServedExactly() {
    for _ in 0..<100 {
      let steps = StepExecutor()
      let sequence = CountedSequence.upTo(1_000)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      steps.run { sequence.publisher.subscribe(recorder) }
      // The first thread pulls while the others ask.
      let asking = Atomic(3)
      inParallel(4) { index in
        if index == 0 {
          while asking.load(ordering: .acquiring) > 0 { steps.runUntilIdle() }
        } else {
          for piece in 1...10 { recorder.request(.max(piece)) }
          asking.wrappingSubtract(1, ordering: .releasing)
        }
      }
      steps.runUntilIdle()
      #expect(recorder.values == Array(0..<166))
      #expect(sequence.pulls.count == 166)
      steps.run { recorder.cancel() }
      #expect(sequence.counter.count == 0)
    }
  }

  @Test func unlimitedDemandSticks() {
    let steps = StepExecutor()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    steps.run { CountedSequence.upTo(100).publisher.subscribe(recorder) }
    steps.run {
      recorder.request(.unlimited)
      recorder.request(.max(1))
    }
    #expect(recorder.values == Array(0..<100))
    #expect(recorder.isFinished)
  }

  @Test func endIsReportedWithTheDemandAfterTheLastElement() {
    let steps = StepExecutor()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
    steps.run { CountedSequence.upTo(2).publisher.subscribe(recorder) }
    #expect(recorder.log == ["0", "1"])
    steps.run { recorder.request(.max(1)) }
    #expect(recorder.log == ["0", "1", "finished"])
  }

  @Test func requestFromInsideReceiveAddsUp() async {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let end = Signal()
    recorder.onValue = { [unowned recorder] in if $0 < 50 { recorder.request(.max(2)) } }
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence.upTo(100).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == Array(0..<100))
  }

  @Test func concurrentRequestsAreAllServed() async {
    for _ in 0..<100 {
      let sequence = CountedSequence.upTo(1_000)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      sequence.publisher.subscribe(recorder)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { for _ in 0..<10 { recorder.request(.max(1)) } } }
      }
      await until { recorder.values.count >= 40 }
      recorder.cancel()
      await until { sequence.counter.count == 0 }
      #expect(recorder.values == Array(0..<40))
    }
  }

  @Test(arguments: [TaskPriority.high, .low, .background])
  func priorityIsThatOfTheTask(priority: TaskPriority) async {
    let seen = Shared<[TaskPriority]>([])
    let end = Signal()
    let sequence = CountedSequence<Never> { index in
      seen.update { $0.append(Task.currentPriority) }
      return index == 0 ? index : nil
    }
    let sink = sequence.publisher(priority: priority).sink(
      receiveCompletion: { _ in end.fire() }, receiveValue: { _ in })
    await end.wait()
    #expect(seen.value == [priority, priority])
    withExtendedLifetime(sink) {}
  }

  // MARK: Cancellation and lifetime

  @Test func cancelBeforeDemandReleasesTheIterator() {
    let sequence = CountedSequence.upTo(1)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    sequence.publisher.subscribe(recorder)
    #expect(sequence.counter.count == 1)
    recorder.cancel()
    #expect(sequence.counter.count == 0)
    recorder.request(.max(1))
    #expect(sequence.pulls.count == 0)
  }

  @Test func cancelWhileItWaitsForDemandEndsTheTask() {
    let steps = StepExecutor()
    let sequence = CountedSequence.upTo(10)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    steps.run { sequence.publisher.subscribe(recorder) }
    steps.run { recorder.cancel() }
    #expect(sequence.counter.count == 0)
    #expect(sequence.pulls.count == 1)
    #expect(recorder.log == ["0"])
  }

  @Test func cancelAroundTheWaitForDemandEndsTheTask() async {
    for _ in 0..<200 {
      let sequence = CountedSequence.upTo(10)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      sequence.publisher.subscribe(recorder)
      await until { recorder.values.count == 1 }
      recorder.cancel()
      await until { sequence.counter.count == 0 }
      #expect(recorder.log == ["0"])
    }
  }

  @Test func cancelInsideNextIsNoticedAtOnceAndItsErrorNotReported() async {
    let cancelled = Signal()
    let sequence = CountedSequence<any Error> { _ in
      do {
        try await Task.sleep(for: .seconds(600))
      } catch {
        cancelled.fire()
        throw error
      }
      return 1
    }
    let recorder = RecordingSubscriber<Int, any Error>()
    sequence.publisher.subscribe(recorder)
    await sequence.pulls.wait()
    recorder.cancel()
    await cancelled.wait()
    await until { sequence.counter.count == 0 }
    #expect(recorder.log == [])
  }

  @Test func elementThatArrivesAfterCancelIsNotDelivered() async {
    for _ in 0..<300 {
      let latch = Signal()
      let sequence = CountedSequence<Never> { index in
        await latch.wait()
        return index
      }
      let recorder = RecordingSubscriber<Int, Never>()
      sequence.publisher.subscribe(recorder)
      await sequence.pulls.wait()
      recorder.cancel()
      latch.fire()
      await until { sequence.counter.count == 0 }
      #expect(recorder.log == [])
    }
  }

  @Test func endlessSequenceThatIgnoresCancellationIsNotPulledOn() async {
    for _ in 0..<50 {
      let sequence = CountedSequence<Never> { index in
        await Task.yield()
        return index
      }
      let recorder = RecordingSubscriber<Int, Never>()
      sequence.publisher.subscribe(recorder)
      await sequence.pulls.wait(10)
      recorder.cancel()
      await until { sequence.counter.count == 0 }
      let values = recorder.values
      #expect(values == Array(0..<values.count))
      // One may have been on its way when the cancellation came.
      #expect(sequence.pulls.count <= values.count + 1)
      #expect(recorder.completions == 0)
    }
  }

  @Test func failureThatFollowsFromCancellationIsNotReported() {
    let steps = StepExecutor()
    let latch = Signal()
    let sequence = CountedSequence<any Error> { _ in
      await latch.wait()
      try Task.checkCancellation()
      return nil
    }
    let recorder = RecordingSubscriber<Int, any Error>()
    steps.run { sequence.publisher.subscribe(recorder) }
    recorder.cancel()
    steps.run { latch.fire() }
    #expect(sequence.counter.count == 0)
    #expect(recorder.log == [])
  }

  @Test func subscriberIsReleasedWhileAnElementIsStillAwaited() async {
    let latch = Signal()
    let sequence = CountedSequence<Never> { index in
      await latch.wait()
      return index
    }
    var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
    weak let released = recorder
    sequence.publisher.subscribe(recorder!)
    await sequence.pulls.wait()
    let subscription = recorder?.subscription
    recorder?.cancel()
    recorder = nil
    #expect(released == nil)
    latch.fire()
    withExtendedLifetime(subscription) {}
  }

  @Test func cancelFromInsideReceiveIsFinal() async {
    for _ in 0..<200 {
      let sequence = CountedSequence.upTo(100)
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { [unowned recorder] in if $0 == 3 { recorder.cancel() } }
      sequence.publisher.subscribe(recorder)
      await until { sequence.counter.count == 0 }
      #expect(recorder.log == ["0", "1", "2", "3"])
    }
  }

  @Test func everythingIsReleasedAfterTheEnd() async {
    let end = Signal()
    let sequence = CountedSequence.upTo(3)
    var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
    weak let released = recorder
    recorder?.onCompletion = { _ in end.fire() }
    sequence.publisher.subscribe(recorder!)
    await end.wait()
    let subscription = recorder?.subscription
    recorder = nil
    await until { released == nil && sequence.counter.count == 0 }
    withExtendedLifetime(subscription) {}
  }

  @Test func taskThatNobodyCanAskAnyMoreEnds() async {
    let sequence = CountedSequence.upTo(10)
    var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber(initialDemand: .max(2))
    sequence.publisher.subscribe(recorder!)
    await until { recorder?.values.count == 2 }
    recorder?.releaseSubscriptions()
    recorder = nil
    await until { sequence.counter.count == 0 }
    #expect(sequence.pulls.count == 2)
  }

  @Test func subscriptionThatIsNotKeptStillServesWhatWasAskedFor() async {
    let end = Signal()
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onCompletion = { _ in end.fire() }
    recorder.onSubscription = { [unowned recorder] in
      $0.request(.unlimited)
      recorder.releaseSubscriptions()
    }
    CountedSequence.upTo(3).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == [0, 1, 2])
  }

  // MARK: Races

  @Test func cancelRacesWithDeliveryToAPrefix() async {
    for _ in 0..<1_000 {
      let sequence = CountedSequence.upTo(20)
      let recorder = RecordingSubscriber<Int, Never>()
      sequence.publisher.subscribe(recorder)
      await Task.yield()
      recorder.cancel()
      let (receivedBefore, endsBefore) = (recorder.values.count, recorder.completions)
      await until { sequence.counter.count == 0 }
      let values = recorder.values
      #expect(values == Array(0..<values.count))
      // A signal that was under way when it was cancelled may be recorded after; none begins later.
      #expect(values.count + recorder.completions <= receivedBefore + endsBefore + 1)
      #expect(recorder.completions <= 1)
    }
  }

  @Test func roundTripKeepsEverything() async {
    let values = await collect(CountedSequence.upTo(10_000).publisher.asyncValues(prefetch: 16)).values
    #expect(values == Array(0..<10_000))
  }

  @Test func nothingIsPulledAfterACancelThatCameBeforeTheTask() async {
    for _ in 0..<300 {
      let sequence = CountedSequence.upTo(3)
      let pulledWhenCancelled = {
        let recorder = RecordingSubscriber<Int, Never>()
        sequence.publisher.subscribe(recorder)
        recorder.cancel()
        return sequence.pulls.count
      }()
      await until { sequence.counter.count == 0 }
      // A pull under way at the cancellation counts itself in before or after; none begins later.
      #expect(sequence.pulls.count <= pulledWhenCancelled + 1)
    }
  }
}
