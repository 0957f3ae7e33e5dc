import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct EmptySinkTests {
  @Test func runsThePipelineUntilItIsCancelled() {
    let subject = PassthroughSubject<Int, TestError>()
    var seen: [Int] = []
    let cancellable = subject.map { seen.append($0) }.emptySink()
    subject.send(1)
    cancellable.cancel()
    subject.send(2)
    #expect(seen == [1])
  }

  @Test func runsThePipelineUntilItIsReleased() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var cancellable: AnyCancellable? = publisher.emptySink()
    #expect(publisher.cancellations.isEmpty)
    cancellable = nil
    #expect(publisher.cancellations.count == 1)
    _ = cancellable
  }

  @Test func asksWithoutLimit() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let cancellable = publisher.emptySink()
    #expect(publisher.requests == [.unlimited])
    #expect(publisher.send(1) == .none)
    #expect(publisher.requests == [.unlimited])
    withExtendedLifetime(cancellable) {}
  }

  @Test func failureEndsItQuietly() {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let cancellable = {
      let token = counter.make()
      return publisher.map { _ in token.touch() }.emptySink()
    }()
    publisher.send(1)
    publisher.send(completion: .failure(TestError("ignored")))
    publisher.releaseSubscribers()
    #expect(counter.count == 0)
    #expect(publisher.cancellations.isEmpty)
    withExtendedLifetime(cancellable) {}
  }

  @Test func runsTasksForTheirEffects() {
    let steps = StepExecutor()
    let workshop = Workshop()
    let cancellable = steps.run {
      (0..<3).publisher.task(maxPublishers: .max(2)) { await workshop.work($0) }.emptySink()
    }
    #expect(workshop.started == [0, 1])
    steps.run { cancellable.cancel() }
    #expect(workshop.cancelled.sorted() == [0, 1])
  }
}
