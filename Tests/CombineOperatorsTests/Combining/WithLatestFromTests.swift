import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct WithLatestFromTests {
  @Test func valueIsJoinedWithTheLatestOfTheOther() {
    let (upstream, other) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<String, TestError>())
    let recorder = upstream.withLatestFrom(other) { "\($0)\($1)" }.recorded()
    upstream.send(1)
    other.send("a")
    upstream.send(2)
    other.send("b")
    other.send("c")
    upstream.send(3)
    upstream.send(4)
    #expect(recorder.values == ["2a", "3c", "4c"])
  }

  @Test func otherValuesAloneAreDelivered() {
    let upstream = PassthroughSubject<Void, Never>()
    let others = (1...4).map { CurrentValueSubject<Int, Never>($0) }
    let one = upstream.withLatestFrom(others[0]).recorded()
    let two = upstream.withLatestFrom(others[0], others[1]).map { [$0, $1] }.recorded()
    let three = upstream.withLatestFrom(others[0], others[1], others[2]).map { [$0, $1, $2] }.recorded()
    let four = upstream.withLatestFrom(others[0], others[1], others[2], others[3]).map { [$0, $1, $2, $3] }.recorded()
    upstream.send()
    others[0].value = 9
    upstream.send()
    #expect(one.values == [1, 9])
    #expect(two.values == [[1, 2], [9, 2]])
    #expect(three.values == [[1, 2, 3], [9, 2, 3]])
    #expect(four.values == [[1, 2, 3, 4], [9, 2, 3, 4]])
  }

  @Test func selectorsReceiveTheTupleOfTheOthers() {
    let upstream = PassthroughSubject<String, Never>()
    let others = (1...4).map { CurrentValueSubject<Int, Never>($0) }
    let two = upstream.withLatestFrom(others[0], others[1]) { "\($0)\($1.0 + $1.1)" }.recorded()
    let three = upstream.withLatestFrom(others[0], others[1], others[2]) { "\($0)\($1.0 + $1.1 + $1.2)" }.recorded()
    let four = upstream.withLatestFrom(others[0], others[1], others[2], others[3]) {
      "\($0)\($1.0 + $1.1 + $1.2 + $1.3)"
    }.recorded()
    upstream.send("x")
    #expect(two.values == ["x3"])
    #expect(three.values == ["x6"])
    #expect(four.values == ["x10"])
  }

  @Test func finishesWithUpstreamAndNotWithTheOther() {
    let (upstream, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = upstream.withLatestFrom(other).recorded()
    other.send(1)
    other.send(completion: .finished)
    upstream.send(0)
    #expect(recorder.log == ["1"])
    upstream.send(completion: .finished)
    #expect(recorder.isFinished)
  }

  @Test func finishesWhenTheOtherFinishesWithoutValue() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = upstream.withLatestFrom(Empty<Int, Never>()).recorded()
    #expect(recorder.isFinished)
    #expect(upstream.requests.isEmpty)
  }

  @Test func finishesWhenOneOfSeveralFinishesWithoutValue() {
    let (upstream, other) = (TestPublisher<Int, Never>(keepsSubscribers: true), PassthroughSubject<Int, Never>())
    let recorder = upstream.withLatestFrom(other, Empty<Int, Never>()).recorded()
    #expect(recorder.isFinished)
    #expect(upstream.requests.isEmpty)
  }

  @Test func whatTheSubscriberSendsToOneOfSeveralCountsAtOnce() {
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    var joined: [[Int]] = []
    let cancellable = [10, 20, 30].publisher.withLatestFrom(first, second) { [$0, $1.0] }.sink {
      joined.append($0)
      first.send($0[0])
    }
    first.send(1)
    second.send("x")
    #expect(joined == [[10, 1], [20, 10], [30, 20]])
    withExtendedLifetime(cancellable) {}
  }

  @Test func valuesOfSeveralAreReleasedAtTheEnd() {
    let (upstream, first) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Tracked, Never>())
    let (second, counter) = (PassthroughSubject<Int?, Never>(), LifetimeCounter())
    let recorder = upstream.withLatestFrom(first, second).map { $1 }.recorded()
    first.send(Tracked(1, counter))
    second.send(nil)
    upstream.send(0)
    #expect(recorder.values == [nil])
    upstream.send(completion: .finished)
    #expect(counter.count == 0)
  }

  @Test func failureOfTheOtherCancelsUpstream() {
    let (upstream, other) = (
      TestPublisher<Int, TestError>(keepsSubscribers: true), PassthroughSubject<Int, TestError>()
    )
    let recorder = upstream.withLatestFrom(other).recorded()
    other.send(completion: .failure(TestError("other")))
    #expect(recorder.log == ["other"])
    #expect(upstream.cancellations.count == 1)
  }

  // MARK: Demand

  @Test func upstreamIsRequestedAfterTheOthersFirstValue() {
    let (upstream, other) = (TestPublisher<Int, Never>(keepsSubscribers: true), PassthroughSubject<Int, Never>())
    let recorder = upstream.withLatestFrom(other).recorded(demand: .max(2))
    recorder.request(.max(1))
    #expect(upstream.requests.isEmpty)
    other.send(7)
    #expect(upstream.requests == [.max(3)])
    recorder.request(.max(4))
    #expect(upstream.requests == [.max(3), .max(4)])
  }

  @Test func valuesOfASequenceAreNotLostBeforeTheOthersFirst() {
    let other = PassthroughSubject<Int, Never>()
    let recorder = [1, 2, 3].publisher.withLatestFrom(other) { $0 * $1 }.recorded()
    other.send(10)
    #expect(recorder.values == [10, 20, 30])
    #expect(recorder.isFinished)
  }

  // MARK: Reentrancy

  @Test func valueOfTheOtherSentInsideADeliveryIsUsedNext() {
    let (upstream, other) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { if $0 == 0 { other.value = 5 } }
    upstream.withLatestFrom(other).subscribe(recorder)
    upstream.send(1)
    upstream.send(2)
    #expect(recorder.values == [0, 5])
  }

  @Test func followsTheRulesOfOperators() {
    expectOperatorRules("WithLatestFrom.Subscription<Int, TestError>") { upstream, token in
      upstream.withLatestFrom(Just(1).setFailureType(to: TestError.self)) { value, _ in
        token.touch()
        return value
      }
    }
  }

  @Test func partOfAReplacedValueMayCauseAValue() {
    let upstream = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<(ReportsRelease, ReportsRelease), Never>()
    let recorder = upstream.withLatestFrom(other) { [$0, $1.0.number, $1.1.number] }.recorded()
    other.send((ReportsRelease(1) { upstream.send(7) }, ReportsRelease(1)))
    other.send((ReportsRelease(2), ReportsRelease(2)))
    #expect(recorder.values == [[7, 2, 2]])
  }

  @Test func partOfAReplacedValueMayCancel() {
    let upstream = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<(ReportsRelease, ReportsRelease), Never>()
    let recorder = upstream.withLatestFrom(other) { _, _ in 0 }.recorded()
    var releases: [Int] = []
    other.send((ReportsRelease(1) { recorder.cancel() }, ReportsRelease(1) { releases.append(1) }))
    other.send((ReportsRelease(2), ReportsRelease(2) { releases.append(2) }))
    #expect(releases.sorted() == [1, 2])
  }
}
