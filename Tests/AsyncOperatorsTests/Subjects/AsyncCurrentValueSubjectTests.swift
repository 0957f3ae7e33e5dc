import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncCurrentValueSubjectTests {
  @Test func itKeepsTheRulesOfSubjects() async throws {
    try await SubjectRules(holdsZero: true) { AsyncCurrentValueSubject<Int, TestError>(0) }.run()
  }

  @Test func theValueComesFirst() throws {
    let timeline = TestTimeline()
    let subject = AsyncCurrentValueSubject<String, Never>("a")
    let feed = try timeline.hot("-b--c-d-|").feed(subject)
    try timeline.expect(subject, toEmit: "ab-!")
    try timeline.expect(subject, toEmit: "bc-d-|")
    try timeline.expect(subject, toEmit: "|")
    withExtendedLifetime(feed) {}
  }

  @Test func settingTheValueSendsIt() async {
    let subject = AsyncCurrentValueSubject<Int, Never>(1)
    var early = subject.makeAsyncIterator()
    subject.value = 2
    subject.send(3)
    #expect(subject.value == 3)
    var late = subject.makeAsyncIterator()
    subject.value += 1
    for value in 1...4 { #expect(await early.next() == value) }
    for value in 3...4 { #expect(await late.next() == value) }
  }

  @Test func anUpdateIsSent() async {
    let subject = AsyncCurrentValueSubject<Int, Never>(1)
    var consumer = subject.makeAsyncIterator()
    let delivery = subject.update { $0 += 1 }
    #expect(delivery.consumerCount == 1)
    #expect(subject.value == 2)
    for value in 1...2 { #expect(await consumer.next() == value) }
  }

  @Test func noUpdateIsLost() async {
    let subject = AsyncCurrentValueSubject<Int, Never>(0)
    let consumer = subject.makeAsyncIterator()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<5_000 { subject.update { $0 += 1 } }
        }
      }
    }
    subject.finish()
    #expect(subject.value == 20_000)
    var received: [Int] = []
    var iterator = consumer
    while let value = await iterator.next() { received.append(value) }
    #expect(received == Array(0...20_000))
  }

  /// What is sent while the closure runs is not overwritten: the closure is called again.
  @Test func anUpdateSeesWhatIsSentMeanwhile() {
    let subject = AsyncCurrentValueSubject<Int, Never>(1)
    var seen: [Int] = []
    subject.update { value in
      seen.append(value)
      if seen.count == 1 { subject.send(10) }
      value += 1
    }
    #expect(seen == [1, 10])
    #expect(subject.value == 11)
  }

  @Test func anUpdateThatThrowsSendsNothing() {
    let subject = AsyncCurrentValueSubject<Int, Never>(1)
    #expect(throws: TestError("a")) {
      try subject.update { (value) throws(TestError) in
        value = 2
        throw TestError("a")
      }
    }
    #expect(subject.value == 1)
  }

  @Test func anUpdateAfterTheEndChangesNothing() {
    let subject = AsyncCurrentValueSubject<Int, Never>(1)
    subject.finish()
    let delivery = subject.update { $0 += 1 }
    #expect(delivery.wasFinished)
    #expect(subject.value == 1)
  }

  @Test func afterTheEndThereIsTheEndOnly() async {
    let subject = AsyncCurrentValueSubject<Int, TestError>(1)
    subject.value = 2
    subject.finish(throwing: TestError("a"))
    subject.value = 3
    #expect(subject.value == 2)
    let outcome = await collect(subject)
    #expect(outcome.values == [] && outcome.error == TestError("a"))
  }

  @Test func aSlowConsumerGetsTheNewestValue() async {
    let subject = AsyncCurrentValueSubject<Int, Never>(0, bufferingPolicy: .bufferingLatest(1))
    var consumer = subject.makeAsyncIterator()
    for value in 1...9 { subject.value = value }
    #expect(await consumer.next() == 9)
    #expect(consumer.droppedCount == 9)
  }

  @Test func valuesAreReleased() {
    let alive = LifetimeCounter()
    let subject = AsyncCurrentValueSubject<LifetimeCounter.Token, Never>(alive.make())
    let consumer = subject.values(bufferingPolicy: .bufferingLatest(1)).makeAsyncIterator()
    subject.send(alive.make())
    #expect(alive.count == 1)
    withExtendedLifetime(consumer) {}
  }

  /// No element is missed between the value and what is sent, and none comes twice.
  @Test func aConsumerThatJoinsAmongSendsMissesNothing() async {
    let subject = AsyncCurrentValueSubject<Int, Never>(0)
    let iterators = Shared<[Passed<AsyncSubjectIterator<Int, Never>>]>([])
    inParallel(2) { thread in
      for number in 1...2_000 {
        if thread == 0 {
          subject.send(number)
        } else if number.isMultiple(of: 20) {
          iterators.update { $0.append(Passed(subject.makeAsyncIterator())) }
        }
      }
    }
    subject.finish()
    for iterator in iterators.value {
      var consumer = iterator.value
      var last: Int?
      while let value = await consumer.next() {
        if let last { #expect(value == last + 1) }
        last = value
      }
      #expect(last == 2_000)
    }
  }
}
