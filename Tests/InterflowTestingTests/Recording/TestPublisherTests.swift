import InterflowTesting
import Testing

@Suite struct TestPublisherTests {
  @Test func demandAndCancellationHaveTheirTime() {
    let timeline = TestTimeline()
    let upstream = TestPublisher<Int, Never>(on: timeline)
    let subscriber = RecordingSubscriber<Int, Never>(on: timeline, initialDemand: .max(1))
    upstream.map { $0 * 2 }.subscribe(subscriber)
    timeline.advance(by: 2)
    subscriber.request(.max(3))
    timeline.advance(by: 1)
    subscriber.cancel()
    #expect(upstream.subscription?.requests == [.max(1), .max(3, at: 2)])
    #expect(upstream.subscription?.requests.map(\.description) == ["max(1) at 0 s", "max(3) at 2 s"])
    #expect(upstream.subscription?.cancellations == [3])
    #expect(upstream.subscription?.isCancelled == true)
  }

  @Test func everySubscriberHasItsSubscription() {
    let upstream = TestPublisher<String, Never>()
    let subscribers = (1...3).map { RecordingSubscriber<String, Never>(initialDemand: .max($0)) }
    for subscriber in subscribers { upstream.subscribe(subscriber) }
    upstream.send("all")
    upstream.subscriptions[1].send("one")
    upstream.subscriptions[0].send(completion: .finished)
    upstream.send("rest")
    #expect(upstream.subscriptions.map(\.requested) == [.max(1), .max(2), .max(3)])
    #expect(subscribers.map(\.values) == [["all"], ["all", "one", "rest"], ["all", "rest"]])
    #expect(subscribers.map { $0.completion != nil } == [true, false, false])
    #expect(upstream.subscriptions.map(\.isActive) == [false, true, true])
  }

  @Test(arguments: [false, true]) func subscribersAreLetGo(atCompletion: Bool) {
    weak var released: RecordingSubscriber<Int, Never>?
    let upstream = TestPublisher<Int, Never>()
    do {
      let subscriber = RecordingSubscriber<Int, Never>()
      released = subscriber
      upstream.subscribe(subscriber)
    }
    #expect(released != nil)
    if atCompletion {
      upstream.send(completion: .finished)
    } else {
      upstream.subscription?.cancel()
    }
    // The subscriber holds its subscription, which no longer holds it.
    #expect(released == nil)
    upstream.send(1)
  }

  @Test func aKeptSubscriberGetsWhatTheRulesForbid() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let subscriber = RecordingSubscriber<Int, Never>()
    upstream.subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    upstream.send(1)
    #expect(subscriber.values == [1])
    #expect(upstream.subscription?.cancellations.count == 2)
  }

  @Test func theTestMaySendTheSubscription() {
    let upstream = TestPublisher<Int, Never>(sendsSubscriptions: false)
    let subscriber = RecordingSubscriber<Int, Never>()
    upstream.subscribe(subscriber)
    #expect(subscriber.signals == [])
    upstream.subscription?.sendSubscription()
    #expect(subscriber.signals == [.subscription(at: 0)])
  }

  @Test func theRecordsOfAllSubscribersAreInOneList() {
    let timeline = TestTimeline()
    let upstream = TestPublisher<Int, Never>(on: timeline)
    let subscribers = (1...2).map { count in
      RecordingSubscriber<Int, Never>(initialDemand: .max(count), demandForEach: { .max($0 * count) })
    }
    for subscriber in subscribers { upstream.subscribe(subscriber) }
    timeline.advance(by: 1)
    #expect(upstream.send(3) == .max(9))
    #expect(upstream.requests == [.max(1), .max(3, at: 1), .max(2), .max(6, at: 1)])
    subscribers[1].cancel()
    #expect(upstream.cancellations == [1])
    subscribers[0].request(.unlimited)
    #expect(upstream.requests[2] == .unlimited(at: 1))
  }

  @Test func aSubscriberThatIsReleasedGetsNothing() {
    weak var released: RecordingSubscriber<Int, Never>?
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    do {
      let subscriber = RecordingSubscriber<Int, Never>()
      released = subscriber
      upstream.subscribe(subscriber)
    }
    #expect((upstream.subscription?.subscriber as AnyObject?) === released)
    upstream.releaseSubscribers()
    #expect(released == nil)
    #expect(upstream.send(1) == .none)
  }

  @Test func aHookThatIsSetLaterIsCalled() {
    let upstream = TestPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .none)
    upstream.subscribe(subscriber)
    var requested: [Subscribers.Demand] = []
    upstream.onRequest = { requested.append($0) }
    subscriber.request(.max(2))
    #expect(requested == [.max(2)])
  }

  @Test func hooksRunInsideTheCalls() {
    let upstream = TestPublisher<Int, Never>()
    upstream.onRequest = { [unowned upstream] demand in
      if demand == .max(2) { for value in 1...2 { upstream.send(value) } }
    }
    var cancelled = 0
    upstream.onCancel = { cancelled += 1 }
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
    upstream.subscribe(subscriber)
    #expect(subscriber.values == [1, 2])
    subscriber.cancel()
    #expect(cancelled == 1)
  }

  @Test func severalThreadsMayAskAndCancel() {
    let upstream = TestPublisher<Int, Never>()
    inParallel(4) { _ in
      for _ in 0..<100 {
        let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        upstream.subscribe(subscriber)
        subscriber.request(.max(2))
        upstream.send(1)
        subscriber.cancel()
        upstream.send(2)
      }
    }
    #expect(upstream.subscriptions.count == 400)
    for subscription in upstream.subscriptions {
      #expect(subscription.requested == .max(3))
      #expect(subscription.cancellations.count == 1)
      #expect(!subscription.isActive)
    }
  }
}
