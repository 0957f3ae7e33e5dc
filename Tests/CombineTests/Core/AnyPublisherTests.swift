import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("AnyPublisher")
struct AnyPublisherTests {
  @Test func passesEverySignalAndTheSubscriptionItself() {
    let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2)) { $0 == 1 ? .max(3) : .none }
    upstream.eraseToAnyPublisher().subscribe(recorder)
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    #expect(upstream.requests == [.max(2)])
    #expect(upstream.send(1) == .max(3))
    #expect(upstream.send(2) == .none)
    upstream.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "2", "test error"])
    recorder.cancel()
    #expect(upstream.cancellations.count == 1)
  }

  @Test func eachSubscriberSubscribesToThePublisherBehindIt() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let erased = upstream.eraseToAnyPublisher()
    #expect(upstream.subscriptions.isEmpty)
    erased.subscribe(RecordingSubscriber<Int, Never>())
    erased.subscribe(RecordingSubscriber<Int, Never>())
    #expect(upstream.subscriptions.count == 2)
  }

  /// A publisher that keeps the very subscriber that it is given.
  private struct Keeper: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let kept = Shared<(any Subscriber<Int, Never>)?>(nil)

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never { kept.value = subscriber }
  }

  @Test func theSubscriberThatIsMetLooksLikeTheOneBehindIt() throws {
    let keeper = Keeper()
    keeper.eraseToAnyPublisher()
      .subscribe(Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in }))
    let sink = try #require(keeper.kept.value)
    #expect("\(sink)" == "Sink")
    #expect((sink as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription as? String == "Sink")
    #expect(Mirror(reflecting: sink).children.isEmpty)

    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(3))
    keeper.eraseToAnyPublisher().subscribe(recorder)
    let met = try #require(keeper.kept.value)
    #expect("\(met)" == "\(recorder)")
    #expect(Mirror(reflecting: met).children.map(\.label) == Mirror(reflecting: recorder).children.map(\.label))
    #expect(
      (met as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription as? RecordingSubscriber<Int, Never>
        === recorder)
  }

  @Test func theSubscriberKeepsItsIdentity() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    upstream.eraseToAnyPublisher().subscribe(recorder)
    #expect(upstream.subscription?.subscriber?.combineIdentifier == recorder.combineIdentifier)
  }

  @Test func erasingTwiceIsErasingOnce() {
    let erased = AnyPublisher(AnyPublisher(Just(1).eraseToAnyPublisher()))
    let recorder = RecordingSubscriber<Int, Never>()
    erased.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Just"])
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func keepsThePublisherAliveAndNothingAfterIt() {
    let lifetime = LifetimeCounter()
    var erased: AnyPublisher<Int, Never>?
    do {
      let token = lifetime.make()
      erased = Deferred { Just(1) }.map { value in
        token.touch()
        return value
      }.eraseToAnyPublisher()
    }
    #expect(lifetime.count == 1)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    erased?.subscribe(recorder)
    erased = nil
    #expect(lifetime.count == 1)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "finished"])
    #expect(lifetime.count == 0)
  }

  @Test func describesItself() {
    let erased = Just(1).eraseToAnyPublisher()
    #expect(erased.description == "AnyPublisher")
    #expect(erased.playgroundDescription as? String == "AnyPublisher")
  }

  @Test func aClosureThatUsesTheSourceFromInsideDoesNotDeadlock() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    let erased = subject.eraseToAnyPublisher()
    recorder.onValue = { if $0 < 3 { subject.send($0 + 1) } }
    erased.subscribe(recorder)
    subject.send(1)
    #expect(recorder.values == [1, 2, 3])
  }
}
