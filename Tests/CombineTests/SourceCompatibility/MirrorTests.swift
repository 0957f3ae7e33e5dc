import Combine
import Foundation
import Testing

/// What subscriptions and subscribers show of themselves, under the labels that Apple's have.
@Suite struct MirrorTests {
  private typealias Source = ManualPublisher<Int, TestError>

  private func labels(_ mirror: Mirror) -> [String?] { mirror.children.map(\.label) }

  private func mirror<P: Publisher>(_ publisher: P, demand: Subscribers.Demand = .none) throws -> Mirror {
    Mirror(reflecting: try #require(publisher.recorded(demand: demand).subscription))
  }

  @Test func subjectShowsItselfTheSubscriberAndTheDemand() throws {
    let subject = CurrentValueSubject<Int, Never>(0)
    let recorder = Recorder<Int, Never>(demand: .max(3))
    subject.subscribe(recorder)
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["parent", "downstream", "demand", "subject"])
    #expect(mirror.descendant("downstream") as? Recorder<Int, Never> === recorder)
    #expect(mirror.descendant("demand") as? Subscribers.Demand == .max(2))
    recorder.cancel()
    #expect(mirror.descendant("subject") as? CurrentValueSubject<Int, Never> === subject)
    #expect(Mirror(reflecting: try #require(recorder.subscription)).descendant("downstream", "some") == nil)
  }

  @Test func subjectShowsTheSubscriberFromInsideADelivery() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    var shown: [Bool] = []
    recorder.onValue = { [unowned recorder] _ in
      let mirror = recorder.subscription.map { Mirror(reflecting: $0) }
      shown.append(mirror?.descendant("downstream") as? Recorder<Int, Never> === recorder)
    }
    subject.subscribe(recorder)
    subject.send(1)
    #expect(shown == [true])
  }

  @Test func futureShowsItselfAndWhetherItWasAsked() throws {
    let future = Future<Int, Never> { _ in }
    #expect(labels(try mirror(future)) == ["parent", "downstream", "hasAnyDemand", "subject"])
    #expect(try mirror(future).descendant("hasAnyDemand") as? Bool == false)
    #expect(try mirror(future, demand: .max(1)).descendant("hasAnyDemand") as? Bool == true)
  }

  @Test func operatorsThatFollowPublishersShowNothing() throws {
    for mirror in [
      try mirror(Source().flatMap { Just($0) }), try mirror(Source().map { Just($0) }.switchToLatest()),
    ] {
      #expect(labels(mirror) == [])
    }
  }

  @Test func bufferShowsWhatItHolds() throws {
    let source = Source()
    let recorder = source.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).recorded(demand: .max(1))
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["values", "state", "downstreamDemand", "terminal"])
    #expect(mirror.descendant("values") as? [Int] == [2, 3])
    #expect(mirror.descendant("state").map { "\($0)" } == "terminal")
    #expect(mirror.descendant("downstreamDemand") as? Subscribers.Demand == Subscribers.Demand.none)
    #expect(mirror.descendant("terminal", "some") as? Subscribers.Completion<TestError> == .finished)
  }

  @Test func operatorsThatKeepValuesBackShowTheirSubscriber() throws {
    let source = Source()
    let recorder = Recorder<Int, TestError>(demand: .max(2))
    source.merge(with: source).subscribe(recorder)
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["downstream", "demand"])
    #expect(mirror.children.first?.value is Recorder<Int, TestError>)
    #expect(mirror.children.first.map { Mirror(reflecting: $0.value).displayStyle } != .optional)
    #expect(mirror.descendant("demand") as? Subscribers.Demand == .max(2))
  }

  @Test func sinkShowsNothing() throws {
    let source = Source()
    let cancellable = source.sink { _ in
    } receiveValue: { _ in
    }
    let subscriber = try #require(source.subscriber)
    #expect(subscriber.description == "Sink")
    #expect(labels(subscriber.customMirror) == [])
    cancellable.cancel()
  }

  @Test func assignShowsTheObjectThePropertyAndHowFarItIs() throws {
    final class Model { var value = 0 }
    let assign = Subscribers.Assign(object: Model(), keyPath: \.value)
    #expect(labels(assign.customMirror) == ["object", "keyPath", "status"])
    #expect(assign.customMirror.descendant("status").map { "\($0)" } == "awaitingSubscription")
    Empty<Int, Never>().subscribe(assign)
    #expect(assign.customMirror.descendant("status").map { "\($0)" } == "terminal")
  }

  @Test func dataTaskShowsItselfTheSubscriberAndTheDemand() throws {
    let publisher = URLSession.shared.dataTaskPublisher(for: try #require(URL(string: "unheard-of://here")))
    let recorder = publisher.recorded(demand: .none)
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["task", "downstream", "parent", "demand"])
    #expect(mirror.descendant("task", "some") == nil)
    #expect(
      mirror.descendant("downstream", "some") as? Recorder<URLSession.DataTaskPublisher.Output, URLError> === recorder)
    #expect((mirror.descendant("parent", "some") as? URLSession.DataTaskPublisher)?.request == publisher.request)
    #expect(mirror.descendant("demand") as? Subscribers.Demand == Subscribers.Demand.none)
    recorder.cancel()
  }

  @Test func closuresBehindAnAnySubscriberAreNotShown() {
    let subscriber = AnySubscriber<Int, Never>(receiveValue: { _ in .none })
    #expect(subscriber.description == "Anonymous AnySubscriber")
    #expect(labels(subscriber.customMirror) == [])
  }
}
