import Interflow
import InterflowTestSupport
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
    let publisher = ManualPublisher<Int, Never>()
    var cancellable: AnyCancellable? = publisher.emptySink()
    #expect(publisher.cancellations == 0)
    cancellable = nil
    #expect(publisher.cancellations == 1)
    _ = cancellable
  }

  @Test func asksWithoutLimit() {
    let publisher = ManualPublisher<Int, Never>()
    let cancellable = publisher.emptySink()
    #expect(publisher.requests == [.unlimited])
    #expect(publisher.send(1) == .none)
    #expect(publisher.requests == [.unlimited])
    withExtendedLifetime(cancellable) {}
  }

  @Test func failureEndsItQuietly() {
    let counter = LifetimeCounter()
    let publisher = ManualPublisher<Int, TestError>()
    let cancellable = {
      let token = counter.make()
      return publisher.map { _ in token.touch() }.emptySink()
    }()
    publisher.send(1)
    publisher.send(completion: .failure(TestError("ignored")))
    publisher.forgetSubscriber()
    #expect(counter.count == 0)
    #expect(publisher.cancellations == 0)
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
