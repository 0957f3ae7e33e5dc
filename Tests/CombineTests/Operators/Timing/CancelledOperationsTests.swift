#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  /// What operators do when somebody cancels all operations of the queue on which they deliver.
  @Suite struct CancelledOperationsTests {
    private let queue: OperationQueue = {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      return queue
    }()

    /// Does something while nothing runs on the queue, cancels all operations, and lets the queue go on until it has
    /// nothing to do.
    private func cancellingAll(_ body: () -> Void) {
      queue.isSuspended = true
      body()
      queue.cancelAllOperations()
      queue.isSuspended = false
      drain()
    }

    private func drain() {
      while queue.operationCount > 0 { queue.waitUntilAllOperationsAreFinished() }
    }

    @Test func receiveOnLosesNothing() {
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>())
      subject.receive(on: queue).subscribe(recorder)
      cancellingAll { for value in 1...3 { subject.send(value) } }
      #expect(recorder.values == [1, 2, 3])
      subject.send(4)
      cancellingAll { subject.send(completion: .finished) }
      #expect(recorder.log == ["1", "2", "3", "4", "finished"])
    }

    /// With more to say about its operations.
    private final class Queue: OperationQueue, @unchecked Sendable {}

    @Test func aSubclassLosesNothingEither() {
      let queue = Queue()
      queue.maxConcurrentOperationCount = 1
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>())
      subject.delay(for: .seconds(1_000), scheduler: queue).receive(on: queue).subscribe(recorder)
      queue.isSuspended = true
      for value in 1...3 { subject.send(value) }
      queue.cancelAllOperations()
      queue.isSuspended = false
      while queue.operationCount > 0 { queue.waitUntilAllOperationsAreFinished() }
      #expect(recorder.values == [1, 2, 3])
    }

    @Test func subscribeOnSubscribesRequestsAndCancels() {
      let source = TestPublisher<Int, Never>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      cancellingAll { source.subscribe(on: queue).subscribe(recorder) }
      #expect(source.subscriptions.count == 1)
      cancellingAll { recorder.request(.max(2)) }
      #expect(source.requests == [.max(2)])
      cancellingAll { recorder.cancel() }
      #expect(source.cancellations.count == 1)
    }

    @Test func collectDeliversEveryGroup() {
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<[Int], Never>())
      subject.collect(.byTimeOrCount(queue, .seconds(1_000), 2)).subscribe(recorder)
      cancellingAll { for value in 1...2 { subject.send(value) } }
      for value in 3...8 { subject.send(value) }
      subject.send(completion: .finished)
      drain()
      #expect(recorder.log == ["[1, 2]", "[3, 4]", "[5, 6]", "[7, 8]", "finished"])
    }

    @Test func delayedSignalsAreDeliveredEarly() {
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>())
      subject.delay(for: .seconds(1_000), scheduler: queue).subscribe(recorder)
      cancellingAll {
        for value in 1...3 { subject.send(value) }
        subject.send(completion: .finished)
      }
      #expect(recorder.log == ["1", "2", "3", "finished"])
    }

    @Test func throttledValueIsDeliveredEarly() {
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>())
      subject.throttle(for: .seconds(1_000), scheduler: queue, latest: true).subscribe(recorder)
      for value in 1...3 { cancellingAll { subject.send(value) } }
      #expect(recorder.values == [1, 2, 3])
      cancellingAll { subject.send(completion: .finished) }
      #expect(recorder.isFinished)
    }

    @Test func timeoutDeliversValues() {
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>())
      subject.timeout(.seconds(1_000), scheduler: queue).subscribe(recorder)
      cancellingAll {
        subject.send(1)
        subject.send(completion: .finished)
      }
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func debounceDeliversTheCompletionAndTheValuesAfterwards() {
      let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>())
      let isDelivered = Latch()
      recorder.onValue = { _ in isDelivered.open() }
      subject.debounce(for: .milliseconds(1), scheduler: queue).subscribe(recorder)
      queue.cancelAllOperations()
      subject.send(1)
      #expect(isDelivered.wait())
      cancellingAll { subject.send(completion: .finished) }
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func whatAProgramSchedulesIsCancelled() {
      let ran = Shared(false)
      cancellingAll { queue.schedule { ran.value = true } }
      #expect(!ran.value)
    }
  }
#endif
