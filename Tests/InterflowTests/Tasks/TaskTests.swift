import Interflow
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct TaskTests {
  /// Work that runs until the test lets it go on.
  private final class Workshop: Sendable {
    private struct State {
      var running = 0
      var most = 0
      var started: [Int] = []
    }

    private let state = Shared(State())
    private let gates = Shared<[Int: Signal]>([:])
    let starts = Signal()
    let cancellations = Signal()

    var most: Int { state.value.most }
    var started: [Int] { state.value.started }

    private func gate(_ value: Int) -> Signal {
      gates.update { gates in
        if let gate = gates[value] { return gate }
        let gate = Signal()
        gates[value] = gate
        return gate
      }
    }

    func letGo(_ value: Int) { gate(value).fire() }

    func work(_ value: Int) async -> Int {
      state.update {
        $0.running += 1
        $0.most = max($0.most, $0.running)
        $0.started.append(value)
      }
      starts.fire()
      let gate = gate(value)
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        cancellations.fire()
        gate.fire()
      }
      state.update { $0.running -= 1 }
      return value
    }
  }

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
    let recorder = Recorder<Int, Never>()
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
    let recorder = Recorder<Int, Never>(demand: .none)
    Empty<Int, Never>().task { $0 }.subscribe(recorder)
    #expect(recorder.log == ["finished"])
  }

  // MARK: Demand

  @Test func noMoreRunThanAllowed() async {
    let workshop = Workshop()
    let publisher = ManualPublisher<Int, Never>()
    let recorder = Recorder<Int, Never>()
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
    let publisher = ManualPublisher<Int, Never>()
    let recorder = Recorder<Int, Never>()
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
    let publisher = ManualPublisher<Int, Never>()
    let recorder = Recorder<Int, Never>(demand: .none)
    publisher.task(maxPublishers: .max(3)) { $0 }.subscribe(recorder)
    #expect(publisher.requests == [])
    recorder.request(.max(1))
    #expect(publisher.requests == [.max(3)])
    recorder.cancel()
  }

  @Test func resultsWaitForDemandAndHoldUpUpstream() async {
    let recorder = Recorder<Int, Never>(demand: .max(1))
    let publisher = ManualPublisher<Int, Never>()
    let runs = Signal()
    publisher.onRequest = { demand in for _ in 0..<demand.max! { publisher.send(0) } }
    publisher.task(maxPublishers: .max(2)) { value in
      runs.fire()
      return value
    }.subscribe(recorder)
    await runs.wait(3)
    await until { recorder.values.count == 1 }
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.values.count == 1)
    #expect(runs.count == 3)
    recorder.request(.max(2))
    await until { recorder.values.count == 3 }
    await runs.wait(5)
    for _ in 0..<100 { await Task.yield() }
    #expect(runs.count == 5)
    recorder.cancel()
  }

  // MARK: Hot upstreams

  @Test func hotUpstreamLosesWhatNobodyAskedFor() async {
    let workshop = Workshop()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
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
    let recorder = Recorder<Int, Never>()
    subject.task(maxPublishers: .max(1), buffering: policy) { await workshop.work($0) }.subscribe(recorder)
    for value in 0..<4 { subject.send(value) }
    subject.send(completion: .finished)
    for value in 0..<4 { workshop.letGo(value) }
    await until { recorder.isFinished }
    #expect(recorder.values == kept)
  }

  @Test func bufferedValuesOfAHotUpstreamWaitForTheFirstDemand() async {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(demand: .none)
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
    let publisher = ManualPublisher<Int, TestError>()
    let recorder = Recorder<Int, TestError>()
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
    #expect(publisher.cancellations == 1)
  }

  @Test func failureOfUpstreamCancelsTheTasks() async {
    let workshop = Workshop()
    let publisher = ManualPublisher<Int, TestError>()
    let recorder = Recorder<Int, TestError>()
    publisher.task { await workshop.work($0) }.subscribe(recorder)
    publisher.send(0)
    await workshop.starts.wait()
    publisher.send(completion: .failure(TestError("upstream")))
    await workshop.cancellations.wait()
    #expect(recorder.log == ["upstream"])
    #expect(publisher.cancellations == 0)
  }

  @Test func upstreamThatHasFinishedIsNotCancelled() async {
    let publisher = ManualPublisher<Int, Never>()
    let recorder = Recorder<Int, Never>()
    publisher.task { $0 }.subscribe(recorder)
    publisher.send(1)
    publisher.send(completion: .finished)
    await until { recorder.isFinished }
    #expect(recorder.log == ["1", "finished"])
    recorder.cancel()
    #expect(publisher.cancellations == 0)
  }

  @Test func anyErrorIsDelivered() async {
    let stream = [1].publisher.task { _ in try await Task { throw TestError("any") }.value }.asyncStream()
    #expect(await collect(stream).error as? TestError == TestError("any"))
  }

  // MARK: Cancellation and lifetime

  @Test func cancelCancelsRunningTasksAndUpstream() async {
    let workshop = Workshop()
    let publisher = ManualPublisher<Int, Never>()
    let recorder = Recorder<Int, Never>()
    publisher.task { await workshop.work($0) }.subscribe(recorder)
    for value in 0..<3 { publisher.send(value) }
    await workshop.starts.wait(3)
    recorder.cancel()
    await workshop.cancellations.wait(3)
    #expect(publisher.cancellations == 1)
    publisher.send(9)
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.log == [])
    #expect(workshop.started.sorted() == [0, 1, 2])
  }

  @Test func cancelFromInsideReceiveIsFinal() async {
    for _ in 0..<200 {
      let recorder = Recorder<Int, Never>()
      let publisher = ManualPublisher<Int, Never>()
      recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
      publisher.task { $0 }.subscribe(recorder)
      for value in 0..<10 { publisher.send(value) }
      await until { recorder.values.count >= 1 }
      for _ in 0..<5 { await Task.yield() }
      #expect(recorder.values.count == 1)
      #expect(publisher.cancellations == 1)
    }
  }

  @Test func everythingIsReleasedByCancellationAndByTheEnd() async {
    for cancels in [true, false] {
      let counter = LifetimeCounter()
      let publisher = ManualPublisher<LifetimeCounter.Token, Never>()
      let workshop = Workshop()
      var recorder: Recorder<Int, Never>? = Recorder()
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
      publisher.forgetSubscriber()
      recorder?.forgetSubscription()
      recorder = nil
      await until { released == nil }
      withExtendedLifetime(subscription) {}
      await until { counter.count == 0 }
    }
  }

  // MARK: Races

  @Test func signalsAreSerialAndComplete() async {
    for _ in 0..<50 {
      let inside = Atomic(0)
      var overlaps = 0
      let recorder = Recorder<Int, Never>()
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
      let recorder = Recorder<Int, Never>()
      (0..<20).publisher.task(maxPublishers: .max(4)) { $0 }.subscribe(recorder)
      await Task.yield()
      recorder.cancel()
      let values = recorder.values
      #expect(Set(values).count == values.count)
      #expect(recorder.completions <= 1)
    }
  }
}
