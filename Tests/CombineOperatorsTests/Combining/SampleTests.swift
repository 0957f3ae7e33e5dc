import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct SampleTests {
  @Test func latestValueIsDeliveredOncePerTrigger() {
    let (upstream, trigger) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
    let recorder = upstream.sample(trigger).recorded()
    trigger.send()
    upstream.send(1)
    upstream.send(2)
    trigger.send()
    trigger.send()
    upstream.send(3)
    trigger.send()
    #expect(recorder.values == [2, 3])
  }

  @Test func unrequestedValueIsReplacedByANewerOne() {
    let (upstream, trigger) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
    let recorder = upstream.sample(trigger).recorded(demand: .none)
    for value in 1...3 {
      upstream.send(value)
      trigger.send()
    }
    recorder.request(.max(2))
    #expect(recorder.values == [3])
  }

  @Test func releaseOfTheReplacedValueMaySample() {
    let (upstream, trigger) = (PassthroughSubject<ReportsRelease, Never>(), PassthroughSubject<Void, Never>())
    let recorder = upstream.sample(trigger).recorded(demand: .none)
    let sample = { (value: ReportsRelease) in
      upstream.send(value)
      trigger.send()
    }
    sample(ReportsRelease(1) { sample(ReportsRelease(3)) })
    sample(ReportsRelease(2))
    recorder.request(.unlimited)
    #expect(recorder.values.map(\.number) == [3])
  }

  /// Both parts of a value are replaced before one is released.
  @Test func partOfAReplacedValueMaySample() {
    let (upstream, trigger) = (PassthroughSubject<(ReportsRelease, Int), Never>(), PassthroughSubject<Void, Never>())
    let recorder = upstream.sample(trigger).map { [$0.number, $1] }.recorded()
    upstream.send((ReportsRelease(1) { trigger.send() }, 1))
    upstream.send((ReportsRelease(2), 2))
    #expect(recorder.values == [[2, 2]])
  }

  @Test func partsOfAReplacedValueAreReleasedOnce() {
    let (upstream, trigger) = (
      PassthroughSubject<(ReportsRelease, ReportsRelease), Never>(), PassthroughSubject<Void, Never>()
    )
    var releases: [Int] = []
    let recorder = upstream.sample(trigger).map { [$0.number, $1.number] }.recorded()
    upstream.send((ReportsRelease(1) { trigger.send() }, ReportsRelease(1) { releases.append(1) }))
    upstream.send((ReportsRelease(2), ReportsRelease(2) { releases.append(2) }))
    #expect(recorder.values == [[2, 2]])
    #expect(releases.sorted() == [1, 2])
  }

  @Test(arguments: [true, false]) func finishesWithEither(upstreamFinishes: Bool) {
    let (upstream, trigger) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = upstream.sample(trigger).recorded()
    (upstreamFinishes ? upstream : trigger).send(completion: .finished)
    #expect(recorder.isFinished)
  }

  @Test func cancellationCancelsBoth() {
    let (upstream, trigger) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Int, TestError>(keepsSubscribers: true)
    )
    let recorder = upstream.sample(trigger).recorded()
    recorder.cancel()
    recorder.cancel()
    #expect(upstream.cancellations.count == 1)
    #expect(trigger.cancellations.count == 1)
  }

  @Test func followsTheRulesOfOperators() {
    // Both publishers are requested before the subscriber has its subscription, so not all of the rules apply.
    expectOperatorRules("Sample", deliversValues: false, isGuarded: false) { upstream, token in
      upstream.map {
        token.touch(); return $0
      }.sample(Empty<Int, TestError>(completeImmediately: false))
    }
  }
}
