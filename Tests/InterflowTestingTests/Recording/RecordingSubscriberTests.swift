import InterflowTesting
import Testing

@Suite struct RecordingSubscriberTests {
  @Test func everySignalHasItsTime() {
    let timeline = TestTimeline()
    let subscriber = RecordingSubscriber<String, TestError>(on: timeline)
    let upstream = TestPublisher<String, TestError>(on: timeline)
    timeline.advance(by: 1)
    upstream.subscribe(subscriber)
    timeline.advance(by: 1)
    upstream.send("a")
    timeline.advance(by: 0.5)
    upstream.send(completion: .failure(TestError()))
    #expect(
      subscriber.signals == [.subscription(at: 1), .value("a", at: 2), .failure(TestError(), at: 2.5)])
    #expect(subscriber.values == ["a"])
    #expect(subscriber.completion == .failure(TestError()))
    #expect(
      subscriber.signals.map(\.description) == ["subscription at 1 s", "a at 2 s", "failure: test error at 2.5 s"])
  }

  @Test func demandIsWhatTheTestSays() {
    let upstream = TestPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(
      initialDemand: .max(2), demandForEach: { $0 > 1 ? .max($0) : .none })
    upstream.subscribe(subscriber)
    upstream.send(1)
    #expect(upstream.subscription?.requests.map(\.demand) == [.max(2)])
    #expect(upstream.subscription?.outstanding == .max(1))
    upstream.send(5)
    #expect(upstream.subscription?.requests.map(\.demand) == [.max(2), .max(5)])
    subscriber.request(.unlimited)
    #expect(upstream.subscription?.requested == .unlimited)
  }

  @Test func noDemandIsNoRequest() {
    let upstream = TestPublisher<Int, Never>()
    upstream.subscribe(RecordingSubscriber<Int, Never>(initialDemand: .none))
    #expect(upstream.subscription?.requests == [])
  }

  @Test(arguments: 0...3) func cancelsAfterSoManyValues(count: Int) {
    let subscriber = RecordingSubscriber<Int, Never>(cancelsAfter: count)
    (1...5).publisher.subscribe(subscriber)
    #expect(subscriber.values == Array((1...5).prefix(count)))
    #expect(subscriber.completion == nil)
  }

  @Test func whatTheRulesForbidIsRecorded() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .none)
    upstream.subscribe(subscriber)
    upstream.send(1)
    upstream.send(completion: .finished)
    upstream.send(2)
    upstream.subscription?.sendSubscription()
    upstream.send(completion: .finished)
    #expect(
      subscriber.signals == [
        .subscription(at: 0), .value(1, at: 0), .finished(at: 0), .value(2, at: 0), .subscription(at: 0),
        .finished(at: 0),
      ])
    #expect(subscriber.subscriptions.count == 2)
  }

  @Test func hooksSeeSignalsThatAreRecorded() {
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    var seen: [Int] = []
    let note = { [unowned subscriber] in seen.append(subscriber.signals.count) }
    subscriber.onSubscription = { _ in note() }
    subscriber.onValue = { [unowned subscriber] _ in
      note()
      subscriber.request(.max(1))
    }
    subscriber.onCompletion = { _ in note() }
    (1...3).publisher.subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(seen == [1, 2, 3, 4, 5])
  }

  @Test func theLogSaysWhatCannotBeCompared() {
    let subscriber = RecordingSubscriber<(Int, String), TestError>()
    let upstream = TestPublisher<(Int, String), TestError>()
    upstream.subscribe(subscriber)
    upstream.send((1, "a"))
    upstream.send(completion: .failure(TestError("lost")))
    #expect(subscriber.log == [#"(1, "a")"#, "lost"])
  }

  @Test func signalsOfSeveralThreadsAreAllRecorded() {
    let upstream = TestPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>()
    upstream.subscribe(subscriber)
    inParallel(4) { thread in for index in 0..<500 { upstream.send(thread * 500 + index) } }
    #expect(subscriber.values.sorted() == Array(0..<2_000))
    for thread in 0..<4 {
      let own = subscriber.values.filter { $0 / 500 == thread }
      #expect(own == own.sorted())
    }
  }

  @Test func subscriptionsAreReleased() {
    weak var released: TestSubscription<Int, Never>?
    let subscriber = RecordingSubscriber<Int, Never>()
    do {
      let upstream = TestPublisher<Int, Never>()
      upstream.subscribe(subscriber)
      released = upstream.subscription
    }
    #expect(released != nil)
    subscriber.releaseSubscriptions()
    #expect(released == nil)
    subscriber.removeSignals()
    #expect(subscriber.signals == [])
  }
}
