import Combine
import InterflowTestSupport
import Testing

/// In which order `flatMap` subscribes and cancels, what it does before upstream's subscription, and where the demand
/// goes that a value brings back.
@Suite struct FlatMapSubscriptionTests {
  private typealias Source = ManualPublisher<Int, TestError>

  @Test func theSubscriberHasItsSubscriptionBeforeUpstreamIsSubscribedTo() {
    let outer = Source(subscribes: false)
    let recorder = Recorder<Int, TestError>(demand: .max(1))
    recorder.onSubscription = { _ in #expect(outer.subscriptions == 0) }
    outer.flatMap(maxPublishers: .max(2)) { Just($0) }.subscribe(recorder)
    #expect(recorder.subscriptions == ["FlatMap"])
    #expect(outer.subscriptions == 1)
    outer.sendSubscription()
    #expect(outer.requests == [.max(2)])
    #expect(recorder.subscriptions == ["FlatMap"])
  }

  @Test func aValueBeforeTheSubscriptionIsMapped() {
    let outer = Source(subscribes: false)
    let inner = Source()
    let recorder = outer.flatMap { _ in inner }.recorded()
    outer.send(0)
    #expect(inner.subscriptions == 1)
    inner.send(1)
    let justs = Source(subscribes: false)
    let other = justs.flatMap { Just($0) }.recorded()
    justs.send(2)
    #expect(recorder.log == ["1"])
    #expect(other.log == ["2"])
  }

  @Test func aCompletionBeforeTheSubscriptionCounts() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let outer = Source(subscribes: false)
      let recorder = outer.flatMap { Just($0) }.recorded()
      outer.send(completion: completion)
      outer.send(completion: .finished)
      outer.send(1)
      #expect(recorder.log == [completion == .finished ? "finished" : "test error"])
      outer.sendSubscription()
      #expect(outer.cancellations == 1)
      #expect(outer.requests.isEmpty)
    }
  }

  @Test func nothingIsMappedAfterTheEnd() {
    let outer = Source()
    var mapped = 0
    let recorder = outer.flatMap { value in
      mapped += 1
      return Just(value)
    }.recorded()
    recorder.cancel()
    outer.send(1)
    outer.send(completion: .finished)
    let finished = Source()
    let other = finished.flatMap { value in
      mapped += 1
      return Just(value)
    }.recorded()
    finished.send(completion: .finished)
    finished.send(1)
    #expect(mapped == 0)
    #expect([recorder, other].map(\.log) == [[], ["finished"]])
  }

  @Test func thePublishersMadeAreCancelledBeforeUpstream() {
    let (outer, inner) = (Source(), Source())
    var cancelled: [String] = []
    outer.onCancel = { cancelled.append("outer") }
    inner.onCancel = { cancelled.append("inner") }
    let recorder = outer.flatMap { _ in inner }.recorded()
    outer.send(0)
    recorder.cancel()
    #expect(cancelled == ["inner", "outer"])
  }

  // MARK: Demand

  @Test func whatAValueBringsBackIsReturnedToAPublisherThatWasAskedForEverything() {
    let (outer, inner) = (Source(), Source())
    let recorder = Recorder<Int, TestError>(demandForEach: { _ in .max(3) })
    outer.flatMap { _ in inner }.subscribe(recorder)
    outer.send(0)
    #expect(inner.send(1) == .max(3))
    #expect(inner.requests == [.unlimited])
    #expect(outer.requests == [.unlimited])
  }

  @Test func everythingThatAValueBringsBackIsReturnedToItsPublisherAndAskedOfTheOthers() {
    let outer = Source()
    let inners = [Source(), Source()]
    let recorder = Recorder<Int, TestError>(demand: .max(1), demandForEach: { _ in .unlimited })
    outer.flatMap { inners[$0] }.subscribe(recorder)
    outer.send(0)
    outer.send(1)
    #expect(inners[0].send(1) == .unlimited)
    #expect(inners[0].requests == [.max(1)])
    #expect(inners[1].requests == [.max(1), .unlimited])
    #expect(inners[1].send(2) == .unlimited)
    #expect(inners.map(\.requests) == [[.max(1)], [.max(1), .unlimited]])
  }

  @Test func aJustBringsEverythingToTheOthers() {
    let outer = ManualPublisher<Bool, TestError>()
    let inner = Source()
    let recorder = Recorder<Int, TestError>(demand: .max(1), demandForEach: { _ in .unlimited })
    outer.flatMap {
      $0 ? Just(1).setFailureType(to: TestError.self).eraseToAnyPublisher() : inner.eraseToAnyPublisher()
    }
    .subscribe(recorder)
    outer.send(false)
    outer.send(true)
    #expect(inner.requests == [.max(1), .unlimited])
    #expect(recorder.log == ["1"])
  }

  @Test func anotherIsAskedForWhenTheValueOfAFinishedOneHasBeenTaken() {
    let outer = Source()
    let recorder = outer.flatMap(maxPublishers: .max(1)) { Just($0) }.recorded(demand: .max(1))
    outer.send(1)
    #expect(outer.requests == [.max(1), .max(1)])
    outer.send(2)
    #expect(outer.requests == [.max(1), .max(1)])
    recorder.request(.max(1))
    #expect(outer.requests == [.max(1), .max(1), .max(1)])
    #expect(recorder.log == ["1", "2"])
  }
}
