import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MaterializeTests {
  private let subject = PassthroughSubject<Int, TestError>()

  @Test func eachSignalIsAValueBeforeTheEnd() {
    let finished = subject.materialize().recorded()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(finished.log == ["value(1)", "finished", "finished"])
    let failed = Fail<Int, TestError>(error: TestError("no")).materialize().recorded()
    #expect(failed.log == ["failure(no)", "finished"])
  }

  @Test func eventOfTheCompletionWaitsForDemand() {
    let recorder = [1].publisher.materialize().recorded(demand: .max(1))
    #expect(recorder.log == ["value(1)"])
    recorder.request(.max(1))
    #expect(recorder.log == ["value(1)", "finished", "finished"])
  }

  @Test func completionInsideTheLastValueFollowsItsDemand() {
    let recorder = RecordingSubscriber<Event<Int, TestError>, Never>(
      initialDemand: .max(1), demandForEach: { _ in .max(1) })
    recorder.onValue = { [subject] in if case .value = $0 { subject.send(completion: .finished) } }
    subject.materialize().subscribe(recorder)
    subject.send(1)
    #expect(recorder.log == ["value(1)", "finished", "finished"])
  }

  @Test func requestOfAnotherThreadWaitsForTheValuesDelivery() {
    let recorder = RecordingSubscriber<Event<Int, TestError>, Never>(initialDemand: .max(1))
    let during = Shared<[String]>([])
    recorder.onValue = { [subject, unowned recorder] in
      guard case .value = $0 else { return }
      subject.send(completion: .failure(TestError("no")))
      onOtherThread { [unchecked = UncheckedBox(recorder)] in unchecked.value.request(.max(1)) }
      during.update { $0 = recorder.log }
    }
    subject.materialize().subscribe(recorder)
    subject.send(1)
    #expect(during.value == ["value(1)"])
    #expect(recorder.log == ["value(1)", "failure(no)", "finished"])
  }

  @Test func eventAfterANestedValueWaitsForTheOuterDelivery() {
    let recorder = RecordingSubscriber<Event<Int, TestError>, Never>()
    var during: [String] = []
    recorder.onValue = { [subject, unowned recorder] in
      guard case .value(1) = $0 else { return }
      subject.send(2)
      subject.send(completion: .finished)
      during = recorder.log
    }
    subject.materialize().subscribe(recorder)
    subject.send(1)
    #expect(during == ["value(1)", "value(2)"])
    #expect(recorder.log == ["value(1)", "value(2)", "finished", "finished"])
  }

  @Test func cancellationDuringTheLastEventDropsTheEnd() {
    let recorder = RecordingSubscriber<Event<Int, Never>, Never>()
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    Empty<Int, Never>().materialize().subscribe(recorder)
    #expect(recorder.log == ["finished"])
    #expect(recorder.completions == 0)
  }

  @Test func demandIsRequestedFromUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.materialize().recorded(demand: .max(2))
    recorder.request(.max(3))
    #expect(source.requests == [.max(2), .max(3)])
    recorder.cancel()
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(TestError())])
  func subscriberIsReleasedAfterTheEnd(completion: Subscribers.Completion<TestError>) {
    let counter = LifetimeCounter()
    let subscription = subject.materialize().subscription(holding: counter.make())
    #expect(counter.count == 1)
    subject.send(completion: completion)
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func subscriberIsReleasedAfterCancellation() {
    let counter = LifetimeCounter()
    let waiting = Empty<Int, Never>().materialize().subscription(holding: counter.make(), demand: .none)
    let running = subject.materialize().subscription(holding: counter.make())
    #expect(counter.count == 2)
    waiting?.cancel()
    running?.cancel()
    #expect(counter.count == 0)
  }

  @Test func valuesAndFailuresAreSeparated() {
    let events = subject.materialize()
    let (values, failures) = (events.values().recorded(), events.failures().recorded())
    subject.send(1)
    subject.send(completion: .failure(TestError("no")))
    #expect(values.log == ["1", "finished"])
    #expect(failures.log == ["no", "finished"])
  }
}

@Suite struct DematerializeTests {
  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(TestError("no"))])
  func isTheOppositeOfMaterialize(completion: Subscribers.Completion<TestError>) {
    let subject = PassthroughSubject<Int, TestError>()
    let (plain, back) = (subject.recorded(), subject.materialize().dematerialize().recorded())
    subject.send(1)
    subject.send(completion: completion)
    #expect(back.log == plain.log)
  }

  @Test func eventOfAnEndCancelsUpstream() {
    let source = TestPublisher<Event<Int, TestError>, Never>(keepsSubscribers: true)
    let recorder = source.dematerialize().recorded()
    source.send(.finished)
    source.send(.value(1))
    #expect(recorder.log == ["finished"])
    #expect(source.cancellations.count == 1)
  }
}

@Suite struct EventTests {
  @Test func eventsAreComparedAndDescribed() {
    typealias Signal = Event<Int, TestError>
    #expect(Signal.value(1) == .value(1))
    #expect(Signal.value(1) != .value(2))
    #expect(Signal.value(1) != .finished)
    #expect(Signal.failure(TestError("a")) == .failure(TestError("a")))
    #expect(Signal.failure(TestError("a")) != .failure(TestError("b")))
    #expect("\(Signal.value(1)) \(Signal.finished) \(Signal.failure(TestError("a")))" == "value(1) finished failure(a)")
    #expect(Signal.finished.event == .finished)
  }
}
