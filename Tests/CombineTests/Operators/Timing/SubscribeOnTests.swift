import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct SubscribeOnTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  @Test func subscriptionIsMadeOnTheScheduler() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.subscribe(on: scheduler, options: "label") }
    #expect(source.subscriptions.isEmpty)
    #expect(recorder.signals.isEmpty)
    #expect(scheduler.scheduled == 1)
    scheduler.advance()
    #expect(source.subscriptions.count == 1)
    #expect(recorder.subscriptionNames == ["SubscribeOn"])
    #expect(scheduler.options == ["label", "label"])
  }

  @Test func requestsAndCancellationGoThroughTheScheduler() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(2)) { $0.subscribe(on: scheduler) }
    scheduler.advance()
    #expect(source.requests == [.max(2)])
    recorder.request(.max(3))
    #expect(source.requests == [.max(2)])
    scheduler.advance()
    #expect(source.requests == [.max(2), .max(3)])
    recorder.cancel()
    #expect(source.cancellations.isEmpty)
    scheduler.advance()
    #expect(source.cancellations.count == 1)
  }

  @Test func valuesComeWhereTheyAreSent() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(demandForEach: { .max($0) })
    source.subscribe(on: scheduler).subscribe(recorder)
    scheduler.advance()
    #expect(source.send(4) == .max(4))
    source.send(completion: .finished)
    #expect(recorder.log == ["4", "finished"])
  }

  @Test func requestIsMadeThoughACancellationFollowsIt() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.subscribe(on: scheduler) }
    scheduler.advance()
    recorder.request(.max(1))
    recorder.cancel()
    source.send(1)
    source.onRequest = { [unowned source] _ in
      #expect(source.cancellations.isEmpty)
      source.send(2)
    }
    scheduler.advance()
    #expect(source.requests == [.max(1)])
    #expect(source.cancellations.count == 1)
    #expect(recorder.log.isEmpty)
  }

  @Test func nothingIsScheduledAfterACancellation() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.subscribe(on: scheduler) }
    scheduler.advance()
    recorder.cancel()
    scheduler.advance()
    recorder.request(.max(1))
    recorder.cancel()
    #expect(scheduler.scheduled == 0)
    #expect(source.requests.isEmpty)
    #expect(source.cancellations.count == 1)
  }

  @Test func subscriberGoneBeforeTheSubscriptionCancelsIt() {
    let source = Source(keepsSubscribers: true)
    do {
      let cancellable = source.subscribe(on: scheduler).sink { _ in
      } receiveValue: { _ in
      }
      cancellable.cancel()
    }
    scheduler.advance()
    #expect(source.cancellations.count == source.subscriptions.count)
    #expect(source.requests.isEmpty)
  }

  @Test func immediateSchedulerChangesNothing() {
    let recorder = [1, 2].publisher.subscribe(on: ImmediateScheduler.shared).recorded()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func realQueueSubscribes() {
    let queue = DispatchQueue(label: "subscribe", attributes: .concurrent)
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let done = Latch()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    recorder.onCompletion = { _ in done.open() }
    Deferred {
      #expect(DispatchQueue.getSpecific(key: key) == true)
      return (0..<1000).publisher
    }.subscribe(on: queue).subscribe(recorder)
    #expect(done.wait())
    #expect(recorder.values == Array(0..<1000))
  }

  @Test func keepsTheRules() {
    expectTimedRules("SubscribeOn", holdsSurplus: false) { upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.subscribe(on: scheduler)
    }
    expectOperatorRules("SubscribeOn") { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }.subscribe(on: ImmediateScheduler.shared)
    }
  }
}
