import Dispatch
import InterflowTestSupport
import InterflowTesting
import InterflowTracing
import Testing

@Suite struct TracedPublisherTests {
  @Test(arguments: [false, true])
  func theRulesAreKept(isOn: Bool) async throws {
    let recorder = TraceRecorder(capacity: 10_000)
    if isOn { recorder.start() }
    try await PublisherVerification.verify(elements: 5, options: .patient) { count in
      (0..<count).publisher.traced("numbers", recorder: recorder)
    } failing: {
      PublisherUnderTest(Fail<Int, URLError>(error: URLError()).traced("failing", recorder: recorder))
    }
    var dropping = PublisherVerification.Options.patient
    dropping.surplus = .isDropped
    try await PublisherVerification.verify(elements: 5, options: dropping) { count in
      let subject = PassthroughSubject<Int, Never>()
      return PublisherUnderTest(subject.traced("subject", recorder: recorder)) {
        for number in 0..<count { subject.send(number) }
        subject.send(completion: .finished)
      }
    }
  }

  private struct URLError: Error {}

  @Test func demandIsRecordedAndPassedOn() {
    let recorder = TraceRecorder()
    recorder.start()
    let source = TestPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
    source.traced("numbers", recorder: recorder).subscribe(subscriber)
    source.send(1)
    subscriber.request(.max(3))
    subscriber.cancel()
    subscriber.cancel()
    #expect(
      recorder.kinds("numbers") == [
        .subscribed, .requested(2), .value("1", number: 1), .requested(3), .cancelled,
      ])
  }

  @Test func aValueKnowsWhatItCameOf() {
    let recorder = TraceRecorder()
    recorder.start()
    _ = [1, 2].publisher.traced("source", recorder: recorder).map { $0 * 10 }.traced("tenfold", recorder: recorder)
      .sink { _ in }
    let recording = recorder.recording()
    let source = recording.lanes.first { $0.name == "source" }!.subscriptions[0]
    let result = recording.lanes.first { $0.name == "tenfold" }!.subscriptions[0]
    #expect(source.events.compactMap(\.cause).isEmpty)
    #expect(
      result.events.compactMap(\.cause) == [
        .init(subscription: source.number, number: 1), .init(subscription: source.number, number: 2),
      ])
  }

  @Test func nothingComesOfAValueThatHasBeenDelivered() {
    let recorder = TraceRecorder()
    recorder.start()
    _ = Just(1).traced("first", recorder: recorder).sink { _ in }
    _ = Just(2).traced("second", recorder: recorder).sink { _ in }
    #expect(recorder.recording().lanes.flatMap(\.subscriptions).flatMap(\.events).allSatisfy { $0.cause == nil })
  }

  @Test func anotherRecordersValueIsNoCause() {
    let (outer, inner) = (TraceRecorder(), TraceRecorder())
    outer.start()
    inner.start()
    _ = Just(1).traced("outer", recorder: outer).traced("inner", recorder: inner).sink { _ in }
    #expect(inner.recording().lanes[0].subscriptions[0].events.allSatisfy { $0.cause == nil })
  }

  @Test func failuresAndDescriptions() {
    let recorder = TraceRecorder()
    recorder.start()
    let traced = Fail<Int, MarbleSyntaxProblem>(error: .here).traced("failing", recorder: recorder)
    _ = traced.sink { _ in
    } receiveValue: { _ in
    }
    #expect(recorder.kinds("failing").last == .failed("here"))
    #expect(recorder.recording().findings.map(\.description) == ["failing: 1 subscription failed"])
  }

  private enum MarbleSyntaxProblem: Error { case here }

  @Test func everythingIsReleased() {
    final class Marker {}
    weak var marker: Marker?
    func sink(_ subject: PassthroughSubject<Int, Never>) -> AnyCancellable {
      let strong = Marker()
      marker = strong
      return subject.traced("numbers", recorder: recorder).sink { _ in _ = strong }
    }
    let recorder = TraceRecorder()
    recorder.start()
    let subject = PassthroughSubject<Int, Never>()
    let cancelled = sink(subject)
    subject.send(1)
    #expect(marker != nil)
    cancelled.cancel()
    #expect(marker == nil)
    let completed = sink(subject)
    subject.send(completion: .finished)
    #expect(marker == nil)
    completed.cancel()
  }

  @Test(arguments: [false, true])
  func sinkIsCancelledWhileThreadsSend(recorded: Bool) {
    let recorder = TraceRecorder()
    if recorded { recorder.start() }
    for _ in 0..<200 {
      final class Marker: Sendable {}
      weak var marker: Marker?
      let subject = PassthroughSubject<Int, Never>()
      let cancellable: AnyCancellable
      do {
        let strong = Marker()
        marker = strong
        cancellable = subject.traced("numbers", recorder: recorder).sink { _ in _ = strong }
      }
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        if thread == 2 { cancellable.cancel() } else { for value in 0..<50 { subject.send(value) } }
      }
      #expect(marker == nil)
    }
  }

  @Test func subscriberThatIsKeptByItsPublisherGetsNothing() {
    final class Keeper: Publisher {
      typealias Output = Int
      typealias Failure = Never
      var send: ((Int) -> Void)?
      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        send = { _ = subscriber.receive($0) }
        subscriber.receive(subscription: Subscriptions.empty)
      }
    }
    let keeper = Keeper()
    var values: [Int] = []
    let cancellable = keeper.traced("numbers", recorder: TraceRecorder()).sink { values.append($0) }
    keeper.send?(1)
    cancellable.cancel()
    keeper.send?(2)
    #expect(values == [1])
  }

  @Test func aPublisherThatDropsItsSubscriberIsNoticed() {
    struct Forgetful: Publisher {
      typealias Output = Int
      typealias Failure = Never
      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Subscriptions.empty)
      }
    }
    let recorder = TraceRecorder()
    recorder.start()
    Forgetful().traced("forgetful", recorder: recorder).subscribe(RecordingSubscriber<Int, Never>())
    #expect(recorder.recording().findings.contains { $0.kind == .released && $0.lane == "forgetful" })
  }
}
