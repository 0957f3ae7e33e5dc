import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("PassthroughSubject")
struct PassthroughSubjectTests {
  @Suite("Values")
  struct Values {
    @Test func everySubscriberGetsWhatIsSentAfterItSubscribed() {
      let subject = PassthroughSubject<Int, Never>()
      subject.send(0)
      let first = RecordingSubscriber<Int, Never>()
      subject.subscribe(first)
      subject.send(1)
      let second = RecordingSubscriber<Int, Never>()
      subject.subscribe(second)
      subject.send(2)
      #expect(first.values == [1, 2])
      #expect(second.values == [2])
    }

    @Test func subscribersAreServedInTheOrderInWhichTheySubscribed() {
      let subject = PassthroughSubject<Void, Never>()
      var order: [Int] = []
      var cancellables = (0..<100).map { number in subject.sink { order.append(number) } }
      subject.send()
      #expect(order == Array(0..<100))

      // Gaps left by those who went do not change the order of those who stay, nor of those who come.
      order = []
      cancellables = cancellables.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
      cancellables.append(subject.sink { order.append(100) })
      subject.send()
      #expect(order == (0...100).filter { $0 % 3 == 0 || $0 == 100 })
      withExtendedLifetime(cancellables) {}
    }

    @Test func theCompletionReachesEverySubscriberWithoutDemand() {
      let subject = PassthroughSubject<Int, TestError>()
      let recorders = [RecordingSubscriber<Int, TestError>(), RecordingSubscriber(initialDemand: .none)]
      for recorder in recorders { subject.subscribe(recorder) }
      subject.send(completion: .failure(TestError()))
      #expect(recorders.allSatisfy { $0.log == ["test error"] })
    }

    @Test func nothingFollowsTheCompletion() {
      let subject = PassthroughSubject<Int, TestError>()
      let recorder = RecordingSubscriber<Int, TestError>()
      subject.subscribe(recorder)
      subject.send(completion: .finished)
      subject.send(1)
      subject.send(completion: .failure(TestError()))
      #expect(recorder.log == ["finished"])
    }

    @Test func aSubscriberThatComesAfterTheCompletionGetsIt() {
      let subject = PassthroughSubject<Int, TestError>()
      subject.send(completion: .failure(TestError("late")))
      let recorder = RecordingSubscriber<Int, TestError>()
      subject.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Empty"])
      #expect(recorder.log == ["late"])
    }

    @Test func eachSubscriberGetsOneCompletionWhicheverThreadsSendOne() {
      for _ in 0..<100 {
        let subject = PassthroughSubject<Int, TestError>()
        let recorders = (0..<3).map { _ in RecordingSubscriber<Int, TestError>() }
        for recorder in recorders { subject.subscribe(recorder) }
        inParallel(3) { thread in
          subject.send(thread)
          subject.send(completion: thread == 0 ? .finished : .failure(TestError("\(thread)")))
          subject.send(100)
        }
        #expect(recorders.allSatisfy { $0.completions == 1 && !$0.values.contains(100) })
        #expect(Set(recorders.map { $0.log.last }).count == 1)
      }
    }
  }

  @Suite("Demand")
  struct DemandTests {
    @Test func whatIsSentWithoutDemandIsDropped() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      subject.subscribe(recorder)
      subject.send(1)
      recorder.request(.max(2))
      for value in 2...4 { subject.send(value) }
      recorder.request(.max(1))
      subject.send(5)
      subject.send(6)
      #expect(recorder.values == [2, 3, 5])
    }

