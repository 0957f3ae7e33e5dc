import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncReplaySubjectTests {
  @Test func itKeepsTheRulesOfSubjects() async throws {
    try await SubjectRules(holdsZero: false) { AsyncReplaySubject<Int, TestError>(bufferSize: 0) }.run()
    try await SubjectRules(holdsZero: true) {
      let subject = AsyncReplaySubject<Int, TestError>(bufferSize: 1)
      subject.send(0)
      return subject
    }.run()
  }

  @Test func theNewestElementsComeFirst() throws {
    let timeline = TestTimeline()
    let subject = AsyncReplaySubject<String, TestError>(bufferSize: 2)
    let feed = try timeline.hot("-abc-d-#", error: TestError("a")).feed(subject)
    try timeline.expect(subject, toEmit: "-abc!")
    try timeline.expect(subject, toEmit: "(bc)d-#", error: TestError("a"))
    withExtendedLifetime(feed) {}
  }

  @Test func theEndIsReplayed() async {
    let subject = AsyncReplaySubject<Int, TestError>(bufferSize: 3)
    for value in 1...5 { subject.send(value) }
    subject.finish(throwing: TestError("a"))
    for _ in 0..<2 {
      let outcome = await collect(subject)
      #expect(outcome.values == [3, 4, 5] && outcome.error == TestError("a"))
    }
  }

  @Test func allElementsAreReplayedWithoutALimit() async {
    let subject = AsyncReplaySubject<Int, Never>(bufferSize: .max)
    for value in 0..<1_000 { subject.send(value) }
    var iterator = subject.makeAsyncIterator()
    subject.send(1_000)
    subject.finish()
    for value in 0...1_000 { #expect(await iterator.next() == value) }
    #expect(await iterator.next() == nil)
    #expect(await collect(subject).values.count == 1_001)
  }

  @Test func thePolicyCountsForWhatIsReplayed() async {
    let subject = AsyncReplaySubject<Int, Never>(bufferSize: 5)
    for value in 1...5 { subject.send(value) }
    var latest = subject.values(bufferingPolicy: .bufferingLatest(2)).makeAsyncIterator()
    var oldest = subject.values(bufferingPolicy: .bufferingOldest(2)).makeAsyncIterator()
    subject.send(6)
    #expect(await latest.next() == 5)
    #expect(await latest.next() == 6)
    #expect(await oldest.next() == 1)
    #expect(await oldest.next() == 2)
    #expect(latest.droppedCount == 4 && oldest.droppedCount == 4)
  }

  @Test func elementsAreReleased() {
    let alive = LifetimeCounter()
    do {
      let subject = AsyncReplaySubject<LifetimeCounter.Token, Never>(bufferSize: 2)
      for _ in 0..<5 { subject.send(alive.make()) }
      #expect(alive.count == 2)
      do {
        let consumer = subject.makeAsyncIterator()
        for _ in 0..<5 { subject.send(alive.make()) }
        #expect(withExtendedLifetime(consumer) { alive.count } == 7)
      }
      #expect(alive.count == 2)
      subject.finish()
    }
    #expect(alive.count == 0)
  }

  @Test func aNegativeSizeTraps() async {
    await #expect(processExitsWith: .failure) { _ = AsyncReplaySubject<Int, Never>(bufferSize: -1) }
  }
}
