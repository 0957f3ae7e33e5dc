import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncBoundedChannelTests {
  typealias Channel = AsyncBoundedChannel<Int, TestError>

  private func makeChannel(_ low: Int = 1, _ high: Int = 3) -> (channel: Channel, source: Channel.Source) {
    Channel.makeChannel(lowWatermark: low, highWatermark: high)
  }

  /// Begins to send in a task that waits: it does not return before the task does.
  private func sending(_ value: Int, _ source: Channel.Source) async -> Task<Result<Void, any Error>, Never> {
    let begun = Signal()
    let task = Task { () -> Result<Void, any Error> in
      begun.fire()
      do { return .success(try await source.send(value)) } catch { return .failure(error) }
    }
    await begun.wait()
    for _ in 0..<20 { await Task.yield() }
    return task
  }

  @Test func elementsComeAtTheirTimes() throws {
    let timeline = TestTimeline()
    let clock = timeline.clock
    let times = try timeline.run {
      let (channel, source) = AsyncBoundedChannel<Int, Never>.makeChannel(lowWatermark: 0, highWatermark: 2)
      @Sendable func produce() async throws -> [VirtualTime] {
        var times: [VirtualTime] = []
        for value in 0..<5 {
          try await source.send(value)
          times.append(timeline.now)
        }
        source.finish()
        return times
      }
      async let sent = produce()
      var taken: [VirtualTime] = []
      for await value in channel {
        #expect(value == taken.count)
        taken.append(timeline.now)
        try await clock.sleep(for: .seconds(1))
      }
      #expect(taken == [0, 1, 2, 3, 4])
      return try await sent
    }
    // Two fit. The next two go on when both have been taken, and so does the last one.
    #expect(times == [0, 0, 1, 1, 3])
  }

  @Test func producersWaitInOrder() async throws {
    let (channel, source) = makeChannel()
    for value in 1...3 { try await source.send(value) }
    var tasks: [Task<Result<Void, any Error>, Never>] = []
    for value in 4...9 { tasks.append(await sending(value, source)) }
    var iterator = channel.makeAsyncIterator()
    for value in 1...9 { #expect(try await iterator.next() == value) }
    for task in tasks { try await task.value.get() }
    source.finish()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func theElementOfACancelledProducerIsNotDelivered() async throws {
    let (channel, source) = makeChannel(0, 1)
    try await source.send(1)
    let first = await sending(2, source)
    let second = await sending(3, source)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value.get() }
    var iterator = channel.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == 3)
    try await second.value.get()
  }

  @Test func aProducerCancelledBeforeSendsNothing() async throws {
    let (channel, source) = makeChannel()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await source.send(1)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    source.finish()
    #expect(await collect(channel).values == [])
  }

  /// Those that have given up do not stay in the queue: their elements are released, and the order is kept.
  @Test func cancelledProducersAreForgotten() async throws {
    let alive = LifetimeCounter()
    let (channel, source) = AsyncBoundedChannel<LifetimeCounter.Token, Never>
      .makeChannel(lowWatermark: 0, highWatermark: 1)
    try await source.send(alive.make())
    for _ in 0..<100 {
      let begun = Signal()
      let task = Task {
        let token = alive.make()
        begun.fire()
        try await source.send(token)
      }
      await begun.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(alive.count <= 10)
    withExtendedLifetime(channel) {}
  }

  @Test func theEndComesAfterProducersThatWait() async throws {
    let (channel, source) = makeChannel(0, 1)
    try await source.send(1)
    let waiting = await sending(2, source)
    source.finish(throwing: TestError("a"))
    source.finish()
    await #expect(throws: AsyncBoundedChannelError.finished) { try await source.send(3) }
    let outcome = await collect(channel)
    #expect(outcome.values == [1, 2] && outcome.error == TestError("a"))
    try await waiting.value.get()
    await #expect(throws: AsyncBoundedChannelError.finished) { try await source.send(4) }
  }

  @Test func theLastSourceEndsIt() async throws {
    let (channel, source) = makeChannel()
    var sources: [Channel.Source]? = [source, source]
    try await sources?[0].send(1)
    do {
      let (other, unused) = makeChannel()
      withExtendedLifetime(unused) {}
      _ = consume unused
      #expect(await collect(other).values == [])
    }
    sources = nil
    var iterator = channel.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    try await source.send(2)
    #expect(try await iterator.next() == 2)
  }

  @Test func producersOfAChannelThatIsReleasedAreRefused() async throws {
    let source: Channel.Source
    let waiting: Task<Result<Void, any Error>, Never>
    do {
      let made = makeChannel(0, 1)
      source = made.source
      try await source.send(1)
      waiting = await sending(2, source)
      withExtendedLifetime(made.channel) {}
    }
    await #expect(throws: AsyncBoundedChannelError.noConsumer) { try await waiting.value.get() }
    await #expect(throws: AsyncBoundedChannelError.noConsumer) { try await source.send(3) }
  }

  @Test func aCancelledConsumerEndsIt() async throws {
    let (channel, source) = makeChannel()
    let isWaiting = Signal()
    let task = Task {
      var iterator = channel.makeAsyncIterator()
      isWaiting.fire()
      let first = try await iterator.next()
      let second = try await iterator.next()
      return first == nil && second == nil
    }
    await isWaiting.wait()
    for _ in 0..<20 { await Task.yield() }
    task.cancel()
    #expect(try await task.value)
    await #expect(throws: AsyncBoundedChannelError.noConsumer) { try await source.send(1) }
  }

  @Test func anIteratorGoesOnWhereTheLastOneStopped() async throws {
    let (channel, source) = makeChannel(1, 5)
    for value in 1...4 { try await source.send(value) }
    source.finish()
    for try await value in channel where value == 2 { break }
    #expect(await collect(channel).values == [3, 4])
  }

  @Test func elementsAreReleasedWithTheConsumer() async throws {
    let alive = LifetimeCounter()
    let source: AsyncBoundedChannel<LifetimeCounter.Token, Never>.Source
    do {
      let made = AsyncBoundedChannel<LifetimeCounter.Token, Never>.makeChannel(lowWatermark: 1, highWatermark: 3)
      source = made.source
      for _ in 0..<2 { try await source.send(alive.make()) }
      #expect(alive.count == 2)
      withExtendedLifetime(made.channel) {}
    }
    #expect(alive.count == 0)
    withExtendedLifetime(source) {}
  }

  @MainActor @Test func theActorsAreKept() async throws {
    let (channel, source) = AsyncBoundedChannel<Int, Never>.makeChannel(lowWatermark: 1, highWatermark: 3)
    let producer = Task { @MainActor in
      for value in 0..<50 {
        try await source.send(value)
        MainActor.assertIsolated()
      }
      source.finish()
    }
    for await _ in channel { MainActor.assertIsolated() }
    try await producer.value
  }

  @Test func watermarksThatMakeNoSenseTrap() async {
    await #expect(processExitsWith: .failure) { _ = Channel.makeChannel(lowWatermark: 2, highWatermark: 2) }
    await #expect(processExitsWith: .failure) { _ = Channel.makeChannel(lowWatermark: -1, highWatermark: 2) }
  }
}
