import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ConcatenateTests {
  private typealias Source = TestPublisher<Int, TestError>

  // MARK: Values

  @Test func oneComesAfterTheOther() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded()
    first.send(1)
    #expect(second.subscriptions.isEmpty)
    first.send(completion: .finished)
    second.send(2)
    second.send(completion: .finished)
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(recorder.subscriptionNames == ["Concatenate"])
    #expect([first, second].map(\.cancellations.count) == [0, 0])
  }

  @Test func everySpellingConcatenates() {
    let source = (3...4).publisher.map { $0 }
    #expect(source.append(5, 6).recorded().values == [3, 4, 5, 6])
    #expect(source.append([5, 6]).recorded().values == [3, 4, 5, 6])
    #expect(source.append(5...6).recorded().values == [3, 4, 5, 6])
    #expect(source.append(Just(5)).recorded().values == [3, 4, 5])
    #expect(source.prepend(1, 2).recorded().values == [1, 2, 3, 4])
    #expect(source.prepend([1, 2]).recorded().values == [1, 2, 3, 4])
    #expect(source.prepend(1...2).recorded().values == [1, 2, 3, 4])
    #expect(source.prepend(Just(2)).recorded().values == [2, 3, 4])
    #expect(source.prepend(2).prepend(1).append(5).append(6).recorded().values == [1, 2, 3, 4, 5, 6])
    let typed: Publishers.Concatenate<Source, Publishers.Sequence<[Int], TestError>> = Source(keepsSubscribers: true)
      .append(1)
    #expect(typed.suffix.sequence == [1])
  }

  @Test func equatableWherePublishersAre() {
    #expect(Just(1).append(Just(2)) == Just(1).append(Just(2)))
    #expect(Just(1).append(Just(2)) != Just(1).prepend(Just(2)))
  }

  @Test func failureOfTheFirstKeepsTheSecondFromBeingSubscribed() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded(demand: .none)
    first.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    #expect(second.subscriptions.isEmpty)
  }

  @Test func failureOfTheSecondPasses() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded(demand: .none)
    first.send(completion: .finished)
    second.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  // MARK: Demand

  @Test func outstandingDemandGoesOver() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(3), demandForEach: { $0 == 1 ? .max(2) : .none })
    first.append(second).subscribe(recorder)
    #expect(first.requests == [.max(3)])
    #expect(first.send(1) == .max(2))
    #expect(first.send(2) == .none)
    recorder.request(.max(4))
    #expect(first.requests == [.max(3), .max(2), .max(4)])
    first.send(completion: .finished)
    #expect(second.requests == [.max(7)])
    recorder.request(.max(1))
    #expect(second.requests == [.max(7), .max(1)])
    #expect(second.send(3) == .none)
  }

  @Test func noDemandAsksForNothing() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded(demand: .max(1))
    first.send(1)
    first.send(completion: .finished)
    #expect(second.subscriptions.count == 1)
    #expect(second.requests.isEmpty)
    recorder.request(.max(2))
    #expect(second.requests == [.max(2)])
  }

  @Test func unlimitedDemandStaysUnlimited() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded()
    recorder.request(.max(1))
    for value in 0..<10 { first.send(value) }
    first.send(completion: .finished)
    #expect(second.requests == [.unlimited])
  }

  @Test func joinedPublishersPassWhatIsRequestedAndNoMore() {
    let joined = (0..<10).publisher.merge(with: (10..<20).publisher)
    let streams = [
      Empty().append(joined).eraseToAnyPublisher(), joined.append(99).eraseToAnyPublisher(),
      joined.append(joined).eraseToAnyPublisher(), joined.prepend([]).eraseToAnyPublisher(),
      Just(99).prepend(joined).eraseToAnyPublisher(),
    ]
    for stream in streams {
      let recorder = stream.recorded(demand: .max(3))
      #expect(recorder.values.count == 3)
      recorder.request(.max(2))
      #expect(recorder.values.count == 5)
    }
    let short = (0..<2).publisher.append(joined).recorded(demand: .max(3))
    #expect(short.values == [0, 1, 0])
  }

  @Test(arguments: [true, false]) func joinedPublishersThatSendMorePassWhatIsRequested(isFirst: Bool) {
    let (one, two, other) = (
      Source(keepsSubscribers: true), Source(keepsSubscribers: true), Source(keepsSubscribers: true)
    )
    let joined = one.merge(with: two)
    let recorder = (isFirst ? joined.append(other).eraseToAnyPublisher() : joined.prepend(other).eraseToAnyPublisher())
      .recorded(demand: .max(3))
    if !isFirst { other.send(completion: .finished) }
    for value in 0..<5 {
      one.send(value)
      two.send(value + 10)
    }
    #expect(recorder.values == [0, 10, 1])
    recorder.request(.max(2))
    #expect(recorder.values.count == 5)
  }

  @Test func demandWhileTheSecondHasYetToSubscribeIsKept() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true, sendsSubscriptions: false))
    let recorder = first.append(second).recorded(demand: .none)
    first.send(completion: .finished)
    recorder.request(.max(1))
    recorder.request(.max(2))
    second.subscription?.sendSubscription()
    #expect(second.requests == [.max(3)])
  }

  @Test func valueDuringWhichTheFirstFinishesStillAddsItsDemand() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(2) })
    recorder.onValue = { if $0 == 1 { first.send(completion: .finished) } }
    first.append(second).subscribe(recorder)
    first.send(1)
    #expect(second.requested == .max(2))
    second.send(2)
    #expect(recorder.log == ["1", "2"])
  }

  @Test(arguments: 0..<40) func chainsAgreeWithArrays(_ seed: UInt64) {
    var random = Random(seed)
    var publisher = [Int]().publisher.eraseToAnyPublisher()
    var expected: [Int] = []
    for step in 0..<12 {
      let part = (0..<Int.random(in: 0...3, using: &random)).map { step * 10 + $0 }
      if Bool.random(using: &random) {
        publisher = publisher.append(part).eraseToAnyPublisher()
        expected += part
      } else {
        publisher = publisher.prepend(part).eraseToAnyPublisher()
        expected = part + expected
      }
    }
    #expect(publisher.recorded().values == expected)
    let slow = publisher.recorded(demand: .none)
    var requested = 0
    while slow.completions == 0, requested <= expected.count {
      let more = Int.random(in: 1...3, using: &random)
      requested += more
      slow.request(.max(more))
      #expect(slow.values == Array(expected.prefix(requested)))
    }
    #expect(slow.completions == 1)
    let additive = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    publisher.subscribe(additive)
    #expect(additive.values == expected)
  }

  // MARK: Cancellation, lifetime, misuse

  @Test func cancellationReachesTheOneThatRuns() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let early = first.append(second).recorded()
    early.cancel()
    first.send(completion: .finished)
    #expect(first.cancellations.count == 1)
    #expect(second.subscriptions.isEmpty)

    let (third, fourth) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let late = third.append(fourth).recorded()
    third.send(completion: .finished)
    late.cancel()
    late.cancel()
    fourth.send(1)
    #expect([third, fourth].map(\.cancellations.count) == [0, 1])
    #expect(early.log + late.log == [])
  }

  @Test func secondIsNotHeardBeforeItsSubscription() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true, sendsSubscriptions: false))
    let recorder = first.append(second).recorded(demand: .max(1))
    first.send(completion: .finished)
    #expect(second.send(1) == .none)
    second.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    second.subscription?.sendSubscription()
    #expect(second.requests == [.max(1)])
    second.send(2)
    second.send(completion: .finished)
    #expect(recorder.log == ["2", "finished"])
  }

  @Test func secondThatSubscribesAfterCancellationIsCancelled() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true, sendsSubscriptions: false))
    let recorder = first.append(second).recorded()
    first.send(completion: .finished)
    recorder.cancel()
    second.subscription?.sendSubscription()
    #expect(second.cancellations.count == 1)
    #expect(second.requests.isEmpty)
  }

  @Test func secondSubscriptionsAreCancelled() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded()
    first.subscription?.sendSubscription()
    #expect(first.cancellations.count == 1)
    first.send(completion: .finished)
    first.subscription?.sendSubscription()
    #expect(first.cancellations.count == 2)
    second.subscription?.sendSubscription()
    #expect(second.cancellations.count == 1)
    second.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func firstIsNotHeardAfterItHasFinished() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.append(second).recorded()
    first.send(completion: .finished)
    #expect(first.send(1) == .none)
    first.send(completion: .finished)
    first.send(completion: .failure(TestError()))
    #expect(second.subscriptions.count == 1)
    #expect(recorder.log.isEmpty)
  }

  @Test func everythingIsReleasedWithTheSecond() {
    let counter = LifetimeCounter()
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let subscription = first.append(second).subscription(holding: counter.make())
    first.send(completion: .finished)
    first.releaseSubscribers()
    second.send(completion: .finished)
    second.releaseSubscribers()
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Concatenate") { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }
      .append(7, 8)
    }
  }

  @Test func otherThreadMayCallDuringADelivery() {
    let (first, second) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    recorder.onValue = { [unowned recorder] value in
      #expect(onOtherThread { value == 1 ? recorder.request(.max(1)) : recorder.cancel() })
    }
    first.append(second).subscribe(recorder)
    first.send(1)
    first.send(completion: .finished)
    second.send(2)
    second.send(3)
    #expect(recorder.log == ["1", "2"])
  }
}
