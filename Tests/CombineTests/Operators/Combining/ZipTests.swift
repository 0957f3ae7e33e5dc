import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ZipTests {
  private typealias Source = TestPublisher<Int, TestError>

  // MARK: Values

  @Test func firstGoesWithFirst() {
    let (a, b) = (Source(keepsSubscribers: true), TestPublisher<String, TestError>(keepsSubscribers: true))
    let recorder = a.zip(b) { "\($0)\($1)" }.recorded()
    a.send(1)
    a.send(2)
    b.send("a")
    #expect(recorder.log == ["1a"])
    b.send("b")
    b.send("c")
    a.send(3)
    #expect(recorder.log == ["1a", "2b", "3c"])
    #expect(recorder.subscriptionNames == ["Zip"])
  }

  @Test func everyArityJoinsEveryPublisher() {
    let s = (0..<4).map { _ in Source(keepsSubscribers: true) }
    let zip2: Publishers.Zip<Source, Source> = s[0].zip(s[1])
    let zip3: Publishers.Zip3<Source, Source, Source> = s[0].zip(s[1], s[2])
    let zip4: Publishers.Zip4<Source, Source, Source, Source> = s[0].zip(s[1], s[2], s[3])
    #expect(zip4.recorded().subscriptionNames == ["Zip"])
    expectRows(zip2.map { [$0, $1] }, s, 2)
    expectRows(zip3.map { [$0, $1, $2] }, s, 3)
    expectRows(zip4.map { [$0, $1, $2, $3] }, s, 4)
    expectRows(s[0].zip(s[1]) { [$0, $1] }, s, 2)
    expectRows(s[0].zip(s[1], s[2]) { [$0, $1, $2] }, s, 3)
    expectRows(s[0].zip(s[1], s[2], s[3]) { [$0, $1, $2, $3] }, s, 4)
  }

  private func expectRows<P: Publisher>(
    _ zipped: P, _ sources: [Source], _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) where P.Output == [Int], P.Failure == TestError {
    let recorder = zipped.recorded()
    for round in 0..<3 {
      for index in (0..<count).reversed() { sources[index].send(round * 10 + index) }
    }
    #expect(
      recorder.values == (0..<3).map { round in (0..<count).map { round * 10 + $0 } }, sourceLocation: sourceLocation)
    let before = sources.map(\.cancellations.count)
    sources[0].send(completion: .finished)
    #expect(recorder.isFinished, sourceLocation: sourceLocation)
    let cancelled = zip(sources, before).map { $0.cancellations.count - $1 }
    #expect(cancelled == (0..<4).map { $0 > 0 && $0 < count ? 1 : 0 }, sourceLocation: sourceLocation)
  }

  @Test func equatableWherePublishersAre() {
    #expect(Just(1).zip(Just("a")) == Just(1).zip(Just("a")))
    #expect(Just(1).zip(Just(2), Just(3)) != Just(1).zip(Just(2), Just(4)))
    #expect(Just(1).zip(Just(2), Just(3), Just(4)) == Just(1).zip(Just(2), Just(3), Just(4)))
  }

  // MARK: The end

  @Test func finishesWhenAFinishedOneIsUsedUp() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b) { $0 * 10 + $1 }.recorded()
    a.send(1)
    a.send(2)
    a.send(completion: .finished)
    #expect(recorder.completions == 0)
    b.send(1)
    #expect(recorder.log == ["11"])
    #expect(b.cancellations.isEmpty)
    b.send(2)
    #expect(recorder.log == ["11", "22", "finished"])
    #expect([a, b].map(\.cancellations.count) == [0, 1])
  }

  @Test func finishesAtOnceWhereNothingWaits() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b).recorded(demand: .none)
    b.send(1)
    a.send(completion: .finished)
    #expect(recorder.log == ["finished"])
    #expect([a, b].map(\.cancellations.count) == [0, 1])
  }

  @Test func finishesWhenTheOneThatStillHasValuesFinishesFirst() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b).recorded()
    a.send(1)
    a.send(completion: .finished)
    #expect(recorder.completions == 0)
    b.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func failureEndsAtOnceAndCancelsEachOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b).recorded()
    a.send(1)
    b.send(completion: .failure(TestError()))
    a.send(2)
    a.send(completion: .failure(TestError("late")))
    #expect(recorder.log == ["test error"])
    #expect([a, b].map(\.cancellations.count) == [1, 1])
  }

  @Test(arguments: 3...4, 0..<4)
  func failureOfAPublisherWhoseValueWaitsEndsAtOnce(arity: Int, failing: Int) {
    guard failing < arity else { return }
    let s = (0..<arity).map { _ in Source(keepsSubscribers: true) }
    let recorder: RecordingSubscriber<[Int], TestError> =
      arity == 3
      ? s[0].zip(s[1], s[2]) { [$0, $1, $2] }.recorded()
      : s[0].zip(s[1], s[2], s[3]) { [$0, $1, $2, $3] }.recorded()
    let (finished, missing) = ((failing + 1) % arity, (failing + 2) % arity)
    for source in s.indices where source != missing { s[source].send(1) }
    s[finished].send(completion: .finished)
    #expect(recorder.log == [])
    s[failing].send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    #expect(s[missing].cancellations.count == 1)
  }

  @Test func failureDuringTheSubscriptionKeepsTheRestFromBeingSubscribed() {
    let b = Source(keepsSubscribers: true)
    let recorder = Fail<Int, TestError>(error: TestError()).zip(b).recorded()
    #expect(recorder.log == ["test error"])
    #expect(b.subscriptions.isEmpty)
  }

  // MARK: Demand

  @Test func eachIsAskedForWhatIsAskedFor() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b) { $0 * 10 + $1 }.recorded(demand: .max(1))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    #expect(a.send(1) == .none)
    #expect(b.send(1) == .none)
    #expect(recorder.log == ["11"])
    recorder.request(.max(3))
    recorder.request(.max(2))
    #expect(a.requests == [.max(1), .max(3), .max(2)])
    #expect(b.requests == a.requests)
    recorder.request(.unlimited)
    #expect(a.requests.last == .unlimited)
  }

  @Test func demandThatATupleBringsBackIsReturnedToOneAndRequestedFromTheOther() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(2) })
    a.zip(b) { $0 * 10 + $1 }.subscribe(recorder)
    #expect(a.send(1) == .none)
    // As Apple's: the value that completes the tuple brings it back.
    #expect(b.send(1) == .max(2))
    #expect(a.requests == [.max(1), .max(2)])
    #expect(b.requests == [.max(1), .max(2)])
  }

  @Test func demandBeforeTheSubscriptionIsAddedUpForIt() {
    let (a, b) = (Source(keepsSubscribers: true, sendsSubscriptions: false), Source(keepsSubscribers: true))
    let recorder = a.zip(b).recorded(demand: .max(1))
    recorder.request(.max(2))
    a.subscription?.sendSubscription()
    #expect(a.requests == [.max(3)])
    #expect(b.requests == [.max(1), .max(2)])
  }

  @Test func rowWithoutDemandWaits() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b) { $0 * 10 + $1 }.recorded(demand: .none)
    for value in 1...3 {
      a.send(value)
      b.send(value)
    }
    a.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(2))
    #expect(recorder.log == ["11", "22"])
    recorder.request(.max(1))
    #expect(recorder.log == ["11", "22", "33", "finished"])
  }

  @Test func requestsFromInsideARowDoNotNest() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    var isInside = false
    recorder.onValue = { [unowned recorder] _ in
      #expect(!isInside)
      isInside = true
      recorder.request(.max(1))
      isInside = false
    }
    (1...50).publisher.zip((1...60).publisher) { $0 * $1 }.subscribe(recorder)
    #expect(recorder.values == (1...50).map { $0 * $0 })
    #expect(recorder.completions == 1)
  }

  @Test func sendFromInsideATupleIsJoinedAtOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [unowned recorder] in
      guard $0 == 11 else { return }
      a.send(2)
      b.send(2)
      #expect(recorder.log == ["11", "22"])
    }
    a.zip(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    b.send(1)
    #expect(recorder.log == ["11", "22"])
  }

  // MARK: Cancellation, lifetime, misuse

  @Test func cancellationReachesEachOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b).recorded()
    a.send(1)
    recorder.cancel()
    recorder.cancel()
    b.send(1)
    b.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    #expect([a, b].map(\.cancellations.count) == [1, 1])
  }

  @Test func cancelInsideTheSubscriptionReachesEach() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<(Int, Int), TestError>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    a.zip(b).subscribe(recorder)
    #expect([a, b].map(\.subscriptions.count) == [1, 1])
    #expect([a, b].map(\.cancellations.count) == [1, 1])
    #expect(a.requests + b.requests == [])
  }

  @Test func eachIsSubscribedToBeforeTheSubscriberHasItsSubscription() {
    let s = (0..<4).map { _ in Source(keepsSubscribers: true) }
    for zipped in [
      s[0].zip(s[1]) { $0 + $1 }.eraseToAnyPublisher(), s[0].zip(s[1], s[2]) { $0 + $1 + $2 }.eraseToAnyPublisher(),
      s[0].zip(s[1], s[2], s[3]) { $0 + $1 + $2 + $3 }.eraseToAnyPublisher(),
    ] {
      let before = s.map(\.requests.count)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2))
      recorder.onSubscription = { _ in
        #expect(s[1].subscriptions.count == s[0].subscriptions.count)
        #expect(s.map(\.requests.count) == before)
      }
      zipped.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Zip"])
      #expect(s[0].requests.last == .max(2))
      #expect(s[1].requests.last == .max(2))
    }
    #expect(s.map(\.subscriptions.count) == [3, 3, 2, 1])
  }

  @Test func anEndBeforeTheSubscriptionFollowsIt() {
    for demand in [Subscribers.Demand.none, .unlimited] {
      let finished = RecordingSubscriber<(Int, Int), TestError>(initialDemand: demand)
      var log: [String] = []
      finished.onSubscription = { _ in log.append("subscription") }
      finished.onCompletion = { _ in log.append("completion") }
      Source(keepsSubscribers: true).zip(Empty()).subscribe(finished)
      #expect(log == ["subscription", "completion"])
      #expect(finished.log == ["finished"])
      let failed = Source(keepsSubscribers: true).zip(Fail<Int, TestError>(error: TestError())).recorded(demand: demand)
      #expect(failed.subscriptionNames == ["Zip"])
      #expect(failed.log == ["test error"])
    }
  }

  @Test func cancelInsideTheLastRowKeepsTheCompletionBack() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.zip(b).recorded()
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    a.send(1)
    a.send(completion: .finished)
    b.send(1)
    #expect(recorder.values.count == 1)
    #expect(recorder.completions == 0)
    #expect([a, b].map(\.cancellations.count) == [0, 1])
  }

  @Test(arguments: 0..<4) func everythingIsReleasedAfterTheEnd(_ end: Int) {
    typealias Tokens = TestPublisher<LifetimeCounter.Token, TestError>
    let counter = LifetimeCounter()
    let (a, b) = (Tokens(keepsSubscribers: true), Tokens(keepsSubscribers: true))
    let subscription = a.zip(b) { $0 === $1 }.subscription(holding: counter.make(), demand: .none)
    a.send(counter.make())
    a.send(counter.make())
    b.send(counter.make())
    #expect(counter.count == 4)
    switch end {
    case 0: subscription?.cancel()
    case 1: b.send(completion: .failure(TestError()))
    case 2: b.send(completion: .finished)
    default:
      a.send(completion: .finished)
      b.send(counter.make())
    }
    if end > 1 { subscription?.request(.max(2)) }
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func misbehavingPublishersAreKeptOut() {
    let (a, b) = (Source(keepsSubscribers: true, sendsSubscriptions: false), Source(keepsSubscribers: true))
    let recorder = a.zip(b) { $0 * 10 + $1 }.recorded()
    a.send(9)
    b.subscription?.sendSubscription()
    #expect(b.cancellations.count == 1)
    a.subscription?.sendSubscription()
    a.send(1)
    b.send(1)
    b.send(completion: .finished)
    b.send(completion: .finished)
    a.send(2)
    b.send(2)
    #expect(recorder.log == ["11", "finished"])
    a.subscription?.sendSubscription()
    #expect(a.cancellations.count == 2)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Zip", isGuarded: false) { upstream, token in
      upstream.zip((1...9).publisher.setFailureType(to: TestError.self)) {
        token.touch()
        return $0 * $1
      }
    }
  }

  // MARK: Models and threads

  /// Well-behaved publishers against arrays and counters.
  @Test(arguments: 0..<60) func deliversWhatArraysWouldGive(_ seed: UInt64) {
    var random = Random(seed)
    let arity = 2 + Int(seed % 3)
    let s = (0..<arity).map { _ in Source(keepsSubscribers: true) }
    let isUnlimited = seed.isMultiple(of: 2)
    let zipped: AnyPublisher<[Int], TestError> =
      switch arity {
      case 2: s[0].zip(s[1]) { [$0, $1] }.eraseToAnyPublisher()
      case 3: s[0].zip(s[1], s[2]) { [$0, $1, $2] }.eraseToAnyPublisher()
      default: s[0].zip(s[1], s[2], s[3]) { [$0, $1, $2, $3] }.eraseToAnyPublisher()
      }
    let recorder = zipped.recorded(demand: isUnlimited ? .unlimited : .none)
    var requested = isUnlimited ? Int.max : 0
    var sent = s.map { _ in [Int]() }
    for step in 0..<200 {
      if !isUnlimited, Int.random(in: 0..<3, using: &random) == 0 {
        let more = Int.random(in: 1...3, using: &random)
        requested += more
        recorder.request(.max(more))
      }
      let index = Int.random(in: 0..<arity, using: &random)
      if sent[index].count < requested {
        sent[index].append(step)
        #expect(s[index].send(step) == .none)
      }
      let rows = sent.map(\.count).min() ?? 0
      #expect(recorder.values == (0..<Swift.min(rows, requested)).map { row in sent.map { $0[row] } })
      if !isUnlimited { #expect(s.allSatisfy { $0.requested == .max(requested) }) }
    }
    let shortest = sent.firstIndex { $0.count == sent.map(\.count).min() } ?? 0
    s[shortest].send(completion: .finished)
    #expect(recorder.completions == 1)
  }

  @Test func concurrentSendersLoseNothing() {
    for _ in 0..<20 {
      let count = 500
      let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
      let probe = SerialProbe<[Int], Never>()
      subjects[0].zip(subjects[1], subjects[2]) { [$0, $1, $2] }.subscribe(probe)
      inParallel(3) { index in
        for number in 0..<count { subjects[index].send(number) }
        subjects[index].send(completion: .finished)
      }
      #expect(probe.wait())
      #expect(probe.violations == 0)
      #expect(probe.completions == 1)
      #expect(probe.values == (0..<count).map { [$0, $0, $0] })
    }
  }

  @Test func cancellationRacesWithSenders() {
    for _ in 0..<300 {
      let counter = LifetimeCounter()
      let a = PassthroughSubject<LifetimeCounter.Token, Never>()
      let b = PassthroughSubject<LifetimeCounter.Token, Never>()
      let cancellable = a.zip(b).sink { _ in }
      inParallel(3) { index in
        switch index {
        case 0: for _ in 0..<20 { a.send(counter.make()) }
        case 1: for _ in 0..<10 { b.send(counter.make()) }
        default: cancellable.cancel()
        }
      }
      #expect(counter.count == 0)
    }
  }

  @Test func otherThreadMayCallDuringADelivery() {
    let (a, b) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    recorder.onSubscription = { subscription in
      let subscription = UncheckedBox(subscription)
      #expect(onOtherThread { subscription.value.request(.max(1)) })
    }
    let sent = Shared<[Latch]>([])
    recorder.onValue = { [unowned recorder] value in
      let returned = onOtherThread { recorder.request(.max(1)) }
      #expect(returned)
      let latch = beginOnOtherThread { b.send(value + 1) }
      sent.update { $0.append(latch) }
    }
    recorder.onCompletion = { [unowned recorder] _ in #expect(onOtherThread { recorder.cancel() }) }
    a.zip(b) { $0 * 10 + $1 }.subscribe(recorder)
    a.send(1)
    a.send(2)
    b.send(1)
    sent.value[0].wait()
    sent.value[1].wait()
    a.send(completion: .failure(TestError()))
    #expect(recorder.log == ["11", "32", "test error"])
  }
}
