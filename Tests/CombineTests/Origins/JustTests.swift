import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Just")
struct JustTests {
  @Test func deliversItsValueWithTheFirstRequestAndFinishes() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Just(7).subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Just"])
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func cancellationBeforeTheRequestDropsTheValue() {
    let lifetime = LifetimeCounter()
    let recorder = RecordingSubscriber<LifetimeCounter.Token, Never>(initialDemand: .none)
    Just(lifetime.make()).subscribe(recorder)
    #expect(lifetime.count == 1)
    recorder.cancel()
    #expect(lifetime.count == 0)
    recorder.request(.unlimited)
    #expect(recorder.log == [])
  }

  @Test func cancellationFromInsideTheValueSuppressesTheCompletion() {
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { _ in recorder.cancel() }
    Just(7).subscribe(recorder)
    #expect(recorder.log == ["7"])
  }

  @Test func aRequestFromInsideTheValueDoesNotRepeatIt() {
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { _ in recorder.request(.unlimited) }
    Just(7).subscribe(recorder)
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func theValueAndTheSubscriberAreReleasedAtTheEnd() {
    let lifetime = LifetimeCounter()
    var subscription: (any Subscription)?
    do {
      let token = lifetime.make()
      Just(lifetime.make()).subscribe(
        AnySubscriber(
          receiveSubscription: {
            subscription = $0
            $0.request(.unlimited)
          },
          receiveValue: { _ in
            token.touch()
            return .none
          }))
    }
    #expect(lifetime.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func requestsAndCancellationsOfSeveralThreadsDeliverAtMostOnce() {
    for _ in 0..<200 {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      Just(7).subscribe(recorder)
      inParallel(3) { thread in
        if thread == 0 { recorder.cancel() } else { recorder.request(.max(1)) }
      }
      #expect(recorder.values.count <= 1)
      #expect(recorder.completions <= recorder.values.count)
    }
  }

  @Test func aRequestForNothingTraps() async {
    await #expect(processExitsWith: .failure) {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      Just(1).subscribe(recorder)
      recorder.request(.none)
    }
  }

  @Test func equalValuesMakeEqualPublishers() {
    #expect(Just(1) == Just(1))
    #expect(Just(1) != Just(2))
  }
}
