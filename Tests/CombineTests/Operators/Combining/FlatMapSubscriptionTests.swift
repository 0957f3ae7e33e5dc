import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// In which order `flatMap` subscribes and cancels, what it does before upstream's subscription, and where the demand
/// goes that a value brings back.
@Suite struct FlatMapSubscriptionTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func theSubscriberHasItsSubscriptionBeforeUpstreamIsSubscribedTo() {
    let outer = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    recorder.onSubscription = { _ in #expect(outer.subscriptions.isEmpty) }
    outer.flatMap(maxPublishers: .max(2)) { Just($0) }.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["FlatMap"])
    #expect(outer.subscriptions.count == 1)
    outer.subscription?.sendSubscription()
    #expect(outer.requests == [.max(2)])
    #expect(recorder.subscriptionNames == ["FlatMap"])
  }

  @Test func aValueBeforeTheSubscriptionIsMapped() {
    let outer = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let inner = Source(keepsSubscribers: true)
    let recorder = outer.flatMap { _ in inner }.recorded()
    outer.send(0)
    #expect(inner.subscriptions.count == 1)
    inner.send(1)
    let justs = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let other = justs.flatMap { Just($0) }.recorded()
    justs.send(2)
    #expect(recorder.log == ["1"])
    #expect(other.log == ["2"])
  }

  @Test func aCompletionBeforeTheSubscriptionCounts() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let outer = Source(keepsSubscribers: true, sendsSubscriptions: false)
      let recorder = outer.flatMap { Just($0) }.recorded()
      outer.send(completion: completion)
      outer.send(completion: .finished)
      outer.send(1)
      #expect(recorder.log == [completion == .finished ? "finished" : "test error"])
      outer.subscription?.sendSubscription()
      #expect(outer.cancellations.count == 1)
      #expect(outer.requests.isEmpty)
    }
  }

  @Test func nothingIsMappedAfterTheEnd() {
    let outer = Source(keepsSubscribers: true)
    var mapped = 0
    let recorder = outer.flatMap { value in
      mapped += 1
      return Just(value)
    }.recorded()
    recorder.cancel()
    outer.send(1)
    outer.send(completion: .finished)
    let finished = Source(keepsSubscribers: true)
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
    let (outer, inner) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
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
    let (outer, inner) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(demandForEach: { _ in .max(3) })
    outer.flatMap { _ in inner }.subscribe(recorder)
    outer.send(0)
    #expect(inner.send(1) == .max(3))
    #expect(inner.requests == [.unlimited, .max(3)])
    #expect(outer.requests == [.unlimited])
  }

  @Test func everythingThatAValueBringsBackIsReturnedToItsPublisherAndAskedOfTheOthers() {
    let outer = Source(keepsSubscribers: true)
    let inners = [Source(keepsSubscribers: true), Source(keepsSubscribers: true)]
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .unlimited })
    outer.flatMap { inners[$0] }.subscribe(recorder)
    outer.send(0)
    outer.send(1)
    #expect(inners[0].send(1) == .unlimited)
    #expect(inners[0].requests == [.max(1), .unlimited])
    #expect(inners[1].requests == [.max(1), .unlimited])
    #expect(inners[1].send(2) == .unlimited)
    #expect(inners.map(\.requests) == [[.max(1), .unlimited], [.max(1), .unlimited, .unlimited]])
  }

  @Test func aJustBringsEverythingToTheOthers() {
    let outer = TestPublisher<Bool, TestError>(keepsSubscribers: true)
    let inner = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .unlimited })
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
    let outer = Source(keepsSubscribers: true)
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
