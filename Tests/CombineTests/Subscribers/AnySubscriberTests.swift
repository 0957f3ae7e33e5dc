import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("AnySubscriber")
struct AnySubscriberTests {
  @Test func passesEverySignalToTheSubscriberBehindIt() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1)) { _ in .max(4) }
    let erased = AnySubscriber(recorder)
    let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
    upstream.subscribe(erased)
    #expect(upstream.requests == [.max(1)])
    #expect(erased.receive(1) == .max(4))
    erased.receive(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func hasTheIdentityAndTheDescriptionOfTheSubscriberBehindIt() {
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let erased = AnySubscriber(sink)
    #expect(erased.combineIdentifier == sink.combineIdentifier)
    #expect(AnySubscriber(erased).combineIdentifier == sink.combineIdentifier)
    #expect(erased.description == "Sink")
    #expect(erased.playgroundDescription as? String == "Sink")
    #expect(AnySubscriber(erased).description == "Sink")
    #expect(erased.customMirror.children.isEmpty)
  }

  @Test func closuresAreCalledAndMissingOnesDoNothing() {
    var log: [String] = []
    let full = AnySubscriber<Int, TestError>(
      receiveSubscription: { log.append("\($0)") },
      receiveValue: {
        log.append("\($0)")
        return .max($0)
      },
      receiveCompletion: { log.append("\($0)") })
    full.receive(subscription: Subscriptions.empty)
    #expect(full.receive(3) == .max(3))
    full.receive(completion: .finished)
    #expect(log == ["Empty", "3", "finished"])

    let empty = AnySubscriber<Int, TestError>()
    empty.receive(subscription: Subscriptions.empty)
    #expect(empty.receive(3) == .none)
    empty.receive(completion: .finished)
    #expect(empty.description == "Anonymous AnySubscriber")
  }

  @Test func anonymousSubscribersHaveIdentitiesOfTheirOwn() {
    let (first, second) = (AnySubscriber<Int, Never>(), AnySubscriber<Int, Never>())
    #expect(first.combineIdentifier == first.combineIdentifier)
    #expect(first.combineIdentifier != second.combineIdentifier)
  }

  @Test func aSubjectBehindItGetsEverySignal() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = RecordingSubscriber<Int, TestError>()
    subject.subscribe(recorder)
    let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let erased = AnySubscriber(subject)
    upstream.subscribe(erased)
    #expect(erased.description == "Subject")
    #expect(upstream.requests == [.unlimited])
    #expect(upstream.send(1) == .none)
    upstream.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func copiesShareTheClosuresAndReleaseThemTogether() {
    let lifetime = LifetimeCounter()
    do {
      let subscriber = {
        let token = lifetime.make()
        return AnySubscriber<Int, Never>(receiveValue: { _ in
          token.touch()
          return .none
        })
      }()
      let copy = subscriber
      _ = copy.receive(1)
      #expect(lifetime.count == 1)
    }
    #expect(lifetime.count == 0)
  }
}
