import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// While the bridge calls out, another thread comes in: it would wait for ever for a lock that is held.
@Suite struct CallOutTests {
  /// A value that does something when it is released.
  private final class Fuse: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }
  }

  @Test func streamRequestsAndCancelsWithoutALock() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let outcomes = Shared<[Bool]>([])
    publisher.onRequest = { _ in outcomes.update { $0.append(onOtherThread { publisher.send(1) }) } }
    let stream = publisher.asyncStream()
    publisher.onCancel = { outcomes.update { $0.append(onOtherThread { _ = stream.droppedCount }) } }
    stream.cancel()
    #expect(outcomes.value == [true, true])
  }

  @Test func streamReleasesValuesWithoutALock() {
    let publisher = TestPublisher<Fuse, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream(bufferingPolicy: .bufferingNewest(1))
    let outcomes = Shared<[Bool]>([])
    for _ in 0..<3 {
      publisher.send(Fuse { outcomes.update { $0.append(onOtherThread { _ = stream.droppedCount }) } })
    }
    #expect(outcomes.value == [true, true])
    stream.cancel()
    #expect(outcomes.value == [true, true, true])
  }

  @Test func valuesAskWithoutALock() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let outcomes = Shared<[Bool]>([])
    publisher.onRequest = { _ in outcomes.update { $0.append(onOtherThread { publisher.send(1) }) } }
    publisher.onCancel = { outcomes.update { $0.append(onOtherThread { publisher.send(2) }) } }
    #expect(await publisher.firstValue() == 1)
    #expect(outcomes.value == [true, true])
  }

  @Test func sequencePublisherDeliversWithoutALock() async {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let outcomes = Shared<[Bool]>([])
    let end = Signal()
    recorder.onSubscription = { subscription in
      let box = UncheckedBox(subscription)
      outcomes.update { $0.append(onOtherThread { box.value.request(.max(1)) }) }
    }
    recorder.onValue = { _ in outcomes.update { $0.append(onOtherThread { recorder.request(.max(1)) }) } }
    recorder.onCompletion = { _ in
      outcomes.update { $0.append(onOtherThread { recorder.cancel() }) }
      end.fire()
    }
    CountedSequence.upTo(2).publisher.subscribe(recorder)
    await end.wait()
    #expect(outcomes.value == [true, true, true, true])
  }

  @Test func channelDeliversWithoutALock() async throws {
    let channel = AsyncChannel<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    let outcomes = Shared<[Bool]>([])
    recorder.onSubscription = { _ in
      outcomes.update { $0.append(onOtherThread { channel.subscribe(RecordingSubscriber()) }) }
    }
    recorder.onValue = { _ in outcomes.update { $0.append(onOtherThread { recorder.request(.max(1)) }) } }
    recorder.onCompletion = { _ in outcomes.update { $0.append(onOtherThread { recorder.cancel() }) } }
    channel.subscribe(recorder)
    try await channel.send(1)
    channel.send(completion: .finished)
    #expect(outcomes.value == [true, true, true])
  }

  @Test func taskCallsUpstreamAndDownstreamWithoutALock() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let outcomes = Shared<[Bool]>([])
    publisher.onRequest = { _ in outcomes.update { $0.append(onOtherThread { publisher.send(1) }) } }
    recorder.onValue = { _ in outcomes.update { $0.append(onOtherThread { recorder.request(.max(1)) }) } }
    publisher.onCancel = { outcomes.update { $0.append(onOtherThread { recorder.cancel() }) } }
    publisher.task(maxPublishers: .max(1)) { $0 }.subscribe(recorder)
    await until { recorder.values.count >= 3 }
    recorder.cancel()
    #expect(outcomes.value.allSatisfy { $0 })
    #expect(publisher.cancellations.count == 1)
  }

  @Test func taskReleasesDroppedValuesWithoutALock() {
    let publisher = TestPublisher<Fuse, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    let outcomes = Shared<[Bool]>([])
    publisher.task(maxPublishers: .max(1), buffering: .bufferingNewest(1)) { _ in 0 }.subscribe(recorder)
    let subscription = UncheckedBox(recorder.subscription)
    for _ in 0..<2 {
      publisher.send(Fuse { outcomes.update { $0.append(onOtherThread { subscription.value?.cancel() }) } })
    }
    // The first was dropped for the second, and cancelled the subscription, which dropped that as well.
    #expect(outcomes.value == [true, true])
    #expect(publisher.cancellations.count == 1)
  }
}
