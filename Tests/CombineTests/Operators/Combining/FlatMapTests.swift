import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("FlatMap")
struct FlatMapTests {
  @Suite("Values")
  struct Values {
    @Test func demandReturnedForAValueServesWhatWasSentInsideIt() {
      let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
      recorder.onValue = { if $0 == 1 { b.send(2) } }
      [a, b].publisher.flatMap { $0 }.subscribe(recorder)
      a.send(1)
      #expect(recorder.log == ["1", "2"])
      b.send(3)
      #expect(recorder.log == ["1", "2", "3"])
    }

    /// A `Just` takes another way than other publishers.
    @Test(arguments: [Subscribers.Demand.unlimited, .none])
    func theValueOfAClosureThatFinishesUpstreamComesFirst(demand: Subscribers.Demand) {
      func log<P: Publisher<Int, Never>>(_ wrap: @escaping (Just<Int>) -> P) -> [String] {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = subject.flatMap { value in
          if value < 3 { subject.send(value + 1) } else { subject.send(completion: .finished) }
          return wrap(Just(value))
        }.recorded(demand: demand)
        subject.send(1)
        recorder.request(.unlimited)
        return recorder.log
      }
      #expect(log { $0 } == ["3", "2", "1", "finished"])
      #expect(log { $0.eraseToAnyPublisher() } == ["3", "2", "1", "finished"])
    }

    @Test func deliversTheValuesOfEveryPublisherMade() {
      let recorder = RecordingSubscriber<Int, Never>()
      [1, 2, 3].publisher.flatMap { [$0, $0 * 10].publisher }.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["FlatMap"])
      #expect(recorder.log == ["1", "10", "2", "20", "3", "30", "finished"])
    }

    @Test func interleavesPublishersAsTheirValuesCome() {
      let outer = PassthroughSubject<Int, Never>()
      let inners = [PassthroughSubject<String, Never>(), PassthroughSubject()]
      let recorder = RecordingSubscriber<String, Never>()
      outer.flatMap { inners[$0] }.subscribe(recorder)
      outer.send(0)
      outer.send(1)
      inners[1].send("b")
      inners[0].send("a")
      inners[0].send(completion: .finished)
      outer.send(completion: .finished)
      inners[1].send("c")
      #expect(recorder.log == ["b", "a", "c"])
      inners[1].send(completion: .finished)
      #expect(recorder.log == ["b", "a", "c", "finished"])
    }

    @Test func finishesWithUpstreamWhenNothingIsRunning() {
      let outer = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      outer.flatMap { Just($0) }.subscribe(recorder)
      outer.send(1)
      outer.send(completion: .finished)
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func aFailureOfAPublisherMadeCancelsEverythingElse() {
      let outer = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let inners = [TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher(keepsSubscribers: true)]
      let recorder = RecordingSubscriber<Int, TestError>()
      outer.flatMap { inners[$0] }.subscribe(recorder)
      outer.send(0)
      outer.send(1)
      inners[0].send(5)
      inners[0].send(completion: .failure(TestError()))
      #expect(recorder.log == ["5", "test error"])
      #expect(outer.cancellations.count == 1)
      #expect(inners.map(\.cancellations.count) == [0, 1])
      inners[1].send(6)
      outer.send(0)
      outer.send(completion: .finished)
      #expect(recorder.log == ["5", "test error"])
      #expect(inners[0].subscriptions.count == 1)
    }

    @Test func aFailureOfUpstreamCancelsThePublishersMade() {
      let outer = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let inner = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>()
      outer.flatMap { _ in inner }.subscribe(recorder)
      outer.send(0)
      outer.send(completion: .failure(TestError()))
      #expect(recorder.log == ["test error"])
      #expect(inner.cancellations.count == 1)
      #expect(outer.cancellations.isEmpty)
    }

    @Test func aFailureDoesNotWaitForDemand() {
      let outer = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let inner = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      outer.flatMap { _ in inner }.subscribe(recorder)
      outer.send(0)
      inner.send(1)
      inner.send(completion: .failure(TestError()))
      #expect(recorder.log == ["test error"])
    }

    @Test func everyFormForFailuresCompiles() {
      let never = [1].publisher
      let failing = never.setFailureType(to: TestError.self)
      let recorders = (0..<3).map { _ in RecordingSubscriber<Int, TestError>() }
      never.flatMap { Fail<Int, TestError>(error: TestError("\($0)")) }.subscribe(recorders[0])
      failing.flatMap { Just($0) }.subscribe(recorders[1])
      failing.flatMap { Fail<Int, TestError>(error: TestError("\($0)")) }.subscribe(recorders[2])
      #expect(recorders.map(\.log) == [["1"], ["1", "finished"], ["1"]])
    }
  }

