import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ScanTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func eachValueGetsTheResultBefore() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.scan("") { $0 + "\($1)" }.recorded()
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "12", "123", "finished"])
  }

  @Test func demandPasses() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.scan(0, +).subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(3) == .max(3))
    #expect(source.send(4) == .max(7))
  }

  @Test func eachSubscriberStartsAfresh() {
    let publisher = [1, 2].publisher.map { $0 }.eraseToAnyPublisher().scan(10, +)
    #expect(publisher.recorded().values == [11, 13])
    #expect(publisher.recorded().values == [11, 13])
  }

  @Test func errorCancelsUpstreamBeforeItIsDelivered() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.tryScan(0) { sum, value -> Int in
      if value == 2 { throw TestError("thrown") }
      return sum + value
    }
    .recorded()
    recorder.onCompletion = { _ in #expect(source.cancellations.count == 1) }
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "thrown"])
  }

  @Test func valueFromInsideADeliveryIsAddedToItsResult() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { if $0 == 1 { source.send(10) } }
    source.scan(0, +).subscribe(recorder)
    source.send(1)
    source.send(100)
    #expect(recorder.log == ["1", "11", "111"])
  }

  @Test func upstreamsOwnSubscriptionIsHandedOnAndNothingIsHeldBack() {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = source.scan(0, +).recorded()
    #expect(source.send(1) == .none)
    source.subscription?.sendSubscription()
    source.send(2)
    source.send(completion: .finished)
    source.send(3)
    source.subscription?.sendSubscription()
    #expect(recorder.log == ["1", "3", "finished", "6"])
    #expect(recorder.subscriptionNames == ["TestSubscription", "TestSubscription"])
    #expect(source.cancellations.isEmpty)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Scan", isGuarded: false) { upstream, token in
      upstream.scan(0) {
        token.touch()
        return $0 + $1
      }
    }
    expectOperatorRules("TryScan", earlyValue: .passes) { upstream, token in
      upstream.tryScan(0) {
        token.touch()
        return $0 + $1
      }
    }
  }
}
