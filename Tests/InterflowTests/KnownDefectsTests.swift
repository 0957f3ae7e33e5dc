import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Interflow

/// Defects of other bridges between Combine and async code, as their users report them, each as a test that they would
/// fail.
@Suite struct KnownDefectsTests {
  /// Starts a send in a task of its own, and returns when it waits.
  private func startSending(_ value: Int, into channel: AsyncChannel<Int, TestError>) async -> Task<Void, any Error> {
    let count = channel.senderCount
    let task = Task { try await channel.send(value) }
    await until { channel.senderCount == count + 1 }
    return task
  }

  // MARK: A sequence over a publisher

  @Test func sequenceOverAShortArrayIsAlwaysWhole() async {
    for _ in 0..<2_000 {
      #expect(await collect([1, 2, 3].publisher.asyncValues).values == [1, 2, 3])
      #expect(await collect([1, 2, 3].publisher.values).values == [1, 2, 3])
      #expect(await collect([1, 2, 3].publisher.asyncStream()).values == [1, 2, 3])
    }
  }

  @Test func valueThatWasNotAskedForIsQueuedAndDoesNotTrap() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var values = publisher.values.makeAsyncIterator()
    for value in 0..<3 { publisher.send(value) }
    for expected in 0..<3 { #expect(await values.next() == expected) }
  }

  @Test func breakCancelsUpstream() async {
    for isStandard in [true, false] {
      let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
      publisher.onRequest = { _ in publisher.send(1) }
      if isStandard {
        for await _ in publisher.values { break }
      } else {
        for await _ in publisher.asyncValues { break }
      }
      #expect(publisher.cancellations.count == 1)
    }
  }

  // MARK: A subject that is faster than its reader

  /// A producer that does not wait, as the one of the documentation whose values a subject loses.
  private final class Producer: Sendable {
    private let values = Shared(Array((1...1_000).reversed()))

    func getValue() -> Int? { values.update { $0.popLast() } }
  }

  @Test func getValueThatIsFastLosesNothingThroughTheChannel() async throws {
    let producer = Producer()
    let channel = AsyncChannel<Int, Never>()
    let task = Task {
      while let value = producer.getValue() { try await channel.send(value) }
      channel.send(completion: .finished)
    }
    #expect(await collect(channel.asyncValues).values == Array(1...1_000))
    try await task.value
  }

  @Test func getValueThatIsFastLosesNothingThroughAsyncStream() async {
    let producer = Producer()
    let subject = PassthroughSubject<Int, Never>()
    // Made before the producer begins: it has subscribed then.
    let stream = subject.asyncStream()
    let task = Task {
      while let value = producer.getValue() { subject.send(value) }
      subject.send(completion: .finished)
    }
    await task.value
    #expect(await collect(stream).values == Array(1...1_000))
    #expect(stream.droppedCount == 0)
  }

  // MARK: A channel

  @Test func secondSendWhileOneWaitsIsNoError() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let first = await startSending(1, into: channel)
    let second = await startSending(2, into: channel)
    let recorder = RecordingSubscriber<Int, TestError>()
    channel.subscribe(recorder)
    try await first.value
    try await second.value
    #expect(recorder.log == ["1", "2"])
  }

  @Test func cancellingOneSendFinishesNeitherSubscribersNorTheChannel() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    channel.subscribe(recorder)
    let first = await startSending(1, into: channel)
    let second = await startSending(2, into: channel)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(recorder.log == [])
    recorder.request(.unlimited)
    try await second.value
    try await channel.send(3)
    #expect(recorder.log == ["2", "3"])
  }

  @Test func cancelledSendOnAnIdleChannelLeavesItAlive() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await channel.send(1)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let recorder = RecordingSubscriber<Int, TestError>()
    channel.subscribe(recorder)
    try await channel.send(2)
    #expect(recorder.log == ["2"])
  }

  @Test func taskCancelledAfterItsSendHarmsNoOtherTasksSend() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    channel.subscribe(recorder)
    let (hasSent, isCancelled) = (Signal(), Signal())
    let done = Task {
      try await channel.send(1)
      hasSent.fire()
      await isCancelled.wait()
    }
    await hasSent.wait()
    let waiting = await startSending(2, into: channel)
    done.cancel()
    isCancelled.fire()
    try await done.value
    recorder.request(.max(1))
    try await waiting.value
    #expect(recorder.log == ["1", "2"])
  }

  @Test func completingWhileASendWaitsIsNoErrorAndComesAfterIt() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let sending = await startSending(1, into: channel)
    channel.send(completion: .finished)
    let recorder = RecordingSubscriber<Int, TestError>()
    channel.subscribe(recorder)
    try await sending.value
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func lateSubscriberGetsTheFailureOnce() {
    let channel = AsyncChannel<Int, TestError>()
    channel.send(completion: .failure(TestError("once")))
    let recorder = RecordingSubscriber<Int, TestError>()
    channel.subscribe(recorder)
    recorder.request(.max(1))
    #expect(recorder.log == ["once"])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func subscribersAreServedInTheOrderInWhichTheySubscribed() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let order = Shared<[Int]>([])
    let sinks = (0..<50).map { index in
      channel.sink { _ in
      } receiveValue: { _ in
        order.update { $0.append(index) }
      }
    }
    try await channel.send(1)
    #expect(order.value == Array(0..<50))
    withExtendedLifetime(sinks) {}
  }

  @Test func nextAfterTheEndOfAChannelDoesNotHang() async throws {
    let channel = AsyncChannel<Int, TestError>()
    var iterator = channel.asyncValues.makeAsyncIterator()
    channel.send(completion: .finished)
    for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    var late = channel.asyncValues.makeAsyncIterator()
    for _ in 0..<3 { #expect(try await late.next() == nil) }
  }

  @Test func producerIsToldThatTheChannelHasEnded() async {
    let channel = AsyncChannel<Int, TestError>()
    channel.send(completion: .finished)
    await #expect(throws: AsyncChannelError.finished) { try await channel.send(1) }
  }

  @Test func channelOfVoidTellsItsSubscribers() async throws {
    let channel = AsyncChannel<Void, Never>()
    let sending = Task {
      for _ in 0..<3 { try await channel.send() }
      channel.send(completion: .finished)
    }
    var count = 0
    for await () in channel.asyncValues { count += 1 }
    #expect(count == 3)
    try await sending.value
    await #expect(throws: AsyncChannelError.finished) { try await channel.send() }
  }
}
