import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CombineLatestTests {
  private typealias Source = TestPublisher<Int, TestError>

  // MARK: Values

  @Test func eachValueGoesWithTheLatestOfTheOther() {
    let (a, b) = (Source(keepsSubscribers: true), TestPublisher<String, TestError>(keepsSubscribers: true))
    let recorder = a.combineLatest(b) { "\($0)\($1)" }.recorded()
    a.send(1)
    a.send(2)
    #expect(recorder.log.isEmpty)
    b.send("a")
    b.send("b")
    a.send(3)
    #expect(recorder.log == ["2a", "2b", "3b"])
    #expect(recorder.subscriptionNames == ["CombineLatest"])
  }

  @Test func everyArityCombinesEveryPublisher() {
    let s = (0..<4).map { _ in Source(keepsSubscribers: true) }
    let two: Publishers.CombineLatest<Source, Source> = s[0].combineLatest(s[1])
    let three: Publishers.CombineLatest3<Source, Source, Source> = s[0].combineLatest(s[1], s[2])
    let four: Publishers.CombineLatest4<Source, Source, Source, Source> = s[0].combineLatest(s[1], s[2], s[3])
    expectLatest(two.map { [$0, $1] }, s, 2)
    expectLatest(three.map { [$0, $1, $2] }, s, 3)
    expectLatest(four.map { [$0, $1, $2, $3] }, s, 4)
    expectLatest(s[0].combineLatest(s[1]) { [$0, $1] }, s, 2)
    expectLatest(s[0].combineLatest(s[1], s[2]) { [$0, $1, $2] }, s, 3)
    expectLatest(s[0].combineLatest(s[1], s[2], s[3]) { [$0, $1, $2, $3] }, s, 4)
  }

  private func expectLatest<P: Publisher>(
    _ combined: P, _ s: [Source], _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) where P.Output == [Int], P.Failure == TestError {
    let recorder = combined.recorded()
    #expect(recorder.subscriptionNames == ["CombineLatest"], sourceLocation: sourceLocation)
    var latest = Array(repeating: 0, count: count)
    var expected: [[Int]] = []
    for step in 1...12 {
      latest[step % count] = step
      s[step % count].send(step)
      if !latest.contains(0) { expected.append(latest) }
    }
    #expect(recorder.values == expected, sourceLocation: sourceLocation)
    for source in s[..<count] {
      #expect(recorder.completions == 0, sourceLocation: sourceLocation)
      source.send(completion: .finished)
    }
    #expect(recorder.isFinished, sourceLocation: sourceLocation)
  }

  @Test func equatableWherePublishersAre() {
    #expect(Just(1).combineLatest(Just("a")) == Just(1).combineLatest(Just("a")))
    #expect(Just(1).combineLatest(Just(2), Just(3)) != Just(1).combineLatest(Just(2), Just(4)))
    #expect(
      Just(1).combineLatest(Just(2), Just(3), Just(4)) == Just(1).combineLatest(Just(2), Just(3), Just(4)))
  }

  // MARK: The end

  @Test func finishesWhenAllHave() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b) { $0 * 10 + $1 }.recorded()
    a.send(1)
    a.send(completion: .finished)
    b.send(1)
    b.send(2)
    #expect(recorder.log == ["11", "12"])
    b.send(completion: .finished)
    #expect(recorder.log == ["11", "12", "finished"])
    #expect([a, b].map(\.cancellations.count) == [0, 0])
  }

  @Test func oneThatFinishesWithoutValuesLetsTheOthersRunOn() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b).recorded(demand: .none)
    a.send(completion: .finished)
    b.send(1)
    #expect(recorder.completions == 0)
    b.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func failureEndsAtOnceAndCancelsTheOthersOnce() {
    let s = (0..<4).map { _ in Source(keepsSubscribers: true) }
    let recorder = s[0].combineLatest(s[1], s[2], s[3]) { [$0, $1, $2, $3] }.recorded()
    for source in s { source.send(1) }
    s[2].send(completion: .failure(TestError()))
    for source in s { source.send(2) }
    s[0].send(completion: .failure(TestError("late")))
    #expect(recorder.log == ["[1, 1, 1, 1]", "test error"])
    #expect(s.map(\.cancellations.count) == [1, 1, 0, 1])
  }

  @Test func failureDuringTheSubscriptionKeepsTheRestFromBeingSubscribed() {
    let (b, c) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = Fail<Int, TestError>(error: TestError()).combineLatest(b, c).recorded()
    #expect(recorder.log == ["test error"])
    #expect([b, c].map(\.subscriptions.count) == [0, 0])
  }

  // MARK: Demand

  @Test func eachIsAskedForWhatIsAskedFor() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b) { $0 * 10 + $1 }.recorded(demand: .max(2))
    #expect(a.requests == [.max(2)])
    #expect(a.send(1) == .none)
    #expect(b.send(1) == .none)
    a.send(2)
    b.send(2)
    #expect(recorder.log == ["11", "21"])
    recorder.request(.max(1))
    #expect(a.requests == [.max(2), .max(1)])
    #expect(b.requests == a.requests)
    recorder.request(.unlimited)
    #expect(a.requests.last == .unlimited)
    #expect(b.requests == a.requests)
  }

  @Test func demandThatAValueBringsBackIsAskedOfBoth() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(2) })
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    #expect(b.send(1) == .none)
    #expect(a.requests == [.max(1), .max(2)])
    #expect(b.requests == a.requests)
  }

  @Test func laterCombinationReplacesTheOneThatWaits() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b) { $0 * 10 + $1 }.recorded(demand: .max(1))
    a.send(1)
    b.send(1)
    for value in 2...5 { a.send(value) }
    #expect(recorder.log == ["11"])
    recorder.request(.max(1))
    #expect(recorder.log == ["11", "51"])
  }

  @Test func completionDoesNotWaitForACombinationThatNobodyHasAskedFor() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b) { $0 * 10 + $1 }.recorded(demand: .none)
    a.send(1)
    b.send(1)
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  /// Whatever the demand, a combination was the latest of all publishers when its last value came.
  @Test(arguments: 0..<60) func combinationsAreNeverOlderThanTheirNewestValue(_ seed: UInt64) {
    var random = Random(seed)
    let arity = 2 + Int(seed % 3)
    let s = (0..<arity).map { _ in Source(keepsSubscribers: true) }
    let combined: AnyPublisher<[Int], TestError> =
      switch arity {
      case 2: s[0].combineLatest(s[1]) { [$0, $1] }.eraseToAnyPublisher()
      case 3: s[0].combineLatest(s[1], s[2]) { [$0, $1, $2] }.eraseToAnyPublisher()
      default: s[0].combineLatest(s[1], s[2], s[3]) { [$0, $1, $2, $3] }.eraseToAnyPublisher()
      }
    let recorder = combined.recorded(demand: .none)
    var (requested, sent) = (0, Array(repeating: 0, count: arity))
    var latest = Array(repeating: 0, count: arity)
    var history: [[Int]] = []
    for step in 1...200 {
      if Int.random(in: 0..<3, using: &random) == 0 {
        let more = Int.random(in: 1...3, using: &random)
        requested += more
        recorder.request(.max(more))
      }
      let index = Int.random(in: 0..<arity, using: &random)
      guard sent[index] < requested else { continue }
      sent[index] += 1
      latest[index] = step
      if !latest.contains(0) { history.append(latest) }
      #expect(s[index].send(step) == .none)
      #expect(s.allSatisfy { $0.requested == .max(requested) })
    }
    let values = recorder.values
    #expect(values.count <= requested)
    #expect(values.allSatisfy(history.contains))
    #expect(values.map { $0.max() ?? 0 } == values.map { $0.max() ?? 0 }.sorted())
    // What is left is the latest of all.
    recorder.request(.max(1000))
    #expect(recorder.values.last == history.last)
  }

  @Test(arguments: 0..<30) func withoutLimitEveryCombinationIsDelivered(_ seed: UInt64) {
    var random = Random(seed)
    let s = (0..<3).map { _ in Source(keepsSubscribers: true) }
    let recorder = s[0].combineLatest(s[1], s[2]) { [$0, $1, $2] }.recorded()
    var latest = [0, 0, 0]
    var expected: [[Int]] = []
    for step in 1...100 {
      let index = Int.random(in: 0..<3, using: &random)
      latest[index] = step
      if !latest.contains(0) { expected.append(latest) }
      s[index].send(step)
    }
    #expect(recorder.values == expected)
  }

  @Test func sendsFromInsideAValueAreCombinedOnceAfterIt() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [unowned recorder] in
      guard $0 == 11 else { return }
      a.send(2)
      b.send(2)
      #expect(recorder.log == ["11"])
    }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    b.send(1)
    #expect(recorder.log == ["11", "22"])
  }

  @Test func aWriteBackEnds() {
    final class Model {
      @Published var a = 0
      @Published var b = 0
    }
    let model = Model()
    var seen: [Int] = []
    let cancellable = model.$a.combineLatest(model.$b).sink { [unowned model] a, _ in
      seen.append(a)
      model.a = min(a, 10)
    }
    model.a = 15
    model.b = 1
    #expect(seen == [0, 0, 15, 10, 10, 10])
    #expect(model.a == 10)
    cancellable.cancel()
  }

  @Test func aFoldedTupleTakesDemandLikeAnyOther() {
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
    recorder.onValue = { if $0 < 20 { a.send($0 / 10 + 1) } }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    b.send(1)
    #expect(recorder.values == [11, 21])
    b.send(2)
    #expect(recorder.values == [11, 21])
    recorder.request(.max(1))
    #expect(recorder.values == [11, 21, 22])
  }

  @Test func aTupleThatABufferedOneCausesIsFoldedToo() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onValue = { if $0 == 11 { a.send(2) } }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
    recorder.request(.max(1))
    a.send(5)
    b.send(1)
    a.send(1)
    #expect(recorder.values == [51])
    recorder.request(.max(3))
    #expect(recorder.values == [51, 11, 21])
  }

  @Test func whatAFoldedTupleCausesIsStored() {
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { if $0 < 50 { a.send($0 / 10 + 1) } }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    b.send(1)
    #expect(recorder.values == [11, 21])
    recorder.onValue = { _ in }
    b.send(2)
    #expect(recorder.values == [11, 21, 32])
  }

  @Test func anEndFromInsideAValueFollowsTheFoldedTuple() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
      let recorder = RecordingSubscriber<Int, TestError>()
      recorder.onValue = {
        guard $0 == 11 else { return }
        a.send(2)
        b.send(completion: completion)
        a.send(completion: completion)
      }
      a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
      a.send(1)
      b.send(1)
      #expect(recorder.log == ["11", "21", completion == .finished ? "finished" : "test error"])
    }
  }

  // MARK: Cancellation, lifetime, misuse

  @Test func cancellationReachesEachOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b).recorded()
    a.send(1)
    recorder.cancel()
    recorder.cancel()
    b.send(1)
    b.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    #expect([a, b].map(\.cancellations.count) == [1, 1])
  }

  @Test func cancelInsideTheSubscriptionReachesEach() {
    let s = (0..<4).map { _ in Source(keepsSubscribers: true) }
    let recorder = RecordingSubscriber<(Int, Int, Int, Int), TestError>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    s[0].combineLatest(s[1], s[2], s[3]).subscribe(recorder)
    #expect(s.map(\.subscriptions.count) == [1, 1, 1, 1])
    #expect(s.map(\.cancellations.count) == [1, 1, 1, 1])
  }

  @Test func eachIsSubscribedToBeforeTheSubscriberHasItsSubscription() {
    let s = (0..<4).map { _ in Source(keepsSubscribers: true) }
    for combined in [
      s[0].combineLatest(s[1]) { $0 + $1 }.eraseToAnyPublisher(),
      s[0].combineLatest(s[1], s[2]) { $0 + $1 + $2 }.eraseToAnyPublisher(),
      s[0].combineLatest(s[1], s[2], s[3]) { $0 + $1 + $2 + $3 }.eraseToAnyPublisher(),
    ] {
      let before = s.map(\.requests.count)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2))
      recorder.onSubscription = { _ in
        #expect(s[1].subscriptions.count == s[0].subscriptions.count)
        #expect(s.map(\.requests.count) == before)
      }
      combined.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["CombineLatest"])
      #expect(s[0].requests.last == .max(2))
      #expect(s[1].requests.last == .max(2))
    }
    #expect(s.map(\.subscriptions.count) == [3, 3, 2, 1])
  }

  @Test func anEndBeforeTheSubscriptionFollowsIt() {
    for demand in [Subscribers.Demand.none, .unlimited] {
      let finished = RecordingSubscriber<(Int, Int), Never>(initialDemand: demand)
      var log: [String] = []
      finished.onSubscription = { _ in log.append("subscription") }
      finished.onCompletion = { _ in log.append("completion") }
      Empty<Int, Never>().combineLatest(Empty<Int, Never>()).subscribe(finished)
      #expect(log == ["subscription", "completion"])
      #expect(finished.log == ["finished"])
    }
  }

  @Test func cancelInsideAValueEndsAll() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b).recorded()
    recorder.onValue = { [unowned recorder] _ in
      recorder.cancel()
      b.send(2)
    }
    a.send(1)
    b.send(1)
    #expect(recorder.values.count == 1)
    #expect([a, b].map(\.cancellations.count) == [1, 1])
  }

  @Test(arguments: 0..<4) func everythingIsReleasedAfterTheEnd(_ end: Int) {
    typealias Tokens = TestPublisher<LifetimeCounter.Token, TestError>
    let counter = LifetimeCounter()
    let (a, b) = (Tokens(keepsSubscribers: true), Tokens(keepsSubscribers: true))
    let subscription = a.combineLatest(b) { $0 === $1 }.subscription(holding: counter.make(), demand: .max(1))
    a.send(counter.make())
    a.send(counter.make())
    #expect(counter.count == 2, "the first is replaced, the closure's is held")
    b.send(counter.make())
    if end > 0 { b.send(counter.make()) }
    switch end {
    case 0: subscription?.cancel()
    case 1: subscription?.cancel()
    case 2: b.send(completion: .failure(TestError()))
    default:
      a.send(completion: .finished)
      b.send(completion: .finished)
      subscription?.request(.max(1))
    }
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func misbehavingPublishersAreKeptOut() {
    let (a, b) = (Source(keepsSubscribers: true, sendsSubscriptions: false), Source(keepsSubscribers: true))
    let recorder = a.combineLatest(b) { $0 * 10 + $1 }.recorded()
    a.send(9)
    b.send(1)
    b.subscription?.sendSubscription()
    #expect(b.cancellations.count == 1)
    #expect(recorder.log.isEmpty)
    a.subscription?.sendSubscription()
    a.send(1)
    a.send(completion: .finished)
    a.send(completion: .finished)
    a.send(2)
    b.send(2)
    #expect(recorder.log == ["11", "12"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("CombineLatest", isGuarded: false) { upstream, token in
      Just(1).setFailureType(to: TestError.self).combineLatest(upstream) {
        token.touch()
        return $0 * $1
      }
    }
  }

  // MARK: Threads

  @Test func concurrentSendersAreCombinedSerially() {
    for _ in 0..<20 {
      let count = 500
      let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
      let probe = SerialProbe<[Int], Never>()
      subjects[0].combineLatest(subjects[1], subjects[2]) { [$0, $1, $2] }.subscribe(probe)
      for subject in subjects { subject.send(0) }
      inParallel(3) { index in
        for number in 1...count { subjects[index].send(number) }
        subjects[index].send(completion: .finished)
      }
      #expect(probe.wait())
      #expect(probe.violations == 0)
      #expect(probe.completions == 1)
      let values = probe.values
      #expect(values.count == 3 * count + 1, "each value makes one combination")
      #expect(values.last == [count, count, count])
      #expect(zip(values, values.dropFirst()).allSatisfy { zip($0, $1).reduce(0) { $0 + $1.1 - $1.0 } == 1 })
    }
  }

  @Test func otherThreadMayCallDuringADelivery() {
    let (a, b) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onSubscription = { subscription in
      let subscription = UncheckedBox(subscription)
      #expect(onOtherThread { subscription.value.request(.max(2)) })
    }
    let sent = Shared<Latch?>(nil)
    recorder.onValue = { [unowned recorder] value in
      if value == 11 {
        sent.value = beginOnOtherThread { a.send(2) }
      } else {
        #expect(onOtherThread { recorder.cancel() })
      }
    }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    b.send(1)
    sent.value?.wait()
    b.send(3)
    #expect(recorder.log == ["11", "21"])
  }
}
