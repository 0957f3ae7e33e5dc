import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MergeTests {
  private typealias Source = TestPublisher<Int, TestError>

  private func sources(_ count: Int) -> [Source] { (0..<count).map { _ in Source(keepsSubscribers: true) } }

  // MARK: Values

  @Test func neverMoreThanRequestedBehindAndBeforeOtherPublishers() {
    let behind = [1].publisher.append((2...20).publisher.merge(with: (21...40).publisher))
      .recorded(demand: .max(3))
    #expect(behind.values.count == 3)
    behind.request(.max(4))
    #expect(behind.values.count == 7)
    let before = [1].publisher.append(2...20).merge(with: (21...40).publisher.prepend(0)).recorded(demand: .max(3))
    #expect(before.values.count == 3)
    before.request(.max(4))
    #expect(before.values.count == 7)
  }

  @Test func valuesComeAsTheyAreSent() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    a.send(1)
    b.send(2)
    b.send(3)
    a.send(4)
    #expect(recorder.log == ["1", "2", "3", "4"])
    #expect(recorder.subscriptionNames == ["Merge"])
  }

  @Test func finishesWithTheLast() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    a.send(completion: .finished)
    b.send(1)
    #expect(recorder.log == ["1"])
    b.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    #expect((a.cancellations + b.cancellations).isEmpty)
  }

  @Test func publisherThatFinishesWithoutASubscriptionCountsAsFinished() {
    let sloppy = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let b = Source(keepsSubscribers: true)
    let recorder = sloppy.merge(with: b).recorded()
    sloppy.send(completion: .finished)
    b.send(1)
    b.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func finishesWithoutDemand() {
    let recorder = Empty<Int, Never>().merge(with: Empty<Int, Never>()).recorded(demand: .none)
    #expect(recorder.log == ["finished"])
  }

  @Test func failureEndsAtOnceAndCancelsEachOnce() {
    let inputs = sources(3)
    let recorder = inputs[0].merge(with: inputs[1], inputs[2]).recorded()
    inputs[0].send(1)
    inputs[1].send(completion: .failure(TestError()))
    inputs[0].send(2)
    inputs[2].send(completion: .failure(TestError("late")))
    #expect(recorder.log == ["1", "test error"])
    #expect(inputs.map(\.cancellations.count) == [1, 1, 1])
  }

  @Test func failureDuringTheSubscriptionKeepsTheRestFromBeingSubscribed() {
    let b = Source(keepsSubscribers: true)
    let recorder = Fail<Int, TestError>(error: TestError()).merge(with: b).recorded()
    #expect(recorder.log == ["test error"])
    #expect(b.subscriptions.isEmpty)
  }

  @Test func failureDropsWhatWaits() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded(demand: .none)
    a.send(1)
    b.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    recorder.request(.unlimited)
    #expect(recorder.log == ["test error"])
  }

  @Test func finishComesAfterWhatWaits() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded(demand: .none)
    a.send(1)
    b.send(2)
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "finished"])
  }

  // MARK: Arities

  @Test func everyArityMergesEveryPublisher() {
    let s = sources(8)
    let merge2: Publishers.Merge<Source, Source> = s[0].merge(with: s[1])
    let merge3: Publishers.Merge3<Source, Source, Source> = s[0].merge(with: s[1], s[2])
    let merge4: Publishers.Merge4<Source, Source, Source, Source> = s[0].merge(with: s[1], s[2], s[3])
    let merge5: Publishers.Merge5<Source, Source, Source, Source, Source> = s[0].merge(with: s[1], s[2], s[3], s[4])
    let merge6: Publishers.Merge6<Source, Source, Source, Source, Source, Source> =
      s[0].merge(with: s[1], s[2], s[3], s[4], s[5])
    let merge7: Publishers.Merge7<Source, Source, Source, Source, Source, Source, Source> =
      s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6])
    let merge8: Publishers.Merge8<Source, Source, Source, Source, Source, Source, Source, Source> =
      s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6], s[7])
    expectAll(merge2, s, 2)
    expectAll(merge3, s, 3)
    expectAll(merge4, s, 4)
    expectAll(merge5, s, 5)
    expectAll(merge6, s, 6)
    expectAll(merge7, s, 7)
    expectAll(merge8, s, 8)
    expectAll(Publishers.MergeMany(s), s, 8)
    expectAll(s[0].merge(with: s[1]).merge(with: s[2]), s, 3)
    expectAll(s[0].merge(with: s[1]).merge(with: s[2], s[3], s[4], s[5], s[6], s[7]), s, 8)
    expectAll(s[0].merge(with: s[1], s[2]).merge(with: s[3], s[4], s[5], s[6], s[7]), s, 8)
    expectAll(s[0].merge(with: s[1], s[2], s[3]).merge(with: s[4], s[5], s[6], s[7]), s, 8)
    expectAll(s[0].merge(with: s[1], s[2], s[3], s[4]).merge(with: s[5], s[6], s[7]), s, 8)
    expectAll(s[0].merge(with: s[1], s[2], s[3], s[4], s[5]).merge(with: s[6], s[7]), s, 8)
    expectAll(s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6]).merge(with: s[7]), s, 8)
  }

  private func expectAll<P: Publisher>(
    _ merged: P, _ sources: [Source], _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) where P.Output == Int, P.Failure == TestError {
    let recorder = merged.recorded()
    for index in 0..<count { sources[index].send(index) }
    for index in 0..<count { sources[index].send(completion: .finished) }
    #expect(
      recorder.log == (0..<count).map { "\($0)" } + ["finished"] && recorder.subscriptionNames == ["Merge"],
      sourceLocation: sourceLocation)
  }

  @Test func equatableWherePublishersAre() {
    let (one, two) = (Just(1), Just(2))
    #expect(one.merge(with: two) == one.merge(with: two))
    #expect(one.merge(with: two) != two.merge(with: one))
    #expect(one.merge(with: two, one) != one.merge(with: two, two))
    #expect(Publishers.MergeMany(one, two) == Publishers.MergeMany([one, two]))
  }

  // MARK: Demand

  @Test func eachIsAskedForOneAtATimeWhileDemandHasALimit() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded(demand: .max(2))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    #expect(a.send(1) == .max(1))
    #expect(a.send(2) == .max(1))
    #expect(a.send(3) == .none)
    #expect(b.send(4) == .none)
    #expect(recorder.log == ["1", "2"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "3"])
    #expect(a.requests == [.max(1), .max(1), .max(1), .max(1)])
    #expect(b.requests == [.max(1)])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2", "3", "4"])
    #expect(b.requests == [.max(1), .max(1)])
    #expect(a.send(5) == .max(1))
    #expect(a.send(6) == .none)
  }

  @Test func demandThatAValueBringsBackIsAdded() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(1), demandForEach: { $0 == 1 ? .max(2) : .none })
    a.merge(with: b).subscribe(recorder)
    for value in 1...5 { (value.isMultiple(of: 2) ? a : b).send(value) }
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func demandReturnedForAValueServesWhatWasSentInsideIt() {
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    recorder.onValue = { if $0 == 1 { b.send(2) } }
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    #expect(recorder.log == ["1", "2"])
    b.send(3)
    a.send(4)
    #expect(recorder.log == ["1", "2", "3", "4"])
  }

  @Test func unlimitedDemandIsPassedOnOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    #expect(a.requests == [.unlimited])
    #expect(a.send(1) == .none)
    recorder.request(.unlimited)
    recorder.request(.max(1))
    #expect(a.requests == [.unlimited])
    #expect(b.requests == [.unlimited])
  }

  @Test func demandRaisedToUnlimitedReachesEach() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded(demand: .max(1))
    a.send(1)
    a.send(2)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "2"])
    #expect(a.requests == [.max(1), .max(1), .unlimited])
    #expect(b.requests == [.max(1), .unlimited])
    #expect(a.send(3) == .none)
  }

  @Test func unlimitedDemandFromInsideAValueReachesEach() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .unlimited })
    a.merge(with: b).subscribe(recorder)
    #expect(a.send(1) == .unlimited)
    #expect(a.requests == [.max(1), .unlimited])
    #expect(b.requests == [.max(1), .unlimited])
    #expect(b.send(2) == .unlimited)
    #expect([a, b].map(\.requests) == [[.max(1), .unlimited], [.max(1), .unlimited, .unlimited]])
  }

  @Test func requestsFromInsideAValueAreServedAfterIt() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    var isInside = false
    recorder.onValue = { [unowned recorder] _ in
      #expect(!isInside)
      isInside = true
      recorder.request(.max(1))
      isInside = false
    }
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    b.send(2)
    a.send(3)
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func sendFromInsideAValueIsDeliveredAtOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [unowned recorder] in
      if $0 == 1 {
        b.send(2)
        #expect(recorder.log == ["1", "2"])
      }
    }
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    #expect(recorder.log == ["1", "2"])
  }

  // MARK: Cancellation, lifetime, misuse

  @Test func cancellationReachesEachOnce() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    recorder.cancel()
    recorder.cancel()
    a.send(1)
    b.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    #expect([a, b].map(\.cancellations.count) == [1, 1])
  }

  @Test func finishedPublisherIsNotCancelled() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    a.send(completion: .finished)
    recorder.cancel()
    #expect([a, b].map(\.cancellations.count) == [0, 1])
  }

  @Test func cancelInsideTheSubscriptionKeepsAllFromBeingSubscribed() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    a.merge(with: b).subscribe(recorder)
    #expect([a, b].map(\.subscriptions.count) == [0, 0])
    #expect(recorder.log.isEmpty)
  }

  @Test func cancelInsideAValueDropsWhatWaits() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded(demand: .none)
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    a.send(1)
    b.send(2)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1"])
    #expect([a, b].map(\.cancellations.count) == [1, 1])
  }

  @Test func everythingIsReleasedAfterTheEnd() {
    typealias Tokens = TestPublisher<LifetimeCounter.Token, TestError>
    for end in 0..<3 {
      let counter = LifetimeCounter()
      let (a, b) = (Tokens(keepsSubscribers: true), Tokens(keepsSubscribers: true))
      let subscription = a.merge(with: b).subscription(holding: counter.make(), demand: .none)
      a.send(counter.make())
      #expect(counter.count == 2)
      switch end {
      case 0: subscription?.cancel()
      case 1: b.send(completion: .failure(TestError()))
      default:
        a.send(completion: .finished)
        b.send(completion: .finished)
        subscription?.request(.max(1))
      }
      #expect(counter.count == 0, "after end \(end)")
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func secondSubscriptionIsCancelled() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    a.subscription?.sendSubscription()
    #expect(a.cancellations.count == 1)
    a.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func valueBeforeTheSubscriptionIsDropped() {
    let (a, b) = (Source(keepsSubscribers: true, sendsSubscriptions: false), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    #expect(a.send(1) == .none)
    #expect(recorder.log.isEmpty)
    a.subscription?.sendSubscription()
    a.send(2)
    #expect(recorder.log == ["2"])
  }

  @Test func secondCompletionOfOneIsIgnored() {
    let (a, b) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = a.merge(with: b).recorded()
    a.send(completion: .finished)
    a.send(completion: .finished)
    a.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    b.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Merge", isGuarded: false) { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }
      .merge(with: Empty())
    }
  }

  // MARK: Models and threads

  /// Well-behaved publishers, which send only what they were asked for, against two counters.
  @Test(arguments: 0..<40) func deliversAsMuchAsRequestedAndWhatIsBufferedInTheOrderOfTheInputs(_ seed: UInt64) {
    var random = Random(seed)
    let inputs = sources(Int.random(in: 2...4, using: &random))
    let recorder = Publishers.MergeMany(inputs).recorded(demand: .none)
    var (demand, expected) = (0, [Int]())
    // One value of each input at most.
    var buffered: [Int?] = inputs.map { _ in nil }
    var credit = inputs.map { _ in 0 }
    var seen = inputs.map { _ in 0 }
    for step in 0..<200 {
      if Bool.random(using: &random) {
        let more = Int.random(in: 1...3, using: &random)
        demand += more
        recorder.request(.max(more))
        while demand > 0, let index = buffered.firstIndex(where: { $0 != nil }), let value = buffered[index].take() {
          demand -= 1
          expected.append(value)
        }
      } else {
        let index = Int.random(in: 0..<inputs.count, using: &random)
        credit[index] += inputs[index].requests.dropFirst(seen[index]).reduce(0) { $0 + ($1.demand.max ?? 0) }
        seen[index] = inputs[index].requests.count
        guard credit[index] > 0 else { continue }
        credit[index] -= 1
        if demand > 0 {
          demand -= 1
          expected.append(step)
        } else {
          buffered[index] = step
        }
        inputs[index].send(step)
      }
      #expect(recorder.values == expected)
    }
    for input in inputs { input.send(completion: .finished) }
    let left = buffered.compactMap { $0 }
    #expect(recorder.isFinished == left.isEmpty)
    recorder.request(.max(100))
    #expect(recorder.values == expected + left)
    #expect(recorder.completions == 1)
  }

  @Test(arguments: [false, true]) func concurrentSendersLoseNothing(isLimited: Bool) {
    for _ in 0..<20 {
      let (count, senders) = (500, 4)
      let subjects = (0..<senders).map { _ in PassthroughSubject<Numbered, Never>() }
      // With limited demand a subject would drop, so what is sent is kept in front of the merge.
      let one: Subscribers.Demand = .max(1)
      let probe = SerialProbe<Numbered, Never>(demand: isLimited ? one : .unlimited, more: isLimited ? one : .none)
      Publishers.MergeMany(subjects.map { $0.buffer(size: count, prefetch: .byRequest, whenFull: .dropOldest) })
        .subscribe(probe)
      inParallel(senders) { sender in
        for number in 0..<count { subjects[sender].send(Numbered(sender: sender, number: number)) }
        subjects[sender].send(completion: .finished)
      }
      #expect(probe.wait())
      #expect(probe.violations == 0)
      #expect(probe.completions == 1)
      for sender in 0..<senders {
        #expect(probe.values.filter { $0.sender == sender }.map(\.number) == Array(0..<count))
      }
    }
  }

  @Test func otherThreadMaySendAndCancelDuringADelivery() {
    let (a, b) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let recorder = RecordingSubscriber<Int, TestError>()
    let sent = Shared<Latch?>(nil)
    recorder.onValue = { [unowned recorder] value in
      guard value == 1 else { return }
      sent.value = beginOnOtherThread { b.send(2) }
      #expect(recorder.log == ["1"])
      #expect(onOtherThread { recorder.cancel() })
    }
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    sent.value?.wait()
    a.send(3)
    #expect(recorder.log == ["1"])
  }

  @Test func failureWhileAnotherThreadDeliversEndsAfterThatValue() {
    let (a, b) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let recorder = RecordingSubscriber<Int, TestError>()
    let sent = Shared<Latch?>(nil)
    recorder.onValue = { [unowned recorder] _ in
      sent.value = beginOnOtherThread { b.send(completion: .failure(TestError())) }
      #expect(recorder.completions == 0)
    }
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    sent.value?.wait()
    #expect(recorder.log == ["1", "test error"])
  }
}
