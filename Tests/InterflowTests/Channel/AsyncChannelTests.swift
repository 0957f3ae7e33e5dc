import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Interflow

@Suite struct AsyncChannelTests {
  /// Starts a send in a task of its own, and returns when the value has been queued or delivered.
  private func startSending<Output: Sendable, Failure: Error>(
    _ value: Output, into channel: AsyncChannel<Output, Failure>
  ) async -> Task<Void, any Error> {
    let count = channel.senderCount
    let isDone = Signal()
    let task = Task {
      defer { isDone.fire() }
      try await channel.send(value)
    }
    await until { channel.senderCount > count || isDone.count > 0 }
    return task
  }

  // MARK: Values

  @Test func valuesAndTheEndArrive() async throws {
    let channel = AsyncChannel<Int, Never>()
    let producer = Task {
      for value in 0..<10_000 { try await channel.send(value) }
      channel.send(completion: .finished)
    }
    #expect(await collect(channel.asyncValues).values == Array(0..<10_000))
    try await producer.value
  }

  @Test func aMillionValuesArriveInOrder() async throws {
    let channel = AsyncChannel<Int, Never>()
    let count = longStreamCount
    let producer = Task {
      for value in 0..<count { try await channel.send(value) }
      channel.send(completion: .finished)
    }
    var expected = 0
    for await value in channel.asyncValues(prefetch: 64) {
      guard value == expected else { break }
      expected += 1
    }
    #expect(expected == count)
    try await producer.value
  }

  @Test func everySubscriberGetsEveryValueInTheOrderInWhichTheySubscribed() async throws {
    let channel = AsyncChannel<Int, Never>()
    var log: [String] = []
    let sinks = (0..<3).map { index in channel.sink { log.append("\(index):\($0)") } }
    for value in 1...2 { try await channel.send(value) }
    #expect(log == ["0:1", "1:1", "2:1", "0:2", "1:2", "2:2"])
    withExtendedLifetime(sinks) {}
  }

  @Test func lateSubscriberGetsWhatIsSentAfterItJoined() async throws {
    let channel = AsyncChannel<Int, Never>()
    let first = RecordingSubscriber<Int, Never>()
    let second = RecordingSubscriber<Int, Never>()
    channel.subscribe(first)
    try await channel.send(1)
    channel.subscribe(second)
    try await channel.send(2)
    #expect(first.values == [1, 2])
    #expect(second.values == [2])
  }

  // MARK: Waiting

  @Test func sendWaitsForASubscriber() async throws {
    let channel = AsyncChannel<Int, Never>()
    let sending = await startSending(1, into: channel)
    #expect(channel.senderCount == 1)
    let recorder = RecordingSubscriber<Int, Never>()
    channel.subscribe(recorder)
    try await sending.value
    #expect(recorder.values == [1])
  }

  @Test func sendWaitsForTheDemandOfEverySubscriber() async throws {
    let channel = AsyncChannel<Int, Never>()
    let eager = RecordingSubscriber<Int, Never>()
    let slow = RecordingSubscriber<Int, Never>(initialDemand: .none)
    channel.subscribe(eager)
    channel.subscribe(slow)
    let sending = await startSending(1, into: channel)
    #expect(eager.values == [])
    slow.request(.max(1))
    try await sending.value
    #expect(eager.values == [1])
    #expect(slow.values == [1])
  }