  @Suite("Demand")
  struct DemandTests {
    @Test func upstreamIsAskedForAsManyAsMayRun() {
      for (limit, expected) in [(Subscribers.Demand.unlimited, Subscribers.Demand.unlimited), (.max(3), .max(3))] {
        let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        outer.flatMap(maxPublishers: limit) { Just($0) }.subscribe(recorder)
        #expect(outer.requests.map(\.demand) == [expected])
      }
    }

    @Test func anotherIsAskedForWhenOneFinishes() {
      let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
      let inners = [TestPublisher<Int, Never>(keepsSubscribers: true), TestPublisher(keepsSubscribers: true)]
      let recorder = RecordingSubscriber<Int, Never>()
      outer.flatMap(maxPublishers: .max(2)) { inners[$0] }.subscribe(recorder)
      #expect(outer.send(0) == .none)
      outer.send(1)
      #expect(outer.requests == [.max(2)])
      inners[0].send(completion: .finished)
      #expect(outer.requests == [.max(2), .max(1)])
    }

    @Test func aPublisherMadeIsAskedForEverythingOnUnlimitedDemand() {
      let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
      let inner = TestPublisher<Int, Never>(keepsSubscribers: true)
      outer.flatMap { _ in inner }.subscribe(RecordingSubscriber<Int, Never>())
      outer.send(0)
      #expect(inner.requests == [.unlimited])
      #expect(inner.send(1) == .none)
      #expect(inner.requests == [.unlimited])
    }

    @Test func aPublisherMadeIsAskedForOneAtATimeOnLimitedDemand() {
      let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
      let inner = TestPublisher<Int, Never>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
      outer.flatMap { _ in inner }.subscribe(recorder)
      outer.send(0)
      #expect(inner.requests == [.max(1)])
      #expect(inner.send(1) == .max(1))
      #expect(inner.send(2) == .max(1))
      // Nobody has asked for this one: it waits, and no other is asked for.
      #expect(inner.send(3) == .none)
      #expect(inner.requests == [.max(1), .max(1), .max(1)])
      #expect(recorder.values == [1, 2])
      recorder.request(.max(1))
      #expect(recorder.values == [1, 2, 3])
      #expect(inner.requests == [.max(1), .max(1), .max(1), .max(1)])
    }

    @Test func demandThatBecomesUnlimitedReachesThePublishersThatRun() {
      let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
      let inner = TestPublisher<Int, Never>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      outer.flatMap { _ in inner }.subscribe(recorder)
      outer.send(0)
      recorder.request(.unlimited)
      #expect(inner.requests == [.max(1), .unlimited])
      #expect(inner.send(1) == .none)
      #expect(recorder.values == [1])
    }

    @Test func noMoreIsDeliveredThanAskedForAndNothingIsLost() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      (0..<5).publisher.flatMap { number in (0..<4).publisher.map { number * 10 + $0 } }.subscribe(recorder)
      for count in 1...20 {
        recorder.request(.max(1))
        #expect(recorder.values.count == count)
      }
      #expect(Set(recorder.values).count == 20)
      #expect(recorder.isFinished)
      for number in 0..<5 {
        #expect(recorder.values.filter { $0 / 10 == number } == (0..<4).map { number * 10 + $0 })
      }
    }