    @Test func demandReturnedFromReceiveIsAdded() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { $0 == 1 ? .max(2) : .none }
      subject.subscribe(recorder)
      for value in 1...5 { subject.send(value) }
      #expect(recorder.values == [1, 2, 3])
    }

    @Test func unlimitedStaysUnlimitedWhateverIsAdded() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .unlimited) { _ in .max(1) }
      subject.subscribe(recorder)
      recorder.request(.max(1))
      recorder.request(.unlimited)
      for value in 1...5 { subject.send(value) }
      #expect(recorder.values == [1, 2, 3, 4, 5])
    }

    @Test func aDemandTooLargeToCountIsUnlimited() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(.max)) { _ in .max(.max) }
      subject.subscribe(recorder)
      recorder.request(.max(.max))
      for value in 1...3 { subject.send(value) }
      #expect(recorder.values == [1, 2, 3])
    }

    @Test func aRequestFromInsideReceiveCountsForTheNextValue() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      recorder.onValue = { if $0 < 3 { recorder.request(.max(1)) } }
      subject.subscribe(recorder)
      for value in 1...5 { subject.send(value) }
      #expect(recorder.values == [1, 2, 3])
    }

    @Test func aNestedSendFindsTheDemandThatIsLeft() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
      recorder.onValue = { subject.send($0 + 1) }
      subject.subscribe(recorder)
      subject.send(1)
      #expect(recorder.values == [1, 2])
    }

    @Test func whetherAValueFindsDemandIsDecidedWhenItHasItsTurn() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      let busy = BusyThread()
      recorder.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(recorder)
      busy.start { subject.send(1) }
      let sent = beginOnOtherThread { subject.send(2) }
      recorder.request(.max(1))
      busy.release()
      sent.wait()
      #expect(recorder.values == [1, 2])
    }

    @Test func noMoreIsDeliveredThanRequestedWhenThreadsRequestAndSend() {
      for _ in 0..<50 {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        subject.subscribe(recorder)
        inParallel(4) { thread in
          for number in 0..<100 {
            if thread < 2 { subject.send(number) } else { recorder.request(.max(1)) }
          }
        }
        let delivered = recorder.values.count
        #expect(delivered <= 200)
        for number in 0..<300 { subject.send(number) }
        // Nothing that was asked for was forgotten either.
        #expect(recorder.values.count == 200)
      }
    }

    @Test func aRequestForNothingTraps() async {
      await #expect(processExitsWith: .failure) {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        PassthroughSubject<Int, Never>().subscribe(recorder)
        recorder.request(.none)
      }
    }
  }

  @Suite("Cancellation and lifetime")
  struct Lifetime {
    @Test func nothingFollowsCancellation() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      subject.subscribe(recorder)
      subject.send(1)
      recorder.cancel()
      recorder.cancel()
      recorder.request(.max(1))
      subject.send(2)
      subject.send(completion: .finished)
      #expect(recorder.log == ["1"])
    }

    @Test func cancellingFromInsideReceiveStopsAtOnce() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { _ in
        recorder.cancel()
        subject.send(2)
      }
      subject.subscribe(recorder)
      subject.send(1)
      subject.send(completion: .finished)
      #expect(recorder.log == ["1"])
    }

    @Test func cancellingInsideReceiveSubscriptionIsInTime() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onSubscription = { $0.cancel() }
      subject.subscribe(recorder)
      subject.send(1)
      #expect(recorder.log == [])
    }

    @Test func anotherSubscriberCancelledFromInsideReceiveDoesNotGetTheValue() {
      let subject = PassthroughSubject<Int, Never>()
      let first = RecordingSubscriber<Int, Never>()
      let second = RecordingSubscriber<Int, Never>()
      let third = RecordingSubscriber<Int, Never>()
      second.onValue = { _ in
        first.cancel()
        third.cancel()
      }
      for recorder in [first, second, third] { subject.subscribe(recorder) }
      subject.send(1)
      subject.send(2)
      #expect(first.values == [1])
      #expect(second.values == [1, 2])
      #expect(third.values == [])
    }

    @Test func aSubscriberCancelledByAnotherThreadDuringADeliveryGetsNothingMore() {
      let subject = PassthroughSubject<Int, Never>()
      let first = RecordingSubscriber<Int, Never>()
      let second = RecordingSubscriber<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      subject.subscribe(second)
      busy.start { subject.send(1) }
      let sent = beginOnOtherThread { subject.send(2) }
      second.cancel()
      busy.release()
      sent.wait()
      #expect(first.values == [1, 2])
      #expect(second.values == [])
    }

    @Test func tenThousandSubscribersComeAndGo() {
      let subject = PassthroughSubject<Int, Never>()
      let lifetime = LifetimeCounter()
      var received = 0
      var cancellables: [AnyCancellable] = []
      for _ in 0..<10_000 {
        let token = lifetime.make()
        cancellables.append(
          subject.sink { _ in
            token.touch()
            received += 1
          })
      }
      subject.send(1)
      #expect(received == 10_000)
      for index in stride(from: 0, to: 10_000, by: 2) { cancellables[index].cancel() }
      subject.send(2)
      #expect(received == 15_000)
      cancellables = []
      #expect(lifetime.count == 0)
      subject.send(3)
      #expect(received == 15_000)
    }

    @Test func everySubscriberMayCancelEveryOtherDuringADelivery() {
      let subject = PassthroughSubject<Int, Never>()
      let lifetime = LifetimeCounter()
      var received = 0
      var cancellables: [AnyCancellable] = []
      for _ in 0..<1_000 {
        let token = lifetime.make()
        cancellables.append(
          subject.sink { _ in
            token.touch()
            received += 1
            for cancellable in cancellables { cancellable.cancel() }
          })
      }
      subject.send(1)
      #expect(received == 1)
      #expect(lifetime.count == 0)
    }

    @Test func subscribersThatComeAndGoOnSeveralThreadsLeaveNothingBehind() {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<Int, Never>()
      inParallel(4) { thread in
        for number in 0..<300 {
          let token = lifetime.make()
          let cancellable = subject.sink { _ in token.touch() }
          subject.send(number)
          if number % 2 == thread % 2 { cancellable.cancel() }
        }
      }
      #expect(lifetime.count == 0)
    }

    @Test func completionReleasesTheClosuresOfASinkWhoseCancellableIsKept() {
      let subject = PassthroughSubject<Int, Never>()
      let lifetime = LifetimeCounter()
      let cancellable = {
        let token = lifetime.make()
        return subject.sink { _ in token.touch() }
      }()
      #expect(lifetime.count == 1)
      subject.send(completion: .finished)
      #expect(lifetime.count == 0)
      withExtendedLifetime(cancellable) {}
    }

    @Test func nothingIsKeptAliveAfterCompletion() {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<LifetimeCounter.Token, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      do {
        let token = lifetime.make()
        subject.map { _ in
          token.touch()
          return 1
        }.subscribe(recorder)
      }
      subject.send(lifetime.make())
      #expect(lifetime.count == 1)
      subject.send(completion: .finished)
      #expect(lifetime.count == 0)
      withExtendedLifetime(recorder.subscription) {}
    }

    @Test func nothingIsKeptAliveAfterCancellation() {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<LifetimeCounter.Token, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      do {
        let token = lifetime.make()
        subject.map { _ in
          token.touch()
          return 1
        }.subscribe(recorder)
      }
      #expect(lifetime.count == 1)
      recorder.cancel()
      #expect(lifetime.count == 0)
      withExtendedLifetime(recorder.subscription) {}
    }

    @Test func aSubscriberKeepsTheSubjectAliveUntilTheEnd() {
      weak var weakSubject: PassthroughSubject<Int, Never>?
      let recorder = RecordingSubscriber<Int, Never>()
      do {
        let subject = PassthroughSubject<Int, Never>()
        weakSubject = subject
        subject.subscribe(recorder)
      }
      #expect(weakSubject != nil)
      recorder.cancel()
      #expect(weakSubject == nil)

      let completed = RecordingSubscriber<Int, Never>()
      do {
        let subject = PassthroughSubject<Int, Never>()
        weakSubject = subject
        subject.subscribe(completed)
        subject.send(completion: .finished)
      }
      #expect(weakSubject == nil)
      withExtendedLifetime(completed.subscription) {}
    }

    @Test func releasingTheSubjectFromInsideADeliveryIsSafe() {
      final class Owner {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        var cancellable: AnyCancellable?
      }
      let owner = Owner()
      var received: [Int] = []
      owner.cancellable = owner.subject?.sink {
        received.append($0)
        owner.subject = nil
        owner.cancellable = nil
      }
      owner.subject?.send(1)
      #expect(received == [1])
      #expect(owner.subject == nil)
    }

    @Test func whatASubscriberDoesInItsDeinitMayUseTheSubject() {
      final class Sender {
        let subject: PassthroughSubject<String, Never>
        init(_ subject: PassthroughSubject<String, Never>) { self.subject = subject }
        deinit { subject.send("deinit") }
        func touch() {}
      }
      let subject = PassthroughSubject<String, Never>()
      let witness = RecordingSubscriber<String, Never>()
      subject.subscribe(witness)
      var cancellable: AnyCancellable?
      do {
        let sender = Sender(subject)
        cancellable = subject.sink { _ in sender.touch() }
      }
      subject.send("before")
      cancellable?.cancel()
      subject.send("after")
      #expect(witness.values == ["before", "deinit", "after"])
    }
  }

  @Suite("Upstreams")
  struct Upstreams {
    @Test func anUpstreamIsAskedOnceASubscriberHasAsked() {
      let subject = PassthroughSubject<Int, Never>()
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
      let cancellable = upstream.subscribe(subject)
      #expect(upstream.requests == [])
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      subject.subscribe(recorder)
      #expect(upstream.requests == [])
      recorder.request(.max(1))
      #expect(upstream.requests == [.unlimited])
      recorder.request(.max(1))
      subject.subscribe(RecordingSubscriber<Int, Never>())
      #expect(upstream.requests == [.unlimited])
      upstream.send(1)
      #expect(recorder.values == [1])
      withExtendedLifetime(cancellable) {}
    }

    @Test func anUpstreamThatComesAfterADemandIsAskedAtOnce() {
      let subject = PassthroughSubject<Int, Never>()
      subject.subscribe(RecordingSubscriber<Int, Never>())
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
      let cancellable = upstream.subscribe(subject)
      #expect(upstream.requests == [.unlimited])
      withExtendedLifetime(cancellable) {}
    }

    @Test func theCompletionOfAnUpstreamCompletesTheSubject() {
      let subject = PassthroughSubject<Int, TestError>()
      let recorder = RecordingSubscriber<Int, TestError>()
      subject.subscribe(recorder)
      let cancellable = [1, 2].publisher.setFailureType(to: TestError.self).subscribe(subject)
      #expect(recorder.log == ["1", "2", "finished"])
      withExtendedLifetime(cancellable) {}
    }

    @Test func cancellingTheConnectionCancelsTheUpstreamAndNotTheSubject() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      subject.subscribe(recorder)
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
      let cancellable = upstream.subscribe(subject)
      cancellable.cancel()
      #expect(upstream.cancellations.count == 1)
      upstream.send(1)
      upstream.send(completion: .finished)
      subject.send(2)
      #expect(recorder.log == ["2"])
    }

    @Test func theSubjectCancelsItsUpstreamsWhenItIsDeallocated() {
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
      do {
        let subject = PassthroughSubject<Int, Never>()
        upstream.subscribe(AnySubscriber(receiveSubscription: { subject.send(subscription: $0) }))
        upstream.subscription?.sendSubscription()
        upstream.releaseSubscribers()
        #expect(upstream.cancellations.isEmpty)
      }
      #expect(upstream.cancellations.count == 1)
    }

    @Test func aSynchronousUpstreamDeliversWithinTheRequest() {
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = (1...3).publisher.subscribe(subject)
      let recorder = RecordingSubscriber<Int, Never>()
      subject.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "3", "finished"])
      withExtendedLifetime(cancellable) {}
    }
  }

  @Suite("Description")
  struct Description {
    @Test func theSubscriptionIsDescribedByTheSubject() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      subject.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["PassthroughSubject"])
    }
  }
}
