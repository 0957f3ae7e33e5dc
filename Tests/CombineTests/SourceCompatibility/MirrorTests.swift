import Combine
import Foundation
import InterflowTestSupport
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

  @Test func publishersOfOneValueShowIt() throws {
    for mirror in [
      try mirror(Just(7)), try mirror(Optional(7).publisher), try mirror(Result<Int, TestError>.success(7).publisher),
    ] {
      #expect(labels(mirror) == [nil])
      #expect(mirror.children.first?.value as? Int == 7)
    }
    #expect(labels(try mirror(Just(7), demand: .unlimited)) == [])
  }

  @Test func sequenceAndRecordShowTheirValues() throws {
    #expect(try mirror([1, 2].publisher).descendant("sequence") as? [Int] == [1, 2])
    #expect(try mirror([1, 2].publisher, demand: .unlimited).descendant("sequence") as? [Int] == [])
    let record = Record<Int, Never>(output: [3], completion: .finished)
    #expect(try mirror(record).descendant("sequence") as? [Int] == [3])
  }

  @Test func futureShowsItselfAndWhetherItWasAsked() throws {
    let future = Future<Int, Never> { _ in }
    #expect(labels(try mirror(future)) == ["parent", "downstream", "hasAnyDemand", "subject"])
    #expect(try mirror(future).descendant("hasAnyDemand") as? Bool == false)
    #expect(try mirror(future, demand: .max(1)).descendant("hasAnyDemand") as? Bool == true)
  }

  @Test func operatorsThatFollowPublishersAndSharesShowNothing() throws {
    for mirror in [
      try mirror(Source().flatMap { Just($0) }), try mirror(Source().map { Just($0) }.switchToLatest()),
      try mirror(Source().multicast { PassthroughSubject() }),
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

  @Test func subscriberOfASubjectShowsItAndTheSubscriptionUntilTheEnd() throws {
    let (source, subject) = (Source(), PassthroughSubject<Int, TestError>())
    let cancellable = source.subscribe(subject)
    let mirror = try #require(source.subscriber?.customMirror)
    #expect(labels(mirror) == ["downstreamSubject", "upstreamSubscription", "subject"])
    #expect(mirror.descendant("downstreamSubject", "some") as? PassthroughSubject<Int, TestError> === subject)
    #expect(mirror.descendant("upstreamSubscription", "some").map { "\($0)" } == "ManualSubscription")
    #expect(mirror.descendant("subject", "some") as? PassthroughSubject<Int, TestError> === subject)
    cancellable.cancel()
    let after = try #require(source.subscriber?.customMirror)
    #expect(labels(after) == labels(mirror))
    for label in ["downstreamSubject", "upstreamSubscription", "subject"] {
      #expect(after.descendant(label, "some") == nil)
    }
  }

  @Test func notificationCenterShowsWhatItObservesAndTheDemand() throws {
    let (center, object) = (NotificationCenter(), NSObject())
    let name = Notification.Name("renamed")
    let recorder = center.publisher(for: name, object: object).recorded(demand: .max(2))
    center.post(name: name, object: object)
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["center", "name", "object", "demand"])
    #expect(mirror.descendant("center", "some") as? NotificationCenter === center)
    #expect(mirror.descendant("name") as? Notification.Name == name)
    #expect(mirror.descendant("object", "some") as? NSObject === object)
    #expect(mirror.descendant("demand") as? Subscribers.Demand == .max(1))
    recorder.cancel()
    let after = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(after) == labels(mirror))
    #expect(after.descendant("center", "some") == nil && after.descendant("object", "some") == nil)
  }

  @Test func timerShowsTheSubscriberAndItsTimes() throws {
    let timer = Timer.publish(every: 60, tolerance: 2, on: .main, in: .common)
    let recorder = timer.recorded(demand: .max(2))
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["downstream", "interval", "tolerance"])
    #expect(mirror.descendant("downstream", "some") as? Recorder<Date, Never> === recorder)
    #expect(mirror.descendant("interval", "some") as? TimeInterval == 60)
    #expect(mirror.descendant("tolerance", "some") as? TimeInterval == 2)
    recorder.cancel()
    let after = Mirror(reflecting: try #require(recorder.subscription))
    #expect(after.descendant("downstream", "some") == nil && after.descendant("interval", "some") == nil)
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

  @Test func publishedPropertyShowsItsSubjectTheSubscriberAndTheDemand() throws {
    final class Model { @Published var value = 1 }
    let model = Model()
    let recorder = model.$value.recorded(demand: .max(3))
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["parent", "downstream", "demand", "subject"])
    #expect(mirror.descendant("downstream", "some") as? Recorder<Int, Never> === recorder)
    #expect(mirror.descendant("demand") as? Subscribers.Demand == .max(2))
    #expect(mirror.descendant("parent", "some").map { "\(type(of: $0))" } == "PublishedSubject<Int>")
    recorder.cancel()
    #expect(Mirror(reflecting: try #require(recorder.subscription)).descendant("downstream", "some") == nil)
  }

  @Test func observableObjectsPublisherShowsTheSubscriber() throws {
    let recorder = ObservableObjectPublisher().recorded()
    let mirror = Mirror(reflecting: try #require(recorder.subscription))
    #expect(labels(mirror) == ["downstream"])
    #expect(mirror.descendant("downstream", "some") as? Recorder<Void, Never> === recorder)
  }

  @Test func closuresBehindAnAnySubscriberAreNotShown() {
    let subscriber = AnySubscriber<Int, Never>(receiveValue: { _ in .none })
    #expect(subscriber.description == "Anonymous AnySubscriber")
    #expect(labels(subscriber.customMirror) == [])
  }

  @Test func valueIsDeliveredOnceThoughItIsLookedAtMeanwhile() {
    for round in 0..<300 {
      let lifetime = LifetimeCounter()
      let recorder = Recorder<LifetimeCounter.Token, Never>(demand: .none)
      Just(lifetime.make()).subscribe(recorder)
      inParallel(3) { thread in
        switch thread {
        case 0: for _ in 0..<5 { _ = recorder.subscription.map { Mirror(reflecting: $0).children.count } }
        case 1: recorder.request(.max(1))
        default: if round.isMultiple(of: 2) { recorder.cancel() } else { recorder.request(.unlimited) }
        }
      }
      #expect(recorder.values.count <= 1)
      if !round.isMultiple(of: 2) { #expect(recorder.values.count == 1 && recorder.isFinished) }
      #expect(lifetime.count == recorder.values.count)
    }
  }
}