  @Test func concurrentSendersQueueInOrder() async throws {
    let channel = AsyncChannel<Int, Never>()
    var senders: [Task<Void, any Error>] = []
    for value in 0..<20 { senders.append(await startSending(value, into: channel)) }
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(5))
    channel.subscribe(recorder)
    for sender in senders[..<5] { try await sender.value }
    #expect(recorder.values == [0, 1, 2, 3, 4])
    recorder.request(.max(3))
    for sender in senders[5..<8] { try await sender.value }
    #expect(recorder.values == Array(0..<8))
    recorder.request(.unlimited)
    for sender in senders { try await sender.value }
    #expect(recorder.values == Array(0..<20))
  }

  @Test func subscriberThatCancelsReleasesTheSenderThatWaitedForIt() async throws {
    let channel = AsyncChannel<Int, Never>()
    let eager = RecordingSubscriber<Int, Never>()
    let slow = RecordingSubscriber<Int, Never>(initialDemand: .none)
    channel.subscribe(eager)
    channel.subscribe(slow)
    let sending = await startSending(1, into: channel)
    slow.cancel()
    try await sending.value
    #expect(eager.values == [1])
    #expect(slow.log == [])
  }

  @Test func demandReturnedFromReceiveCounts() async throws {
    let channel = AsyncChannel<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { $0 < 3 ? .max(1) : .none }
    channel.subscribe(recorder)
    for value in 1...3 { try await channel.send(value) }
    let sending = await startSending(4, into: channel)
    #expect(recorder.values == [1, 2, 3])
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
  }

  @Test func requestAndCancelFromInsideReceive() async throws {
    let channel = AsyncChannel<Int, Never>()
    let requester = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    requester.onValue = { [unowned requester] _ in requester.request(.max(1)) }
    let canceller = RecordingSubscriber<Int, Never>()
    canceller.onValue = { [unowned canceller] _ in canceller.cancel() }
    let other = RecordingSubscriber<Int, Never>()
    let killer = RecordingSubscriber<Int, Never>()
    killer.onValue = { if $0 == 2 { other.cancel() } }
    for recorder in [requester, canceller, killer, other] { channel.subscribe(recorder) }
    for value in 1...3 { try await channel.send(value) }
    #expect(requester.values == [1, 2, 3])
    #expect(canceller.values == [1])
    #expect(killer.values == [1, 2, 3])
    #expect(other.values == [1])
  }

  // MARK: Cancelling a send

  @Test func cancelledSendThrowsAndTheChannelLivesOn() async throws {
    let channel = AsyncChannel<Int, Never>()
    let first = await startSending(1, into: channel)
    let second = await startSending(2, into: channel)
    let third = await startSending(3, into: channel)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    let recorder = RecordingSubscriber<Int, Never>()
    channel.subscribe(recorder)
    try await first.value
    try await third.value
    try await channel.send(4)
    #expect(recorder.log == ["1", "3", "4"])
  }

  @Test func sendInACancelledTaskDeliversNothing() async throws {
    let channel = AsyncChannel<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    channel.subscribe(recorder)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await channel.send(1)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await channel.send(2)
    #expect(recorder.values == [2])
  }

  @Test func valueOfACancelledSendIsReleased() async {
    let counter = LifetimeCounter()
    let channel = AsyncChannel<LifetimeCounter.Token, Never>()
    let kept = await startSending(counter.make(), into: channel)
    let other = await startSending(counter.make(), into: channel)
    let sending = await startSending(counter.make(), into: channel)
    #expect(counter.count == 3)
    sending.cancel()
    _ = await sending.result
    await until { counter.count == 2 }
    for task in [kept, other] { task.cancel() }
  }

  // MARK: Completion

  @Test func waitingValuesGoBeforeTheCompletion() async throws {
    let channel = AsyncChannel<Int, TestError>()
    let sending = await startSending(1, into: channel)
    channel.send(completion: .failure(TestError("end")))
    channel.send(completion: .finished)
    await #expect(throws: AsyncChannelError.finished) { try await channel.send(2) }
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    channel.subscribe(recorder)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    try await sending.value
    #expect(recorder.log == ["1", "end"])
    let late = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    channel.subscribe(late)
    #expect(late.log == ["end"])
  }

  @Test func completionNeedsNoDemand() {
    let channel = AsyncChannel<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    channel.subscribe(recorder)
    channel.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func completionGoesOutWhenTheLastWaitingSenderIsCancelled() async {
    let channel = AsyncChannel<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    channel.subscribe(recorder)
    let sending = await startSending(1, into: channel)
    channel.send(completion: .finished)
    #expect(recorder.log == [])
    sending.cancel()
    _ = await sending.result
    #expect(recorder.log == ["finished"])
  }

  @Test func completionFromInsideReceiveComesAfterTheValue() async throws {
    let channel = AsyncChannel<Int, Never>()
    let first = RecordingSubscriber<Int, Never>()
    first.onValue = { _ in channel.send(completion: .finished) }
    let second = RecordingSubscriber<Int, Never>()
    channel.subscribe(first)
    channel.subscribe(second)
    try await channel.send(1)
    #expect(first.log == ["1", "finished"])
    #expect(second.log == ["1", "finished"])
  }

  // MARK: Lifetime

  @Test func subscriberIsReleasedByCancellationAndByCompletion() async {
    for cancels in [true, false] {
      let channel = AsyncChannel<Int, Never>()
      var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
      weak let released = recorder
      channel.subscribe(recorder!)
      let subscription = recorder?.subscription
      if cancels { recorder?.cancel() } else { channel.send(completion: .finished) }
      recorder?.releaseSubscriptions()
      recorder = nil
      #expect(released == nil)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func channelIsReleasedWithItsSubscribers() {
    weak var released: AsyncChannel<Int, Never>?
    do {
      let channel = AsyncChannel<Int, Never>()
      released = channel
      let sink = channel.sink { _ in }
      withExtendedLifetime(sink) {}
    }
    #expect(released == nil)
  }

  @Test func subscriberThatNeverCancelsIsReleasedWithTheChannel() {
    var recorder: RecordingSubscriber<Int, Never>? = RecordingSubscriber()
    weak let released = recorder
    var channel: AsyncChannel<Int, Never>? = AsyncChannel()
    channel?.subscribe(recorder!)
    recorder = nil
    #expect(released != nil)
    channel = nil
    #expect(released == nil)
  }

  // MARK: Threads

  @Test func concurrentSendersAndSubscribersLoseNothing() async throws {
    for _ in 0..<50 {
      let channel = AsyncChannel<[Int], Never>()
      let consumers = (0..<2).map { _ in
        let isReady = Signal()
        return (
          isReady,
          Task {
            var iterator = channel.asyncValues.makeAsyncIterator()
            isReady.fire()
            var next = [0, 0, 0]
            while let value = await iterator.next() {
              guard next[value[0]] == value[1] else { return false }
              next[value[0]] += 1
            }
            return next == [50, 50, 50]
          }
        )
      }
      for (isReady, _) in consumers { await isReady.wait() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for sender in 0..<3 {
          group.addTask { for number in 0..<50 { try await channel.send([sender, number]) } }
        }
        try await group.waitForAll()
      }
      channel.send(completion: .finished)
      for (_, consumer) in consumers { #expect(await consumer.value) }
    }
  }

  @Test func cancelledSendsAreDeliveredOrThrownAndNeverBoth() async {
    for _ in 0..<1_000 {
      let channel = AsyncChannel<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      channel.subscribe(recorder)
      let sending = Task { try await channel.send(1) }
      async let request: Void = recorder.request(.max(1))
      sending.cancel()
      await request
      switch await sending.result {
      case .success: #expect(recorder.values == [1])
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(recorder.values == [])
      }
    }
  }

  /// Whoever makes a delivery possible makes one, and does not go on delivering for the others who wait.
  @Test func requestDeliversOneValueOfSeveralThatWait() async throws {
    let channel = AsyncChannel<Int, Never>()
    let first = await startSending(0, into: channel)
    let second = await startSending(1, into: channel)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    channel.subscribe(recorder)
    let delivered = Signal()
    recorder.onValue = { _ in delivered.fire() }
    recorder.request(.unlimited)
    try await first.value
    try await second.value
    #expect(recorder.values == [0, 1])
    #expect(delivered.count == 2)
  }

  @Test func sendReturnsWhileOthersKeepSending() async throws {
    let channel = AsyncChannel<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    channel.subscribe(recorder)
    let others = (0..<3).map { _ in
      Task {
        while !Task.isCancelled { try await channel.send(0) }
      }
    }
    for _ in 0..<100 { try await channel.send(1) }
    for other in others { other.cancel() }
    #expect(recorder.values.count { $0 == 1 } == 100)
    for other in others { _ = await other.result }
  }

  @Test func completionReachesTheSubscriberThoughTheChannelIsGone() async {
    for _ in 0..<500 {
      let finished = Signal()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      recorder.onCompletion = { _ in finished.fire() }
      let sender: Task<Void, any Error>
      do {
        let channel = AsyncChannel<Int, Never>()
        channel.subscribe(recorder)
        sender = Task.detached { [channel] in
          try await channel.send(1)
          channel.send(completion: .finished)
        }
      }
      recorder.request(.max(1))
      await finished.wait()
      #expect(recorder.log == ["1", "finished"])
      _ = await sender.result
    }
  }

  @Test func noMoreThanOneValueIsAliveAtATime() async throws {
    let channel = AsyncChannel<LifetimeCounter.Token, Never>()
    let counter = LifetimeCounter()
    let producer = Task {
      for _ in 0..<2_000 { try await channel.send(counter.make()) }
      channel.send(completion: .finished)
    }
    var most = 0
    for await token in channel.asyncValues {
      most = max(most, counter.count)
      token.touch()
    }
    try await producer.value
    // The one in the loop, the one on its way, and the next one, made and waiting to be sent.
    #expect(most <= 3)
  }
}
