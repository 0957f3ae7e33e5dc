import Interflow
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct OneByOneSinkTests {
  private typealias Sink = Subscribers.OneByOneSink<Int, TestError>

  private let steps = StepExecutor()
  private let workshop = Workshop()
  private let log = Shared<[String]>([])

  private func note(_ text: String) { log.update { $0.append(text) } }

  private func manualSink() -> Sink {
    Sink { [log] completion in
      log.update { $0.append("\(completion)") }
    } receiveValue: { [log] value in
      log.update { $0.append("\(value)") }
    }
  }

  private func asyncSink() -> Sink {
    Sink { [log, workshop] completion in
      log.update { $0.append("\(completion) with \(workshop.running) running") }
    } receiveValue: { [workshop] value in
      _ = await workshop.work(value)
    }
  }

  // MARK: With resume()

  @Test func nextValueComesWhenTheSinkIsResumed() {
    let sink = manualSink()
    (1...3).publisher.setFailureType(to: TestError.self).subscribe(sink)
    #expect(log.value == ["1"])
    sink.resume()
    #expect(log.value == ["1", "2"])
    sink.resume()
    #expect(log.value == ["1", "2", "3", "finished"])
  }

  @Test func resumingWithoutAValueAtHandDoesNothing() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = manualSink()
    sink.resume()
    publisher.subscribe(sink)
    sink.resume()
    #expect(publisher.requests == [.max(1)])
    publisher.send(1)
    sink.resume()
    sink.resume()
    #expect(publisher.requests == [.max(1), .max(1)])
  }

  @Test func resumingFromInsideAsksWhenTheClosureHasReturned() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = Shared<Sink?>(nil)
    let requestsInside = Shared<[RecordedRequest]>([])
    sink.value = Sink { _ in
    } receiveValue: { _ in
      sink.value?.resume()
      sink.value?.resume()
      requestsInside.value = publisher.requests
    }
    publisher.subscribe(sink.value!)
    #expect(publisher.send(1) == .max(1))
    #expect(requestsInside.value == [.max(1)])
    #expect(publisher.requests == [.max(1), .max(1)])
    sink.value = nil
  }

  @Test func resumingFromInsideDoesNotGrowTheStack() {
    let gauge = UncheckedBox(StackGauge())  // Only the test's thread uses it.
    let sink = Shared<Sink?>(nil)
    let count = Shared(0)
    sink.value = Sink { _ in
    } receiveValue: { _ in
      gauge.value.measure()
      count.update { $0 += 1 }
      sink.value?.resume()
    }
    (0..<100_000).publisher.setFailureType(to: TestError.self).subscribe(sink.value!)
    #expect(count.value == 100_000)
    #expect(gauge.value.growth < 4_096)
    sink.value = nil
  }

  @Test func resumingFromManyThreadsAsksOnceForEachValue() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = manualSink()
    publisher.subscribe(sink)
    for round in 1...200 {
      publisher.send(round)
      inParallel(4) { _ in sink.resume() }
      #expect(publisher.requested == .max(round + 1))
    }
  }

  @Test func aValueAtATimeThoughOtherThreadsResume() {
    let isInside = Atomic(false)
    let overlaps = Atomic(0)
    let end = Latch()
    let count = Shared(0)
    let sink = Subscribers.OneByOneSink<Int, Never> { _ in
      end.open()
    } receiveValue: { _ in
      if isInside.exchange(true, ordering: .acquiringAndReleasing) {
        overlaps.wrappingAdd(1, ordering: .relaxed)
      }
      count.update { $0 += 1 }
      isInside.store(false, ordering: .releasing)
    }
    let publisher = (0..<500).publisher
    publisher.subscribe(sink)
    inParallel(4) { _ in while count.value < 500 { sink.resume() } }
    sink.resume()
    #expect(end.wait())
    #expect(count.value == 500)
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test func completionDoesNotWaitForAResumption() {
    let subject = PassthroughSubject<Int, TestError>()
    let sink = manualSink()
    subject.subscribe(sink)
    subject.send(1)
    subject.send(completion: .failure(TestError("broken")))
    #expect(log.value == ["1", "failure(broken)"])
    sink.resume()
    #expect(log.value == ["1", "failure(broken)"])
  }

  @Test func completionOnAnotherThreadWaitsForTheClosure() {
    let (publisher, busy) = (TestPublisher<Int, TestError>(keepsSubscribers: true), BusyThread())
    let sink = Sink { [log] completion in
      log.update { $0.append("\(completion)") }
    } receiveValue: { [log] value in
      if value == 2 { busy.stay() }
      log.update { $0.append("\(value)") }
    }
    publisher.subscribe(sink)
    for value in 1...2 { publisher.send(value) }
    busy.start { sink.resume() }
    publisher.send(completion: .finished)
    #expect(log.value == ["1"])
    busy.release()
    #expect(log.value == ["1", "2", "finished"])
  }

  @Test func hotUpstreamLosesWhatComesMeanwhile() {
    let subject = PassthroughSubject<Int, TestError>()
    let sink = manualSink()
    subject.subscribe(sink)
    for value in 1...3 { subject.send(value) }
    sink.resume()
    subject.send(4)
    #expect(log.value == ["1", "4"])
  }

  @Test func surplusOfARuleBreakerWaitsForItsTurn() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = manualSink()
    publisher.subscribe(sink)
    for value in 1...3 { publisher.send(value) }
    publisher.send(completion: .finished)
    #expect(log.value == ["1"])
    sink.resume()
    sink.resume()
    #expect(log.value == ["1", "2", "3", "finished"])
    #expect(publisher.requests == [.max(1)])
  }

  @Test func nothingHappensAfterCancellation() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = manualSink()
    publisher.subscribe(sink)
    publisher.send(1)
    sink.cancel()
    sink.cancel()
    sink.resume()
    #expect(publisher.send(2) == .none)
    publisher.send(completion: .finished)
    #expect(log.value == ["1"])
    #expect(publisher.requests == [.max(1)])
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancelFromInsideIsFinal() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = Shared<Sink?>(nil)
    sink.value = Sink { _ in
    } receiveValue: { _ in
      sink.value?.resume()
      sink.value?.cancel()
    }
    publisher.subscribe(sink.value!)
    #expect(publisher.send(1) == .none)
    #expect(publisher.cancellations.count == 1)
    sink.value = nil
  }

  @Test func secondSubscriptionIsCancelled() {
    let (first, second) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Int, TestError>(keepsSubscribers: true)
    )
    let sink = manualSink()
    first.subscribe(sink)
    second.subscribe(sink)
    #expect(second.cancellations.count == 1)
    #expect(second.requests == [])
    sink.cancel()
    #expect(first.cancellations.count == 1)
  }

  @Test func subscriptionAfterCancellationIsCancelled() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = manualSink()
    sink.cancel()
    publisher.subscribe(sink)
    #expect(publisher.cancellations.count == 1)
    #expect(publisher.requests == [])
  }

  // MARK: With an async closure

  @Test func nextValueComesWhenTheClosureHasReturned() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    steps.run { publisher.subscribe(asyncSink()) }
    steps.run { publisher.send(1) }
    #expect(workshop.started == [1])
    #expect(publisher.requests == [.max(1)])
    steps.run { workshop.letGo(1) }
    #expect(publisher.requests == [.max(1), .max(1)])
  }

  @Test func resumeDoesNothingWhereTheClosureIsAsync() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = asyncSink()
    steps.run { publisher.subscribe(sink) }
    steps.run { publisher.send(1) }
    sink.resume()
    #expect(publisher.requests == [.max(1)])
    steps.run { workshop.letGo(1) }
    sink.resume()
    #expect(publisher.requests == [.max(1), .max(1)])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(TestError("broken"))])
  func completionWaitsForTheClosure(completion: Subscribers.Completion<TestError>) {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    steps.run { publisher.subscribe(asyncSink()) }
    steps.run {
      publisher.send(1)
      publisher.send(completion: completion)
    }
    #expect(log.value == [])
    #expect(workshop.cancelled == [])
    steps.run { workshop.letGo(1) }
    #expect(log.value == ["\(completion) with 0 running"])
  }

  @Test func valuesAreHandledInOrder() async {
    let end = Signal()
    let seen = Shared<[Int]>([])
    let sink = (0..<1_000).publisher.oneByOneSink { _ in
      end.fire()
    } receiveValue: { value in
      await Task.yield()
      seen.update { $0.append(value) }
    }
    await end.wait()
    #expect(seen.value == Array(0..<1_000))
    withExtendedLifetime(sink) {}
  }

  @Test func surplusOfARuleBreakerIsHandledInTurn() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    steps.run { publisher.subscribe(asyncSink()) }
    steps.run { for value in 0..<3 { publisher.send(value) } }
    publisher.send(completion: .finished)
    for value in 0..<3 {
      #expect(workshop.started == Array(0...value))
      steps.run { workshop.letGo(value) }
    }
    #expect(workshop.most == 1)
    #expect(log.value == ["finished with 0 running"])
  }

  @Test func cancelCancelsTheTaskAtWork() {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let sink = asyncSink()
    steps.run { publisher.subscribe(sink) }
    steps.run { publisher.send(0) }
    steps.run { workshop.letGo(0) }
    steps.run { publisher.send(1) }
    steps.run { sink.cancel() }
    #expect(workshop.cancelled == [1])
    #expect(publisher.cancellations.count == 1)
    #expect(log.value == [])
  }

  @Test func releasingTheCancellableCancels() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellable: AnyCancellable? = steps.run {
      subject.oneByOneSink { [workshop] in _ = await workshop.work($0) }
    }
    steps.run { subject.send(1) }
    steps.run { cancellable = nil }
    #expect(workshop.cancelled == [1])
    _ = cancellable
  }

  @Test(arguments: [true, false], [true, false])
  func closuresAreReleasedByCancellationAndByTheEnd(cancels: Bool, isAsync: Bool) {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    let sink: Subscribers.OneByOneSink<LifetimeCounter.Token, Never> = {
      let (first, second) = (counter.make(), counter.make())
      return isAsync
        ? .init { _ in
          first.touch()
        } receiveValue: { [workshop] _ in
          second.touch()
          _ = await workshop.work(0)
        }
        : .init { _ in
          first.touch()
        } receiveValue: { _ in
          second.touch()
        }
    }()
    steps.run { publisher.subscribe(sink) }
    // The second waits inside.
    steps.run { for _ in 0..<2 { publisher.send(counter.make()) } }
    #expect(counter.count > 2)
    steps.run {
      if cancels {
        sink.cancel()
      } else {
        publisher.send(completion: .finished)
        sink.resume()
        workshop.letGo(0)
      }
    }
    #expect(counter.count == 0)
  }

  // MARK: Races

  @Test func cancelRacesWithResumptions() async {
    for _ in 0..<500 {
      let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
      let log = Shared<[Int]>([])
      let sink = Subscribers.OneByOneSink<Int, Never> { _ in
      } receiveValue: { value in
        log.update { $0.append(value) }
      }
      publisher.onRequest = { _ in publisher.send(log.value.count) }
      let task = Task { sink.cancel() }
      publisher.subscribe(sink)
      for _ in 0..<10 { sink.resume() }
      await task.value
      #expect(log.value == Array(0..<log.value.count))
    }
  }

  @Test func cancelRacesWithTheEndOfWork() async {
    for _ in 0..<500 {
      let counter = LifetimeCounter()
      let seen = Shared<[Int]>([])
      let completions = Shared(0)
      let sink = (0..<20).publisher.oneByOneSink { [token = counter.make()] _ in
        token.touch()
        completions.update { $0 += 1 }
      } receiveValue: { [token = counter.make()] value in
        token.touch()
        seen.update { $0.append(value) }
      }
      await Task.yield()
      sink.cancel()
      await until { counter.count == 0 }
      #expect(seen.value == Array(0..<seen.value.count))
      #expect(completions.value <= 1)
    }
  }
}
