import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CatchTests {
  private typealias Source = TestPublisher<Int, TestError>

  private struct OtherError: Error, Equatable {}

  @Test func failureIsFollowedByWhatTheClosureMakesOfIt() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.catch { [$0.name.count, 7].publisher }.recorded()
    source.send(1)
    source.send(completion: .failure(TestError("four")))
    #expect(recorder.log == ["1", "4", "7", "finished"])
    #expect(recorder.subscriptionNames == ["Catch"])
    #expect(source.cancellations.isEmpty)
  }

  @Test func finishPasses() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.catch { _ in Just(9) }.recorded(demand: .none)
    source.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func failureOfTheSecondPasses() {
    let second = TestPublisher<Int, OtherError>(keepsSubscribers: true)
    let recorder = Fail<Int, TestError>(error: TestError()).catch { _ in second }.recorded(demand: .none)
    second.send(completion: .failure(OtherError()))
    #expect(recorder.error == OtherError())
  }

  @Test func closureMayThrow() {
    let source = Source(keepsSubscribers: true)
    let caught = source.tryCatch { _ in Just(2).setFailureType(to: OtherError.self) }.recorded()
    source.send(completion: .failure(TestError()))
    #expect(caught.log == ["2", "finished"])
    #expect(caught.subscriptionNames == ["TryCatch"])

    let other = Source(keepsSubscribers: true)
    let thrown = other.tryCatch { error -> Just<Int> in throw TestError("not \(error)") }.recorded(demand: .none)
    other.send(completion: .failure(TestError()))
    other.send(completion: .failure(TestError()))
    #expect(thrown.log == ["not test error"])

    let finished = Source(keepsSubscribers: true)
    let passed = finished.tryCatch { _ in Just(2) }.recorded()
    finished.send(1)
    finished.send(completion: .finished)
    #expect(passed.log == ["1", "finished"])
  }

  @Test func typesAreSpelledAsUsersSpellThem() {
    let caught: Publishers.Catch<Fail<Int, TestError>, Just<Int>> =
      Fail(error: TestError()).catch { (_: TestError) in Just(1) }
    #expect(caught.handler(TestError()) == Just(1))
    let tried: Publishers.TryCatch<Fail<Int, TestError>, Just<Int>> =
      Fail(error: TestError()).tryCatch { (_: TestError) in Just(1) }
    #expect(tried.recorded().log == ["1", "finished"])
  }

  @Test func outstandingDemandGoesOver() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(
      initialDemand: .max(3), demandForEach: { $0 == 1 ? .max(1) : .none })
    first.catch { _ in second }.subscribe(recorder)
    #expect(first.send(1) == .max(1))
    recorder.request(.max(2))
    #expect(first.requests == [.max(3), .max(1), .max(2)])
    first.send(completion: .failure(TestError()))
    #expect(second.requests == [.max(5)])
    recorder.request(.max(1))
    #expect(second.requests == [.max(5), .max(1)])
  }

  @Test func valueDuringWhichTheFirstFailsStillAddsItsDemand() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    recorder.onValue = { if $0 == 1 { first.send(completion: .failure(TestError())) } }
    first.catch { _ in second }.subscribe(recorder)
    first.send(1)
    #expect(second.requested == .max(1))
  }

  @Test func valueOfTheSecondBeforeItsSubscriptionIsNotLost() {
    let second = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = Fail<Int, TestError>(error: TestError()).catch { _ in second }.recorded()
    second.send(1)
    second.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func cancellationReachesTheOneThatRuns() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.catch { _ in second }.recorded()
    first.send(completion: .failure(TestError()))
    recorder.cancel()
    second.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    #expect([first, second].map(\.cancellations.count) == [0, 1])
  }

  @Test func cancelInsideTheClosureCancelsTheSecond() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>()
    first.catch { [unowned recorder] _ in
      recorder.cancel()
      return second
    }
    .subscribe(recorder)
    first.send(completion: .failure(TestError()))
    #expect(second.subscriptions.count == second.cancellations.count)
    #expect(second.requests.isEmpty)
  }

  @Test func closureIsReleasedWithTheFirst() {
    let counter = LifetimeCounter()
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    func subscribe() -> RecordingSubscriber<Int, TestError> {
      let token = counter.make()
      return first.catch { _ in
        token.touch()
        return second
      }
      .recorded()
    }
    let recorder = subscribe()
    first.send(completion: .failure(TestError()))
    first.releaseSubscribers()
    #expect(counter.count == 0)
    second.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func firstIsNotHeardAfterItHasFailed() {
    let (first, second) = (Source(keepsSubscribers: true), Source(keepsSubscribers: true))
    let recorder = first.catch { _ in second }.recorded()
    first.send(completion: .failure(TestError()))
    first.send(1)
    first.send(completion: .finished)
    first.send(completion: .failure(TestError()))
    #expect(second.subscriptions.count == 1)
    #expect(recorder.log.isEmpty)
  }

  @Test func keepsTheRules() {
    // The rule that a failure passes is kept by a second publisher that fails in the same way.
    expectOperatorRules("Catch") { upstream, token in
      upstream.catch {
        token.touch()
        return Fail<Int, TestError>(error: $0)
      }
    }
    expectOperatorRules("TryCatch") { upstream, token in
      upstream.tryCatch { error -> Just<Int> in
        token.touch()
        throw error
      }
    }
  }

  @Test func otherThreadMayCallDuringTheClosure() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    source.catch { [unowned recorder] _ in
      #expect(onOtherThread { recorder.request(.max(1)) })
      return Just(1)
    }
    .subscribe(recorder)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "finished"])
  }
}
