import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Future")
struct FutureTests {
  typealias IntFuture = Future<Int, TestError>

  /// A future and its promise.
  static func pending() -> (IntFuture, @Sendable (Result<Int, TestError>) -> Void) {
    var promise: (@Sendable (Result<Int, TestError>) -> Void)?
    let future = IntFuture { promise = $0 }
    guard let promise else { preconditionFailure("a future calls its closure at once") }
    return (future, promise)
  }

  @Suite("Values")
  struct Values {
    @Test func runsItsClosureAtOnceAndOnce() {
      var runs = 0
      let future = IntFuture { promise in
        runs += 1
        promise(.success(1))
      }
      #expect(runs == 1)
      for _ in 0..<3 { future.subscribe(RecordingSubscriber<Int, TestError>()) }
      #expect(runs == 1)
    }

    @Test func aValueAlreadyThereIsDeliveredWithTheRequest() {
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      IntFuture { $0(.success(1)) }.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Future"])
      #expect(recorder.log == [])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "finished"])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func aFailureIsDeliveredWithoutDemand() {
      let early = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      IntFuture { $0(.failure(TestError())) }.subscribe(early)
      #expect(early.log == ["test error"])

      let (future, promise) = pending()
      let waiting = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      future.subscribe(waiting)
      promise(.failure(TestError()))
      #expect(waiting.log == ["test error"])
    }

    @Test func everySubscriberGetsTheResultInTheOrderOfSubscription() {
      let (future, promise) = pending()
      var order: [Int] = []
      let cancellables = (0..<3).map { number in
        future.sink { _ in
        } receiveValue: { _ in
          order.append(number)
        }
      }
      let idle = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      future.subscribe(idle)
      promise(.success(7))
      #expect(order == [0, 1, 2])
      #expect(idle.log == [])
      idle.request(.max(1))
      #expect(idle.log == ["7", "finished"])
      let late = RecordingSubscriber<Int, TestError>()
      future.subscribe(late)
      #expect(late.log == ["7", "finished"])
      withExtendedLifetime(cancellables) {}
    }

    @Test func onlyTheFirstPromiseCounts() {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>()
      future.subscribe(recorder)
      promise(.success(1))
      promise(.success(2))
      promise(.failure(TestError()))
      #expect(recorder.log == ["1", "finished"])
      let late = RecordingSubscriber<Int, TestError>()
      future.subscribe(late)
      #expect(late.log == ["1", "finished"])
    }

