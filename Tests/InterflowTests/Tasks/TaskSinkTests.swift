import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct TaskSinkTests {
  private let steps = StepExecutor()
  private let workshop = Workshop()
  private let log = Shared<[String]>([])

  /// Handles what a publisher delivers in the workshop, and notes the completion.
  private func attach<P: Publisher>(
    _ publisher: P, maxTasks: Int, buffering: BufferingPolicy? = nil
  ) -> AnyCancellable where P.Output == Int {
    steps.run {
      publisher.sink(maxTasks: maxTasks, buffering: buffering) { [log, workshop] completion in
        log.update { $0.append("\(completion) with \(workshop.running) running") }
      } receiveValue: { [workshop] in
        _ = await workshop.work($0)
      }
    }
  }

  // MARK: Values

  @Test func everyValueIsHandledAndThenTheEndIsTold() {
    let sink = attach((0..<4).publisher, maxTasks: 2)
    for value in 0..<4 { steps.run { workshop.letGo(value) } }
    #expect(workshop.started == [0, 1, 2, 3])
    #expect(workshop.most == 2)
    #expect(log.value == ["finished with 0 running"])
    withExtendedLifetime(sink) {}
  }

  @Test func oneAtATimeKeepsTheOrder() async {
    let seen = Shared<[Int]>([])
    let end = Signal()
    let sink = (0..<1_000).publisher.sink(maxTasks: 1) { _ in
      end.fire()
    } receiveValue: { value in
      await Task.yield()
      seen.update { $0.append(value) }
    }
    await end.wait()
    #expect(seen.value == Array(0..<1_000))
    withExtendedLifetime(sink) {}
  }

  @Test func aPublisherThatCannotFailNeedsNoCompletionClosure() {
    let sink = steps.run { [7].publisher.sink(maxTasks: 1) { [workshop] in _ = await workshop.work($0) } }
    #expect(workshop.started == [7])
    withExtendedLifetime(sink) {}
  }

  @Test func completionWaitsForTheLastClosure() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let sink = attach(publisher, maxTasks: 2)
    steps.run {
      for value in 0..<2 { publisher.send(value) }
      publisher.send(completion: .finished)
    }
    #expect(log.value == [])
    steps.run { workshop.letGo(1) }
    #expect(log.value == [])
    steps.run { workshop.letGo(0) }
    #expect(log.value == ["finished with 0 running"])
    withExtendedLifetime(sink) {}
  }

  @Test func failureWaitsForTheLastClosureAndCancelsNone() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = attach(publisher, maxTasks: 2)
    steps.run {
      for value in 0..<2 { publisher.send(value) }
      publisher.send(completion: .failure(TestError("broken")))
    }
    #expect(log.value == [])
    #expect(workshop.cancelled == [])
    for value in 0..<2 { steps.run { workshop.letGo(value) } }
    #expect(log.value == ["failure(broken) with 0 running"])
    withExtendedLifetime(sink) {}
  }

  // MARK: Demand

  @Test func demandMatchesWhatMayRun() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let sink = attach(publisher, maxTasks: 2)
    #expect(publisher.requests == [.max(2)])
    steps.run { for value in 0..<2 { publisher.send(value) } }
    #expect(publisher.requests == [.max(2)])
    steps.run { workshop.letGo(1) }
    #expect(publisher.requests == [.max(2), .max(1)])
    sink.cancel()
  }

  @Test func slowValueHoldsUpItsOwnPlaceOnly() {
    let sink = attach((0..<6).publisher, maxTasks: 2)
    for value in 1..<6 { steps.run { workshop.letGo(value) } }
    #expect(workshop.started == [0, 1, 2, 3, 4, 5])
    #expect(workshop.running == 1)
    sink.cancel()
  }

  @Test(arguments: [
    (BufferingPolicy?.none, [0]), (.unbounded, [0, 1, 2, 3]), (.bufferingOldest(1), [0, 1]),
    (.bufferingNewest(2), [0, 2, 3]),
  ])
  func policyDecidesWhatIsKeptOfAHotUpstream(policy: BufferingPolicy?, kept: [Int]) {
    let subject = PassthroughSubject<Int, Never>()
    let sink = attach(subject, maxTasks: 1, buffering: policy)
    steps.run {
      for value in 0..<4 { subject.send(value) }
      subject.send(completion: .finished)
    }
    for value in 0..<4 { steps.run { workshop.letGo(value) } }
    #expect(workshop.started == kept)
    #expect(log.value == ["finished with 0 running"])
    withExtendedLifetime(sink) {}
  }

  @Test func lessThanOneTaskIsRefused() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.sink(maxTasks: -1) { _ in }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("at least one task must be allowed to run, but maxTasks was -1"))
  }

  // MARK: Cancellation and lifetime

  @Test(arguments: [true, false]) func cancelOrReleaseCancelsTheRunningTasks(releases: Bool) {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var sink: AnyCancellable? = attach(publisher, maxTasks: 2)
    steps.run { for value in 0..<2 { publisher.send(value) } }
    steps.run {
      if !releases { sink?.cancel() }
      sink = nil
    }
    #expect(workshop.cancelled.sorted() == [0, 1])
    #expect(workshop.running == 0)
    #expect(publisher.cancellations.count == 1)
    #expect(log.value == [])
  }

  @Test func cancelFromInsideTheClosureCancelsItself() {
    let sink = Shared<AnyCancellable?>(nil)
    let subject = PassthroughSubject<Int, Never>()
    let wasCancelled = Shared(false)
    steps.run {
      sink.value = subject.sink(maxTasks: 1, buffering: .unbounded) { _ in
        sink.value?.cancel()
        wasCancelled.value = Task.isCancelled
      }
      for value in 0..<3 { subject.send(value) }
    }
    #expect(wasCancelled.value)
  }

  @Test(arguments: [true, false]) func closuresAreReleasedByCancellationAndByTheEnd(cancels: Bool) {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let sink = steps.run { [workshop] in
      let (first, second) = (counter.make(), counter.make())
      return publisher.sink(maxTasks: 1) { _ in
        first.touch()
      } receiveValue: { value in
        second.touch()
        _ = await workshop.work(value)
      }
    }
    steps.run { publisher.send(0) }
    #expect(counter.count == 2)
    steps.run {
      if cancels {
        sink.cancel()
      } else {
        workshop.letGo(0)
        publisher.send(completion: .finished)
      }
    }
    publisher.releaseSubscribers()
    #expect(counter.count == 0)
  }

  // MARK: Races

  @Test func completionComesAfterEveryClosureOnManyThreads() async {
    for _ in 0..<200 {
      let handled = Shared(0)
      let handledAtTheEnd = Shared(-1)
      let end = Signal()
      let sink = (0..<50).publisher.sink(maxTasks: 8) { _ in
        handledAtTheEnd.value = handled.value
        end.fire()
      } receiveValue: { _ in
        await Task.yield()
        handled.update { $0 += 1 }
      }
      await end.wait()
      #expect(handledAtTheEnd.value == 50)
      withExtendedLifetime(sink) {}
    }
  }
}
