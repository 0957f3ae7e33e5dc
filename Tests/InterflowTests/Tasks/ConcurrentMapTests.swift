import Interflow
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct ConcurrentMapTests {
  private let steps = StepExecutor()
  private let workshop = Workshop()

  // MARK: Values

  @Test func resultsComeInTheOrderOfTheValues() {
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run { (0..<3).publisher.concurrentMap(maxTasks: 3) { await workshop.work($0) }.subscribe(recorder) }
    #expect(workshop.started == [0, 1, 2])
    steps.run { workshop.letGo(2) }
    steps.run { workshop.letGo(1) }
    #expect(recorder.log == [])
    steps.run { workshop.letGo(0) }
    #expect(recorder.log == ["0", "1", "2", "finished"])
  }

  @Test func orderIsKeptByManyTasksOnManyThreads() async {
    for tasks in [1, 2, 7, 64] {
      let map = (0..<2_000).publisher.concurrentMap(maxTasks: tasks) { value in
        // The more often a task yields, the later it ends.
        for _ in 0..<(value * 7 % 5) { await Task.yield() }
        return value
      }
      #expect(await collect(map.asyncStream()).values == Array(0..<2_000))
    }
  }

  @Test func emptyUpstreamFinishesWithoutDemand() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Empty<Int, Never>().concurrentMap(maxTasks: 1) { $0 }.subscribe(recorder)
    #expect(recorder.log == ["finished"])
  }

  @Test func itDescribesItself() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Empty<Int, Never>().concurrentMap(maxTasks: 1) { $0 }.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["ConcurrentMap"])
  }

  // MARK: Demand

  @Test func whatRunsAndWhatWaitsAreNeverMoreThanAllowed() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run { publisher.concurrentMap(maxTasks: 3) { await workshop.work($0) }.subscribe(recorder) }
    #expect(publisher.requests == [.max(3)])
    steps.run { for value in 0..<3 { publisher.send(value) } }
    // The second and the third have ended and wait for the first, which still runs: no more is asked for.
    steps.run { workshop.letGo(1) }
    steps.run { workshop.letGo(2) }
    #expect(publisher.requested == .max(3))
    #expect(workshop.running == 1)
    steps.run { workshop.letGo(0) }
    #expect(publisher.requested == .max(6))
    #expect(recorder.values == [0, 1, 2])
    #expect(workshop.most == 3)
    recorder.cancel()
  }

  @Test func surplusOfARuleBreakerIsNotRunBeyondTheLimit() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run {
      publisher.concurrentMap(maxTasks: 2) { await workshop.work($0) }.subscribe(recorder)
      for value in 0..<6 { publisher.send(value) }
      publisher.send(completion: .finished)
    }
    for value in [1, 0, 3, 2, 5, 4] { steps.run { workshop.letGo(value) } }
    #expect(recorder.log == ["0", "1", "2", "3", "4", "5", "finished"])
    #expect(workshop.most == 2)
  }

  @Test func nothingStartsBeforeDemand() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { publisher.concurrentMap(maxTasks: 3) { await workshop.work($0) }.subscribe(recorder) }
    #expect(publisher.requests == [])
    steps.run { recorder.request(.max(1)) }
    #expect(publisher.requests == [.max(3)])
    recorder.cancel()
  }

  @Test func resultsWaitForDemandAndHoldUpUpstream() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let next = Atomic(0)
    let runs = Signal()
    publisher.onRequest = { demand in
      for _ in 0..<demand.max! { publisher.send(next.wrappingAdd(1, ordering: .relaxed).oldValue) }
    }
    steps.run {
      publisher.concurrentMap(maxTasks: 2) { value in
        runs.fire()
        return value
      }.subscribe(recorder)
    }
    #expect(recorder.values == [0])
    #expect(runs.count == 3)
    steps.run { recorder.request(.max(2)) }
    #expect(recorder.values == [0, 1, 2])
    #expect(runs.count == 5)
    recorder.cancel()
  }

  @Test func demandFromInsideReceiveAddsUp() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { _ in .max(1) }
    steps.run { (0..<1_000).publisher.concurrentMap(maxTasks: 4) { $0 }.subscribe(recorder) }
    #expect(recorder.values == Array(0..<1_000))
    #expect(recorder.isFinished)
  }

  // MARK: Hot upstreams

  @Test func hotUpstreamLosesWhatNobodyAskedFor() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run {
      subject.concurrentMap(maxTasks: 2) { await workshop.work($0) }.subscribe(recorder)
      for value in 0..<4 { subject.send(value) }
      subject.send(completion: .finished)
    }
    for value in 0..<4 { steps.run { workshop.letGo(value) } }
    #expect(recorder.log == ["0", "1", "finished"])
  }

  @Test(arguments: [
    (BufferingPolicy.unbounded, [0, 1, 2, 3, 4]), (.bufferingOldest(1), [0, 1, 2]),
    (.bufferingNewest(2), [0, 1, 3, 4]),
  ])
  func policyKeepsTheSurplus(policy: BufferingPolicy, kept: [Int]) {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run {
      subject.concurrentMap(maxTasks: 2, buffering: policy) { await workshop.work($0) }.subscribe(recorder)
      for value in 0..<5 { subject.send(value) }
      subject.send(completion: .finished)
    }
    for value in (0..<5).reversed() { steps.run { workshop.letGo(value) } }
    #expect(recorder.values == kept)
    #expect(recorder.isFinished)
  }

  // MARK: Errors

  /// Three tasks, of which the one in the middle fails when it is let go.
  private func failInTheMiddle(_ recorder: RecordingSubscriber<Int, TestError>) -> TestPublisher<Int, TestError> {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    steps.run {
      publisher.concurrentMap(maxTasks: 3) { [workshop] value throws(TestError) in
        let value = await workshop.work(value)
        if value == 1 { throw TestError("broken") }
        return value
      }.subscribe(recorder)
      for value in 0..<3 { publisher.send(value) }
    }
    return publisher
  }

  @Test func failureWaitsForTheResultsBeforeIt() {
    let recorder = RecordingSubscriber<Int, TestError>()
    let publisher = failInTheMiddle(recorder)
    steps.run { workshop.letGo(1) }
    // Known, but not its turn: what comes after it is cancelled, what comes before goes on.
    #expect(recorder.log == [])
    #expect(workshop.cancelled == [2])
    #expect(publisher.cancellations.count == 1)
    steps.run { workshop.letGo(0) }
    #expect(recorder.log == ["0", "broken"])
  }

  @Test func failureOfATaskNeedsNoDemandOnceItIsItsTurn() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    _ = failInTheMiddle(recorder)
    steps.run { workshop.letGo(0) }
    steps.run { workshop.letGo(1) }
    #expect(recorder.log == ["0", "broken"])
  }

  @Test func failureWaitsForTheDemandOfTheResultsBeforeIt() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    _ = failInTheMiddle(recorder)
    #expect(workshop.started == [])
    steps.run { recorder.request(.max(1)) }
    steps.run { workshop.letGo(1) }
    #expect(recorder.log == [])
    steps.run { workshop.letGo(0) }
    #expect(recorder.log == ["0", "broken"])
  }

  @Test func failureOfUpstreamComesAfterTheResults() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    steps.run {
      publisher.concurrentMap(maxTasks: 2) { await workshop.work($0) }.subscribe(recorder)
      for value in 0..<2 { publisher.send(value) }
      publisher.send(completion: .failure(TestError("upstream")))
    }
    #expect(recorder.log == [])
    #expect(workshop.cancelled == [])
    for value in [1, 0] { steps.run { workshop.letGo(value) } }
    #expect(recorder.log == ["0", "1", "upstream"])
    #expect(publisher.cancellations.isEmpty)
  }

  @Test func anyErrorIsDelivered() {
    let recorder = RecordingSubscriber<Int, any Error>()
    steps.run { [1].publisher.concurrentMap(maxTasks: 1) { _ in throw TestError("any") }.subscribe(recorder) }
    #expect(recorder.error as? TestError == TestError("any"))
  }

  @Test func lessThanOneTaskIsRefused() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.concurrentMap(maxTasks: 0) { $0 }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("at least one task must be allowed to run, but maxTasks was 0"))
  }

  // MARK: Cancellation and lifetime

  @Test func cancelCancelsRunningTasksAndUpstream() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    steps.run {
      publisher.concurrentMap(maxTasks: 3) { await workshop.work($0) }.subscribe(recorder)
      for value in 0..<3 { publisher.send(value) }
    }
    steps.run { workshop.letGo(1) }
    steps.run { recorder.cancel() }
    #expect(workshop.cancelled.sorted() == [0, 2])
    #expect(workshop.running == 0)
    #expect(publisher.cancellations.count == 1)
    #expect(recorder.log == [])
  }

  @Test func cancelFromInsideReceiveIsFinal() {
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { [unowned recorder] in if $0 == 3 { recorder.cancel() } }
    steps.run { (0..<10).publisher.concurrentMap(maxTasks: 4) { $0 }.subscribe(recorder) }
    #expect(recorder.log == ["0", "1", "2", "3"])
  }

  @Test(arguments: [true, false]) func everythingIsReleasedByCancellationAndByTheEnd(cancels: Bool) {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    var recorder: RecordingSubscriber<LifetimeCounter.Token, Never>? = RecordingSubscriber(initialDemand: .none)
    weak let released = recorder
    var token: LifetimeCounter.Token? = counter.make()
    steps.run {
      publisher.concurrentMap(maxTasks: 1, buffering: .unbounded) { [token] value in
        token?.touch()
        return value
      }.subscribe(recorder!)
    }
    token = nil
    // Two to be delivered, and one that waits for its turn where nobody takes them.
    steps.run { for _ in 0..<3 { publisher.send(counter.make()) } }
    let subscription = recorder?.subscription
    if cancels {
      steps.run { recorder?.request(.max(1)) }
      #expect(recorder?.values.count == 1)
      recorder?.cancel()
    } else {
      steps.run { recorder?.request(.unlimited) }
      publisher.send(completion: .finished)
      #expect(recorder?.isFinished == true)
    }
    publisher.releaseSubscribers()
    recorder?.releaseSubscriptions()
    recorder = nil
    #expect(released == nil)
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  // MARK: Races

  @Test func cancelRacesWithResultsToAPrefix() async {
    for _ in 0..<500 {
      let counter = LifetimeCounter()
      let recorder = RecordingSubscriber<Int, Never>()
      (0..<20).publisher.concurrentMap(maxTasks: 4) { [token = counter.make()] value in
        token.touch()
        return value
      }.subscribe(recorder)
      await Task.yield()
      recorder.cancel()
      await until { counter.count == 0 }
      let values = recorder.values
      #expect(values == Array(0..<values.count))
      #expect(recorder.completions <= 1)
    }
  }

  @Test func failureRacesWithResultsToItsPlace() async {
    for failing in 0..<200 {
      let place = failing % 20
      let map = (0..<20).publisher.concurrentMap(maxTasks: 6) { (value) throws(TestError) in
        if value >= place { throw TestError("\(value)") }
        return value
      }
      let (values, error) = await collect(map.asyncStream())
      #expect(values == Array(0..<place))
      #expect(error == TestError("\(place)"))
    }
  }
}
