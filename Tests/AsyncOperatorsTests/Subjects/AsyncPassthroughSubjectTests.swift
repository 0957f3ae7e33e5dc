import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncPassthroughSubjectTests {
  @Test func itKeepsTheRulesOfSubjects() async throws {
    try await SubjectRules(holdsZero: false) { AsyncPassthroughSubject<Int, TestError>() }.run()
  }

  @Test func elementsComeAtTheirTimes() throws {
    let timeline = TestTimeline()
    let subject = AsyncPassthroughSubject<String, TestError>()
    let feed = try timeline.hot("-a-b-(cd)-|", error: TestError()).feed(subject)
    try timeline.expect(subject, toEmit: "-a-b-(cd)-|")
    try timeline.expect(subject, toEmit: "|")
    let failing = AsyncPassthroughSubject<String, TestError>()
    let failingFeed = try timeline.hot("-a-#", error: TestError("a")).feed(failing)
    try timeline.expect(failing, toEmit: "-a-#", error: TestError("a"))
    try timeline.expect(failing, toEmit: "#", error: TestError("a"))
    withExtendedLifetime((feed, failingFeed)) {}
  }

  @Test func cancellingEndsAConsumerOfASubjectThatNeverEnds() throws {
    let timeline = TestTimeline()
    let subject = AsyncPassthroughSubject<String, Never>()
    let feed = try timeline.hot("-a-b-").feed(subject)
    try timeline.expect(subject, toEmit: "-a-b--!")
    #expect(subject.consumerCount == 0)
    withExtendedLifetime(feed) {}
  }

  @Test func aConsumerGetsNothingOfWhatWasSentBefore() async {
    let subject = AsyncPassthroughSubject<Int, Never>()
    #expect(subject.send(1).consumerCount == 0)
    var iterator = subject.makeAsyncIterator()
    subject.send(2)
    #expect(await iterator.next() == 2)
  }

  @Test func aLateConsumerGetsTheEndAtOnce() async {
    let subject = AsyncPassthroughSubject<Int, TestError>()
    subject.send(1)
    subject.finish(throwing: TestError("a"))
    for _ in 0..<2 {
      let outcome = await collect(subject)
      #expect(outcome.values == [] && outcome.error == TestError("a"))
    }
    let finished = AsyncPassthroughSubject<Int, Never>()
    finished.finish()
    #expect(await collect(finished).values == [])
  }

  @Test func theLatestElementsAreKept() async {
    let subject = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(2))
    var slow = subject.makeAsyncIterator()
    var whole = subject.values(bufferingPolicy: .unbounded).makeAsyncIterator()
    #expect((1...5).map { subject.send($0).droppedCount } == [0, 0, 1, 1, 1])
    #expect(slow.droppedCount == 3 && whole.droppedCount == 0)
    #expect(await slow.next() == 4)
    subject.send(6)
    subject.finish()
    #expect(await slow.next() == 5)
    #expect(await slow.next() == 6)
    #expect(await slow.next() == nil)
    for value in 1...6 { #expect(await whole.next() == value) }
  }

  @Test func theOldestElementsAreKept() async {
    let subject = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingOldest(2))
    var slow = subject.makeAsyncIterator()
    #expect((1...5).map { subject.send($0).droppedCount } == [0, 0, 1, 1, 1])
    #expect(await slow.next() == 1)
    subject.send(6)
    #expect(await slow.next() == 2)
    #expect(await slow.next() == 6)
    #expect(slow.droppedCount == 3)
  }

  @Test func theDropsOfAllConsumersAreCounted() {
    let subject = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(1))
    let consumers = (0..<4).map { _ in subject.makeAsyncIterator() }
    subject.send(1)
    #expect(subject.send(2) == subject.send(3))
    #expect(subject.send(4).droppedCount == 4)
    withExtendedLifetime(consumers) {}
  }

  @Test func elementsAndSubjectAreReleased() async {
    let alive = LifetimeCounter()
    do {
      let subject = AsyncPassthroughSubject<LifetimeCounter.Token, Never>(bufferingPolicy: .bufferingLatest(1))
      var consumers: [AsyncSubjectIterator<LifetimeCounter.Token, Never>]? = [
        subject.makeAsyncIterator(), subject.makeAsyncIterator(),
        subject.values(bufferingPolicy: .unbounded).makeAsyncIterator(),
      ]
      for _ in 0..<3 { subject.send(alive.make()) }
      #expect(alive.count == 3)
      consumers?.removeLast()
      #expect(alive.count == 1)
      consumers = nil
      #expect(alive.count == 0)
    }
  }

  /// An element's deinitializer may send: no lock is held then.
  @Test func anElementThatIsDroppedMaySend() {
    final class Resending: Sendable {
      let action: @Sendable () -> Void
      init(_ action: @escaping @Sendable () -> Void) { self.action = action }
      deinit { action() }
    }
    let counts = AsyncPassthroughSubject<Int, Never>()
    let subject = AsyncPassthroughSubject<Resending, Never>(bufferingPolicy: .bufferingLatest(1))
    let consumers = [subject.makeAsyncIterator(), subject.makeAsyncIterator()]
    let finished = Shared(0)
    for _ in 0..<3 {
      subject.send(
        Resending {
          counts.send(subject.consumerCount)
          finished.update { $0 += 1 }
        })
    }
    #expect(finished.value == 2)
    withExtendedLifetime(consumers) {}
  }

  @MainActor @Test func theConsumersActorIsKept() async {
    let subject = AsyncPassthroughSubject<Int, Never>()
    let iterator = subject.makeAsyncIterator()
    let sender = Task.detached {
      for value in 0..<200 {
        subject.send(value)
        if value % 10 == 0 { await Task.yield() }
      }
      subject.finish()
    }
    var consumer = iterator
    while await consumer.next() != nil { MainActor.assertIsolated() }
    await sender.value
  }

  @Test func aSecondNextAtOnceTraps() async {
    await #expect(processExitsWith: .failure) {
      let subject = AsyncPassthroughSubject<Int, Never>()
      let iterator = Passed(subject.makeAsyncIterator())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            var copy = iterator.value
            _ = await copy.next()
          }
        }
      }
    }
  }

  @Test func aNegativeLimitTraps() async {
    await #expect(processExitsWith: .failure) { _ = AsyncSubjectBufferingPolicy.bufferingLatest(-1) }
  }
}