    @Test func theCompletionWaitsForTheValuesThatWait() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      [1, 2].publisher.flatMap { Just($0) }.subscribe(recorder)
      #expect(recorder.log == [])
      recorder.request(.max(1))
      #expect(recorder.log == ["1"])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "2", "finished"])
    }

    @Test func oneAtATimeKeepsTheOrderOfUpstream() {
      let recorder = RecordingSubscriber<Int, Never>()
      (0..<100).publisher.flatMap(maxPublishers: .max(1)) { [$0, -$0].publisher }.subscribe(recorder)
      #expect(recorder.values == (0..<100).flatMap { [$0, -$0] })
      #expect(recorder.isFinished)
    }

    @Test func aHundredThousandPublishersOneAtATimeDoNotGrowTheStack() {
      var sum = 0
      let cancellable = (0..<100_000).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.sink { sum += $0 }
      #expect(sum == 100_000 * 99_999 / 2)
      withExtendedLifetime(cancellable) {}
    }

    @Test func requestsOfOneFromInsideReceiveDoNotGrowTheStack() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      recorder.onValue = { _ in recorder.request(.max(1)) }
      (0..<100).publisher.flatMap(maxPublishers: .max(1)) { _ in (0..<100).publisher }.subscribe(recorder)
      #expect(recorder.values.count == 10_000)
      #expect(recorder.isFinished)
    }

    @Test func aRequestForNothingTraps() async {
      await #expect(processExitsWith: .failure) {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        [1].publisher.flatMap { Just($0) }.subscribe(recorder)
        recorder.request(.none)
      }
    }
  }

  @Suite("Reentrancy")
  struct Reentrancy {
    @Test func aValueSentFromInsideADeliveryIsDeliveredThere() {
      let outer = PassthroughSubject<Int, Never>()
      let inners = [PassthroughSubject<Int, Never>(), PassthroughSubject()]
      let recorder = RecordingSubscriber<Int, Never>()
      var depth = 0
      recorder.onValue = {
        depth += 1
        #expect(depth == $0)
        if $0 == 1 { inners[1].send(2) }
        depth -= 1
      }
      outer.flatMap { inners[$0] }.subscribe(recorder)
      outer.send(0)
      outer.send(1)
      inners[0].send(1)
      #expect(recorder.values == [1, 2])
    }

    @Test func upstreamMaySendFromInsideADelivery() {
      let outer = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { if $0 < 3 { outer.send($0 + 1) } }
      outer.flatMap { Just($0) }.subscribe(recorder)
      outer.send(1)
      outer.send(completion: .finished)
      #expect(recorder.log == ["1", "2", "3", "finished"])
    }

    @Test func theClosureMayEndTheStream() {
      let outer = PassthroughSubject<Int, Never>()
      let inner = TestPublisher<Int, Never>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, Never>()
      outer.flatMap { _ in
        recorder.cancel()
        return inner
      }.subscribe(recorder)
      outer.send(1)
      #expect(inner.cancellations.count == 1)
      inner.send(1)
      #expect(recorder.log == [])
    }
  }

  @Suite("Cancellation and lifetime")
  struct Lifetime {
    @Test func cancellationReachesUpstreamAndEveryPublisherMade() {
      let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
      let inners = [TestPublisher<Int, Never>(keepsSubscribers: true), TestPublisher(keepsSubscribers: true)]
      let recorder = RecordingSubscriber<Int, Never>()
      outer.flatMap { inners[$0] }.subscribe(recorder)
      outer.send(0)
      outer.send(1)
      recorder.cancel()
      recorder.cancel()
      #expect(outer.cancellations.count == 1)
      #expect(inners.map(\.cancellations.count) == [1, 1])
      inners[0].send(1)
      outer.send(0)
      #expect(recorder.log == [])
    }

    @Test func cancellationInsideReceiveSubscriptionAsksForNothing() {
      let outer = TestPublisher<Int, Never>(keepsSubscribers: true)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      recorder.onSubscription = { $0.cancel() }
      outer.flatMap { Just($0) }.subscribe(recorder)
      #expect(outer.cancellations.count == 1)
      #expect(outer.requests == [])
    }

    @Test func cancellationFromInsideAValueDropsTheRest() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      recorder.onValue = { if $0 == 2 { recorder.cancel() } }
      [1, 2, 3].publisher.flatMap { Just($0) }.subscribe(recorder)
      recorder.request(.unlimited)
      #expect(recorder.log == ["1", "2"])
    }

    @Test(arguments: ["completion", "failure", "cancellation", "cancellation while values wait"])
    func aSubscriptionThatIsKeptKeepsNothingElseAlive(ending: String) {
      let lifetime = LifetimeCounter()
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
      let outer = PassthroughSubject<Int, TestError>()
      let inner = PassthroughSubject<LifetimeCounter.Token, TestError>()
      do {
        let (first, second) = (lifetime.make(), lifetime.make())
        outer.flatMap { _ in
          first.touch()
          return inner
        }.map { _ in
          second.touch()
          return 1
        }.subscribe(recorder)
      }
      outer.send(0)
      inner.send(lifetime.make())
      #expect(lifetime.count == 2)
      switch ending {
      case "completion":
        inner.send(completion: .finished)
        outer.send(completion: .finished)
      case "failure":
        inner.send(completion: .failure(TestError()))
      case "cancellation":
        recorder.cancel()
      default:
        inner.send(lifetime.make())
        recorder.cancel()
      }
      #expect(lifetime.count == 0)
      withExtendedLifetime((recorder.subscription, outer, inner)) {}
    }
  }

  @Suite("Threads")
  struct Threads {
    @Test func publishersOnSeveralThreadsAreMergedWithoutLossAndInTheirOrder() {
      for round in 0..<30 {
        let inners = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: round % 2 == 0 ? .unlimited : .max(1)) { _ in
          .max(1)
        }
        inners.publisher.flatMap { $0.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest) }
          .subscribe(recorder)
        inParallel(3) { thread in
          for number in 0..<200 { inners[thread].send(thread * 1_000 + number) }
          inners[thread].send(completion: .finished)
        }
        #expect(recorder.values.count == 600)
        #expect(recorder.completions == 1)
        for thread in 0..<3 {
          #expect(recorder.values.filter { $0 / 1_000 == thread } == (0..<200).map { thread * 1_000 + $0 })
        }
      }
    }

    @Test func valuesRequestsAndCancellationMayRace() {
      for _ in 0..<100 {
        let lifetime = LifetimeCounter()
        let outer = PassthroughSubject<Int, Never>()
        let inner = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(3))
        do {
          let token = lifetime.make()
          outer.flatMap { _ in
            token.touch()
            return inner
          }.subscribe(recorder)
        }
        outer.send(0)
        inParallel(4) { thread in
          for number in 0..<20 {
            switch thread {
            case 0: inner.send(number)
            case 1: outer.send(number)
            case 2: recorder.request(.max(1))
            default: if number == 10 { recorder.cancel() }
            }
          }
        }
        #expect(recorder.values.count <= 23)
        #expect(lifetime.count == 0)
      }
    }
  }

  @Test func anInfiniteUpstreamIsNotDrainedForASubscriberThatAskedForOne() {
    var drawn = 0
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    let upstream = sequence(first: 0) { $0 < 10_000 ? $0 + 1 : nil }
    upstream.publisher.flatMap(maxPublishers: .max(1)) { number in
      drawn += 1
      return Just(number)
    }.subscribe(recorder)
    #expect(recorder.values == [0])
    #expect(drawn <= 3)
    recorder.request(.max(2))
    #expect(recorder.values == [0, 1, 2])
  }
}
