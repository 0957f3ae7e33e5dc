import Interflow
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct TaskTests {
  // MARK: Values

  @Test func resultsArriveAndThenTheEnd() async {
    let values = await collect((0..<1_000).publisher.task(maxPublishers: .max(4)) { $0 * 2 }.asyncStream()).values
    #expect(values.sorted() == (0..<1_000).map { $0 * 2 })
  }

  @Test func oneAtATimeKeepsTheOrder() async {
    let values = await collect((0..<1_000).publisher.task(maxPublishers: .max(1)) { $0 }.asyncStream()).values
    #expect(values == Array(0..<1_000))
  }

  @Test func resultsComeInTheOrderOfCompletion() async {
    let workshop = Workshop()
    let recorder = RecordingSubscriber<Int, Never>()
    let arrivals = Signal()
    recorder.onValue = { _ in arrivals.fire() }
    (0..<3).publisher.task { await workshop.work($0) }.subscribe(recorder)
    await workshop.starts.wait(3)
    for (index, value) in [2, 0, 1].enumerated() {
      workshop.letGo(value)
      await arrivals.wait(index + 1)
    }
    await until { recorder.isFinished }
    #expect(recorder.log == ["2", "0", "1", "finished"])
  }

  @Test func emptyUpstreamFinishes() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Empty<Int, Never>().task { $0 }.subscribe(recorder)
    #expect(recorder.log == ["finished"])
  }

  @Test func itDescribesItself() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Empty<Int, Never>().task { $0 }.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Task"])
  }

  @Test(arguments: [true, false]) func closureIsReleasedBeforeTheCompletion(fails: Bool) {
    let (steps, counter) = (StepExecutor(), LifetimeCounter())
    let recorder = RecordingSubscriber<Int, TestError>()
    let closuresAtTheEnd = Shared<[Int]>([])
    recorder.onCompletion = { _ in closuresAtTheEnd.update { $0.append(counter.count) } }
    steps.run {
      let token = counter.make()
      Just(1).setFailureType(to: TestError.self)
        .task { value throws(TestError) in
          token.touch()
          if fails { throw TestError() }
          return value
        }
        .subscribe(recorder)
    }
    #expect(recorder.completions == 1)
    #expect(closuresAtTheEnd.value == [0])
  }

  // MARK: Demand

  @Test func noMoreRunThanAllowed() async {
    let workshop = Workshop()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    publisher.task(maxPublishers: .max(2)) { await workshop.work($0) }.subscribe(recorder)
    #expect(publisher.requests == [.max(2)])
    publisher.send(0)
    publisher.send(1)
    await workshop.starts.wait(2)
    #expect(publisher.requests == [.max(2)])
    workshop.letGo(1)
    await until { recorder.values == [1] }
    #expect(publisher.requests == [.max(2), .max(1)])
    publisher.send(2)
    await workshop.starts.wait(3)
    #expect(workshop.most == 2)
    recorder.cancel()
  }

  @Test func surplusOfARuleBreakerIsQueuedAndNotRunBeyondTheLimit() async {
    let workshop = Workshop()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    publisher.task(maxPublishers: .max(2)) { await workshop.work($0) }.subscribe(recorder)
    for value in 0..<6 { publisher.send(value) }
    publisher.send(completion: .finished)
    for value in 0..<6 {
      await workshop.starts.wait(value + 1)
      workshop.letGo(value)
    }
    await until { recorder.isFinished }
    #expect(recorder.values.sorted() == Array(0..<6))
    #expect(workshop.most <= 2)
  }

  @Test func nothingStartsBeforeDemand() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    publisher.task(maxPublishers: .max(3)) { $0 }.subscribe(recorder)
    #expect(publisher.requests == [])
    recorder.request(.max(1))
    #expect(publisher.requests == [.max(3)])
    recorder.cancel()
  }

  @Test func resultsWaitForDemandAndHoldUpUpstream() {
    let steps = StepExecutor()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let runs = Signal()
    publisher.onRequest = { demand in for _ in 0..<demand.max! { publisher.send(0) } }
    steps.run {
      publisher.task(maxPublishers: .max(2)) { value in
        runs.fire()
        return value
      }.subscribe(recorder)
    }
    #expect(recorder.values.count == 1)
    #expect(runs.count == 3)
    steps.run { recorder.request(.max(2)) }
    #expect(recorder.values.count == 3)
    #expect(runs.count == 5)
    recorder.cancel()
  }

  // MARK: Hot upstreams

  @Test func hotUpstreamLosesWhatNobodyAskedFor() async {
    let workshop = Workshop()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    subject.task(maxPublishers: .max(1)) { await workshop.work($0) }.subscribe(recorder)
    for value in 0..<3 { subject.send(value) }
    subject.send(completion: .finished)
    for value in 0..<3 { workshop.letGo(value) }
    await until { recorder.isFinished }
    #expect(recorder.values == [0])
  }

  @Test(arguments: [
    (BufferingPolicy.unbounded, [0, 1, 2, 3]), (.bufferingOldest(1), [0, 1]), (.bufferingNewest(2), [0, 2, 3]),
  ])
  func policyKeepsTheSurplus(policy: BufferingPolicy, kept: [Int]) async {
    let workshop = Workshop()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    subject.task(maxPublishers: .max(1), buffering: policy) { await workshop.work($0) }.subscribe(recorder)
    for value in 0..<4 { subject.send(value) }
    subject.send(completion: .finished)
    for value in 0..<4 { workshop.letGo(value) }
    await until { recorder.isFinished }
    #expect(recorder.values == kept)
  }

  @Test func bufferedValuesOfAHotUpstreamWaitForTheFirstDemand() async {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    subject.task(maxPublishers: .max(1), buffering: .unbounded) { $0 }.subscribe(recorder)
    for value in 0..<3 { subject.send(value) }
    subject.send(completion: .finished)
    recorder.request(.unlimited)
    await until { recorder.isFinished }
    #expect(recorder.values == [0, 1, 2])
  }

  // MARK: Errors

  @Test func failureOfATaskCancelsTheRestAndUpstream() async {
    let workshop = Workshop()
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    publisher.task { (value) throws(TestError) in
      if value == 2 {
        await workshop.starts.wait(2)
        throw TestError("broken")
      }
      return await workshop.work(value)
    }.subscribe(recorder)
    for value in 0..<3 { publisher.send(value) }
    await until { recorder.error != nil }
    await workshop.cancellations.wait(2)
    #expect(recorder.log == ["broken"])
    #expect(publisher.cancellations.count == 1)
  }

  @Test func failureOfUpstreamCancelsTheTasks() async {
    let workshop = Workshop()
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    publisher.task { await workshop.work($0) }.subscribe(recorder)
    publisher.send(0)
    await workshop.starts.wait()
    publisher.send(completion: .failure(TestError("upstream")))
    await workshop.cancellations.wait()
    #expect(recorder.log == ["upstream"])
    #expect(publisher.cancellations.isEmpty)
  }

  @Test func upstreamThatHasFinishedIsNotCancelled() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    publisher.task { $0 }.subscribe(recorder)
    publisher.send(1)
    publisher.send(completion: .finished)
    await until { recorder.isFinished }
    #expect(recorder.log == ["1", "finished"])
    recorder.cancel()
    #expect(publisher.cancellations.isEmpty)
  }

  @Test func anyErrorIsDelivered() async {
    let stream = [1].publisher.task { _ in try await Task { throw TestError("any") }.value }.asyncStream()
    #expect(await collect(stream).error as? TestError == TestError("any"))
  }

  // MARK: Cancellation and lifetime

  @Test func cancelCancelsRunningTasksAndUpstream() {
    let steps = StepExecutor()
    let workshop = Workshop()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run {
      publisher.task { await workshop.work($0) }.subscribe(recorder)
      for value in 0..<3 { publisher.send(value) }
    }
    #expect(workshop.started == [0, 1, 2])
    steps.run { recorder.cancel() }
    #expect(workshop.cancelled.sorted() == [0, 1, 2])
    #expect(workshop.running == 0)
    #expect(publisher.cancellations.count == 1)
    steps.run { publisher.send(9) }
    #expect(recorder.log == [])
    #expect(workshop.started == [0, 1, 2])
  }

  @Test func valueWhoseClosureHasNotBegunIsReleasedByCancellation() {
    let steps = StepExecutor()
    let counter = LifetimeCounter()
    let runs = Signal()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    steps.hold {
      publisher.task { _ in runs.fire() }.map { 0 }.subscribe(recorder)
      publisher.send(counter.make())
      recorder.cancel()
    }
    #expect(counter.count == 0)
    steps.runUntilIdle()
    #expect(runs.count == 0)
    #expect(recorder.log == [])
  }

  @Test func resultOfATaskThatIgnoresCancellationIsNotDelivered() {
    let steps = StepExecutor()
    let latch = Signal()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run {
      publisher.task { value in
        await latch.wait()
        return value
      }.subscribe(recorder)
      publisher.send(0)
    }
    recorder.cancel()
    steps.run { latch.fire() }
    #expect(recorder.log == [])
  }

  @Test func cancelFromInsideReceiveIsFinal() {
    let steps = StepExecutor()
    let recorder = RecordingSubscriber<Int, Never>()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    steps.run {
      publisher.task { $0 }.subscribe(recorder)
      for value in 0..<10 { publisher.send(value) }
    }
    #expect(recorder.log == ["0"])
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancelFromInsideReceiveIsFinalUnderContention() async {
    for _ in 0..<200 {
      let counter = LifetimeCounter()
      let recorder = RecordingSubscriber<Int, Never>()
      let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
      recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
      publisher.task { [token = counter.make()] value in
        token.touch()
        return value
      }.subscribe(recorder)
      for value in 0..<10 { publisher.send(value) }
      // When the last task has ended, the last reference to what the closure holds is gone.
      await until { counter.count == 0 }
      #expect(recorder.values.count == 1)
      #expect(publisher.cancellations.count == 1)
    }
  }

  @Test func everythingIsReleasedByCancellationAndByTheEnd() async {
    for cancels in [true, false] {
      let counter = LifetimeCounter()
      let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
      let workshop = Workshop()
      var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
      weak let released = recorder
      var token: LifetimeCounter.Token? = counter.make()
      publisher.task { [token] value in
        token?.touch()
        return await workshop.work(0)
      }.subscribe(recorder!)
      token = nil
      publisher.send(counter.make())
      await workshop.starts.wait()
      let subscription = recorder?.subscription
      if cancels {
        recorder?.cancel()
      } else {
        workshop.letGo(0)
        publisher.send(completion: .finished)
        await until { recorder?.isFinished == true }
      }
      publisher.releaseSubscribers()
      recorder?.releaseSubscriptions()
      recorder = nil
      await until { released == nil }
      withExtendedLifetime(subscription) {}
      await until { counter.count == 0 }
    }
  }

  // MARK: What goes wrong where a future is made of each value

  @Test func taskDoesNotOutliveItsSubscription() {
    let steps = StepExecutor()
    let workshop = Workshop()
    var cancellable: AnyCancellable? = steps.run {
      ["abc"].publisher.task(maxPublishers: .max(1)) { await workshop.work($0.count) }.emptySink()
    }
    #expect(workshop.running == 1)
    steps.run { cancellable = nil }
    #expect(workshop.cancelled == [3])
    #expect(workshop.running == 0)
    _ = cancellable
  }

  @Test func hotUpstreamNeedsNoBufferInFront() {
    let steps = StepExecutor()
    let workshop = Workshop()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = steps.run {
      subject.task(maxPublishers: .max(1), buffering: .unbounded) { await workshop.work($0) }.emptySink()
    }
    steps.run { for value in 0..<10 { subject.send(value) } }
    for value in 0..<10 {
      #expect(workshop.started == Array(0...value))
      steps.run { workshop.letGo(value) }
    }
    #expect(workshop.most == 1)
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Races

  @Test func signalsAreSerialAndComplete() async {
    for _ in 0..<50 {
      let inside = Atomic(0)
      var overlaps = 0
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { _ in
        if inside.wrappingAdd(1, ordering: .relaxed).oldValue != 0 { overlaps += 1 }
        inside.wrappingSubtract(1, ordering: .relaxed)
      }
      (0..<200).publisher.task(maxPublishers: .max(8)) { $0 }.subscribe(recorder)
      await until { recorder.isFinished }
      #expect(recorder.values.sorted() == Array(0..<200))
      #expect(overlaps == 0)
    }
  }

  @Test func cancelRacesWithResults() async {
    for _ in 0..<500 {
      let counter = LifetimeCounter()
      let recorder = RecordingSubscriber<Int, Never>()
      (0..<20).publisher.task(maxPublishers: .max(4)) { [token = counter.make()] value in
        token.touch()
        return value
      }.subscribe(recorder)
      await Task.yield()
      recorder.cancel()
      let count = recorder.values.count
      await until { counter.count == 0 }
      let values = recorder.values
      #expect(Set(values).count == values.count)
      // One may have been on its way when the cancellation came.
      #expect(values.count <= count + 1)
      #expect(recorder.completions <= 1)
    }
  }
}