    @Test func aPromiseKeptFromInsideASubscriberIsIgnored() {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>()
      recorder.onValue = { _ in promise(.success(2)) }
      future.subscribe(recorder)
      promise(.success(1))
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func aSubscriberThatJoinsFromInsideTheDeliveryIsServed() {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>()
      let late = RecordingSubscriber<Int, TestError>()
      recorder.onValue = { _ in future.subscribe(late) }
      future.subscribe(recorder)
      promise(.success(1))
      #expect(late.log == ["1", "finished"])
    }

    @Test func aPromiseKeptInsideReceiveSubscriptionDoesNotOvertakeIt() {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      recorder.onSubscription = {
        $0.request(.unlimited)
        promise(.success(1))
      }
      future.subscribe(recorder)
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func aRequestInsideReceiveSubscriptionIsServedBeforeItReturns() {
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      var served: [String] = []
      recorder.onSubscription = { [unowned recorder] in
        $0.request(.max(1))
        served = recorder.log
        $0.cancel()
      }
      IntFuture { $0(.success(1)) }.subscribe(recorder)
      #expect(served == ["1", "finished"])
      #expect(recorder.log == served)
    }

    @Test(arguments: [Result<Int, TestError>.success(1), .failure(TestError("early"))])
    func aPromiseKeptInsideReceiveSubscriptionIsHeardAtOnce(_ result: Result<Int, TestError>) {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      var served: [String] = []
      recorder.onSubscription = { [unowned recorder] in
        $0.request(.max(1))
        promise(result)
        served = recorder.log
        $0.cancel()
      }
      future.subscribe(recorder)
      #expect(served == ((try? result.get()) == nil ? ["early"] : ["1", "finished"]))
      #expect(recorder.log == served)
    }

    @Test func aFailureAlreadyThereFollowsTheSubscription() {
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      var served: [String] = []
      recorder.onSubscription = { [unowned recorder] in
        $0.request(.max(1))
        served = recorder.log
      }
      IntFuture { $0(.failure(TestError("early"))) }.subscribe(recorder)
      #expect(served == [])
      #expect(recorder.log == ["early"])
    }
  }

  @Suite("Cancellation and lifetime")
  struct Lifetime {
    @Test func nothingFollowsACancellationBefore() {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>()
      future.subscribe(recorder)
      recorder.cancel()
      recorder.cancel()
      promise(.success(1))
      recorder.request(.max(1))
      #expect(recorder.log == [])
    }

    @Test func cancellingInsideTheSubscriptionOrTheValueIsInTime() {
      let (future, promise) = pending()
      let first = RecordingSubscriber<Int, TestError>()
      first.onSubscription = { $0.cancel() }
      future.subscribe(first)
      let second = RecordingSubscriber<Int, TestError>()
      second.onValue = { _ in second.cancel() }
      future.subscribe(second)
      promise(.success(1))
      #expect(first.log == [])
      #expect(second.log == ["1"])
    }

    @Test func cancellingAnotherSubscriberFromInsideTheDeliveryStopsIt() {
      let (future, promise) = pending()
      let first = RecordingSubscriber<Int, TestError>()
      let second = RecordingSubscriber<Int, TestError>()
      first.onValue = { _ in second.cancel() }
      future.subscribe(first)
      future.subscribe(second)
      promise(.success(1))
      #expect(second.log == [])
    }

    @Test func aSubscriptionThatIsKeptKeepsNothingElseAlive() {
      let lifetime = LifetimeCounter()
      typealias TokenFuture = Future<LifetimeCounter.Token, Never>
      var recorders: [RecordingSubscriber<Int, Never>] = []
      do {
        var promise: TokenFuture.Promise?
        let future = TokenFuture { promise = $0 }
        for _ in 0..<3 {
          let recorder = RecordingSubscriber<Int, Never>()
          let token = lifetime.make()
          future.map { _ in
            token.touch()
            return 1
          }.subscribe(recorder)
          recorders.append(recorder)
        }
        recorders[0].cancel()
        #expect(lifetime.count == 2)
        let last = recorders[2]
        // Cancelled when the value is on its way to it.
        recorders[1].onValue = { _ in last.cancel() }
        promise?(.success(lifetime.make()))
      }
      #expect(lifetime.count == 0)
      #expect(recorders.map(\.log) == [[], ["1", "finished"], []])
    }
  }

  @Suite("Threads")
  struct Threads {
    @Test func promiseRequestSubscriptionAndCancellationMayRace() {
      for _ in 0..<200 {
        let lifetime = LifetimeCounter()
        let (future, promise) = pending()
        let early = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        future.subscribe(early)
        let cancelled = RecordingSubscriber<Int, TestError>()
        do {
          let token = lifetime.make()
          future.map { value in
            token.touch()
            return value
          }.subscribe(cancelled)
        }
        let late = RecordingSubscriber<Int, TestError>()
        let box = UncheckedBox(future)
        inParallel(4) { thread in
          switch thread {
          case 0: promise(.success(1))
          case 1: early.request(.max(1))
          case 2: box.value.subscribe(late)
          default: cancelled.cancel()
          }
        }
        #expect(early.log == ["1", "finished"])
        #expect(late.log == ["1", "finished"])
        #expect([[], ["1"], ["1", "finished"]].contains(cancelled.log))
        #expect(lifetime.count == 0)
      }
    }

    @Test(arguments: [Result<Int, TestError>.success(1), .failure(TestError("early"))])
    func anotherThreadsPromiseWaitsForTheSubscription(_ result: Result<Int, TestError>) {
      let (future, promise) = pending()
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      var served: [String] = []
      recorder.onSubscription = { [unowned recorder] in
        $0.request(.max(1))
        _ = onOtherThread { promise(result) }
        served = recorder.log
      }
      future.subscribe(recorder)
      #expect(served == [])
      #expect(recorder.log == ((try? result.get()) == nil ? ["early"] : ["1", "finished"]))
    }

    @Test func anotherThreadsRequestWaitsForTheSubscription() {
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      var served: [String] = []
      recorder.onSubscription = { [unowned recorder] in
        let subscription = UncheckedBox($0)  // A subscription is made for several threads.
        _ = onOtherThread { subscription.value.request(.max(1)) }
        served = recorder.log
      }
      IntFuture { $0(.success(1)) }.subscribe(recorder)
      #expect(served == [])
      #expect(recorder.log == ["1", "finished"])
    }

    @Test func ofSeveralPromisesOneWinsForEverySubscriber() {
      for _ in 0..<100 {
        let (future, promise) = pending()
        let recorders = (0..<3).map { _ in RecordingSubscriber<Int, TestError>() }
        for recorder in recorders { future.subscribe(recorder) }
        inParallel(3) { promise(.success($0)) }
        #expect(Set(recorders.map(\.log)).count == 1)
        #expect(recorders[0].log.count == 2)
      }
    }
  }

  @Test func aThousandWaitingSubscribersCanLeave() {
    let (future, promise) = FutureTests.pending()
    var received = 0
    var cancellables = (0..<1_000).map { _ in
      future.sink { _ in
      } receiveValue: { _ in
        received += 1
      }
    }
    cancellables.removeAll()
    promise(.success(1))
    #expect(received == 0)
  }
}

private func pending() -> (FutureTests.IntFuture, @Sendable (Result<Int, TestError>) -> Void) {
  FutureTests.pending()
}
