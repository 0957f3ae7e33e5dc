import InterflowTesting
import InterflowTracing
import Testing

@Suite struct TraceFindingTests {
  private let recorder = TraceRecorder()

  init() { recorder.start() }

  private var findings: [String] { recorder.recording().findings.map(\.description) }

  @Test func aProgramWithoutMistakesHasNone() {
    _ = [1, 2].publisher.traced("numbers", recorder: recorder).sink { _ in }
    PassthroughSubject<Int, Never>().traced("subject", recorder: recorder).sink { _ in }.cancel()
    #expect(findings.isEmpty)
  }

  @Test func aSubscriberThatNeverAsks() {
    let subscribers = (0..<2).map { _ in RecordingSubscriber<Int, Never>(initialDemand: .none) }
    let subject = PassthroughSubject<Int, Never>()
    for subscriber in subscribers { subject.traced("numbers", recorder: recorder).subscribe(subscriber) }
    subject.send(1)
    for subscriber in subscribers { subscriber.cancel() }
    #expect(findings.last == "numbers: 2 subscriptions never requested a value")
  }

  @Test func valuesThatASubjectDropsForWantOfDemand() {
    let subject = PassthroughSubject<Int, Never>()
    let (slow, fast) = (
      RecordingSubscriber<Int, Never>(initialDemand: .max(1)), RecordingSubscriber<Int, Never>()
    )
    subject.traced("slow", recorder: recorder).subscribe(slow)
    subject.traced("fast", recorder: recorder).subscribe(fast)
    for number in 0..<5 { subject.send(number) }
    subject.send(completion: .finished)
    #expect(findings == ["slow: 1 subscription missed 4 values for want of demand"])
    #expect(recorder.kinds("slow").filter { $0 == .dropped }.count == 4)
  }

  @Test func requestsThatWereDroppedAreNotMissed() {
    let recorder = TraceRecorder(capacity: 100)
    recorder.start()
    let subject = PassthroughSubject<Int, Never>()
    let slow = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    subject.traced("slow", recorder: recorder).subscribe(slow)
    for number in 0...1_000 { subject.send(number) }
    subject.send(completion: .finished)
    #expect(recorder.recording().droppedCount > 0)
    #expect(recorder.recording().findings.map(\.kind) == [.droppedValues])
  }

  @Test func aSubscriptionIsNotTakenForOneThatHasItsPlace() {
    // An object that is released leaves its address to the next one.
    for _ in 0..<100 {
      let subject = PassthroughSubject<Int, Never>()
      let first = subject.traced("first", recorder: recorder).sink { _ in }
      first.cancel()
      let second = RecordingSubscriber<Int, Never>(initialDemand: .none)
      subject.subscribe(second)
      subject.send(1)
      second.cancel()
    }
    #expect(findings.isEmpty)
  }

  @Test func aSubscriptionThatLives() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    #expect(findings == ["numbers: 1 subscription had not ended"])
    cancellable.cancel()
    #expect(findings.isEmpty)
  }

  @Test func aLeakIsFoundAlsoWhereItsEventsWereDropped() {
    let recorder = TraceRecorder(capacity: 10)
    recorder.start()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("leak", recorder: recorder).sink { _ in }
    _ = (0..<1_000).publisher.traced("busy", recorder: recorder).sink { _ in }
    #expect(recorder.recording().findings.map(\.description) == ["leak: 1 subscription had not ended"])
    cancellable.cancel()
  }

  @Test func valuesThatComeAfterTheCancellation() {
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let publisher = Stubborn()
    let subscriber = RecordingSubscriber<Int, Never>()
    publisher.traced("stubborn", recorder: recorder).subscribe(subscriber)
    subscriber.cancel()
    timeline.advance(by: 2)
    publisher.state.send?(1)
    #expect(
      recorder.recording().findings.map(\.description) == [
        "stubborn: 1 subscription got 1 value after the cancellation, up to 2.0 seconds later"
      ])
  }

  @Test func aValueThatComesBeforeTheCancellationHasReturnedIsNone() {
    let publisher = Stubborn()
    publisher.state.sendsOnCancel = true
    let subscriber = RecordingSubscriber<Int, Never>()
    publisher.traced("stubborn", recorder: recorder).subscribe(subscriber)
    subscriber.cancel()
    #expect(recorder.kinds("stubborn").suffix(2) == [.value("1", number: 1), .cancelled])
    #expect(findings.isEmpty)
  }

  @Test func aSubscriberThatIsReleasedByItsCancellationIsNotLost() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    cancellable.cancel()
    #expect(recorder.kinds("numbers") == [.subscribed, .requested(nil), .cancelled])
  }

  /// Goes on when it is cancelled.
  private struct Stubborn: Publisher {
    final class State {
      var send: ((Int) -> Void)?
      var sendsOnCancel = false
    }

    private struct Subscription: Combine.Subscription {
      let state: State
      let combineIdentifier = CombineIdentifier()
      func request(_ demand: Subscribers.Demand) {}
      func cancel() { if state.sendsOnCancel { state.send?(1) } }
    }

    typealias Output = Int
    typealias Failure = Never

    let state = State()

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      state.send = { _ = subscriber.receive($0) }
      subscriber.receive(subscription: Subscription(state: state))
    }
  }
}
