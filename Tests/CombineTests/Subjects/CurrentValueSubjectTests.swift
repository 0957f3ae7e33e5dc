import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("CurrentValueSubject")
struct CurrentValueSubjectTests {
  @Suite("Values")
  struct Values {
    @Test func aSubscriberGetsTheValueHeldAndThenEveryChange() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = RecordingSubscriber<Int, Never>()
      subject.subscribe(first)
      subject.send(1)
      let second = RecordingSubscriber<Int, Never>()
      subject.subscribe(second)
      subject.value = 2
      #expect(first.values == [0, 1, 2])
      #expect(second.values == [1, 2])
      #expect(subject.value == 2)
    }

    @Test func theValueIsHeldWhenItIsDelivered() {
      let subject = CurrentValueSubject<Int, Never>(0)
      var held: [Int] = []
      let cancellable = subject.sink { _ in held.append(subject.value) }
      subject.send(1)
      subject.value += 1
      #expect(held == [0, 1, 2])
      withExtendedLifetime(cancellable) {}
    }

    @Test func anOptionalValueMayBeNil() {
      let subject = CurrentValueSubject<Int?, Never>(nil)
      let recorder = RecordingSubscriber<Int?, Never>()
      subject.subscribe(recorder)
      subject.send(1)
      subject.value = nil
      #expect(recorder.values == [nil, 1, nil])
      #expect(subject.value == nil)
      let late = RecordingSubscriber<Int?, Never>()
      subject.subscribe(late)
      #expect(late.values == [nil])
    }

    @Test func afterTheCompletionTheValueChangesOnlyWhereItIsSet() {
      let subject = CurrentValueSubject<Int, TestError>(0)
      let recorder = RecordingSubscriber<Int, TestError>()
      subject.subscribe(recorder)
      subject.send(1)
      subject.send(completion: .failure(TestError()))
      subject.send(2)
      #expect(subject.value == 1)
      subject.value = 3
      subject.send(completion: .finished)
      #expect(subject.value == 3)
      #expect(recorder.log == ["0", "1", "test error"])
    }

    @Test func aSubscriberThatComesAfterTheCompletionGetsTheCompletionAlone() {
      let subject = CurrentValueSubject<Int, Never>(0)
      subject.send(completion: .finished)
      let recorder = RecordingSubscriber<Int, Never>()
      subject.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Empty"])
      #expect(recorder.log == ["finished"])
    }
  }

  @Suite("Demand")
  struct DemandTests {
    @Test func theValueHeldWaitsForDemand() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      subject.subscribe(recorder)
      subject.send(1)
      subject.send(2)
      #expect(recorder.values == [])
      recorder.request(.max(1))
      #expect(recorder.values == [2])
    }

    @Test func theLatestOfTheValuesMissedIsDeliveredWithTheNextDemandOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      subject.subscribe(recorder)
      recorder.request(.max(1))
      #expect(recorder.values == [0])
      for value in 1...4 { subject.send(value) }
      #expect(recorder.values == [0, 1])
      recorder.request(.max(2))
      #expect(recorder.values == [0, 1, 4])
      recorder.request(.unlimited)
      #expect(recorder.values == [0, 1, 4])
      subject.send(5)
      #expect(recorder.values == [0, 1, 4, 5])
    }

    @Test func demandReturnedWithTheValueHeldCounts() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { $0 == 0 ? .max(1) : .none }
      subject.subscribe(recorder)
      subject.send(1)
      subject.send(2)
      #expect(recorder.values == [0, 1])
    }

    @Test func aRequestFromInsideReceiveGetsNothingTwice() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      recorder.onValue = { _ in recorder.request(.max(1)) }
      subject.subscribe(recorder)
      subject.send(1)
      #expect(recorder.values == [0, 1])
    }

    @Test func aValueSentFromInsideWithoutDemandIsOwed() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
      recorder.onValue = {
        if $0 == 1 {
          subject.send(2)
          subject.send(3)
        }
      }
      subject.subscribe(recorder)
      subject.send(1)
      #expect(recorder.values == [0, 1])
      recorder.request(.max(5))
      #expect(recorder.values == [0, 1, 3])
    }

    @Test func aRequestDuringAnotherSubscribersDeliveryGetsTheValueOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = RecordingSubscriber<Int, Never>()
      let second = RecordingSubscriber<Int, Never>(initialDemand: .none)
      first.onValue = { if $0 == 1 { second.request(.unlimited) } }
      subject.subscribe(first)
      subject.subscribe(second)
      subject.send(1)
      #expect(second.values == [1])
    }

    @Test func aRequestThatAnotherThreadMakesDuringADeliveryGetsTheValueOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = RecordingSubscriber<Int, Never>()
      let second = RecordingSubscriber<Int, Never>(initialDemand: .none)
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      subject.subscribe(second)
      busy.start { subject.send(1) }
      second.request(.unlimited)
      busy.release()
      #expect(second.values == [1])
    }

    @Test func noValueIsDeliveredTwiceWhenThreadsRequestAndSend() {
      for _ in 0..<100 {
        let subject = CurrentValueSubject<Int, Never>(-1)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        subject.subscribe(recorder)
        inParallel(3) { thread in
          for number in 0..<60 {
            if thread == 0 { subject.send(number) } else { recorder.request(.max(1)) }
          }
        }
        let values = recorder.values
        #expect(values.count <= 120)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        #expect(values.last == 59)
      }
    }

    @Test func aRequestForNothingTraps() async {
      await #expect(processExitsWith: .failure) {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        CurrentValueSubject<Int, Never>(0).subscribe(recorder)
        recorder.request(.none)
      }
    }
  }

  @Suite("Cancellation and lifetime")
  struct Lifetime {
    @Test func nothingFollowsCancellation() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      subject.subscribe(recorder)
      recorder.cancel()
      recorder.request(.unlimited)
      subject.send(1)
      subject.send(completion: .finished)
      #expect(recorder.log == [])
    }

    @Test func cancellingWithTheValueHeldStopsAtOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { _ in recorder.cancel() }
      subject.subscribe(recorder)
      subject.send(1)
      #expect(recorder.log == ["0"])
    }

    @Test func theValueReplacedIsReleased() {
      let lifetime = LifetimeCounter()
      let subject = CurrentValueSubject<LifetimeCounter.Token, Never>(lifetime.make())
      subject.send(lifetime.make())
      #expect(lifetime.count == 1)
      let cancellable = subject.sink { _ in }
      subject.value = lifetime.make()
      #expect(lifetime.count == 1)
      withExtendedLifetime(cancellable) {}
    }

    @Test func aValueWhoseDeinitSendsDoesNotDeadlock() {
      final class Value {
        let number: Int
        let onDeinit: (Int) -> Void
        init(_ number: Int, _ onDeinit: @escaping (Int) -> Void) { (self.number, self.onDeinit) = (number, onDeinit) }
        deinit { onDeinit(number) }
      }
      weak var weakSubject: CurrentValueSubject<Value, Never>?
      var seen: [Int] = []
      let onDeinit: (Int) -> Void = { number in
        if number == 0 { weakSubject?.send(Value(10) { _ in }) }
      }
      let subject = CurrentValueSubject<Value, Never>(Value(0, onDeinit))
      weakSubject = subject
      let cancellable = subject.sink { seen.append($0.number) }
      subject.send(Value(1, onDeinit))
      #expect(seen == [0, 1, 10])
      #expect(subject.value.number == 10)
      withExtendedLifetime(cancellable) {}
    }

    @Test func nothingIsKeptAliveAfterTheEnd() {
      let lifetime = LifetimeCounter()
      for ends in [0, 1] {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        do {
          let token = lifetime.make()
          subject.filter { _ in
            token.touch()
            return true
          }.subscribe(recorder)
        }
        #expect(lifetime.count == 1)
        if ends == 0 { recorder.cancel() } else { subject.send(completion: .finished) }
        #expect(lifetime.count == 0)
        withExtendedLifetime(recorder.subscription) {}
      }
    }

    @Test func subscribersThatComeAndGoOnSeveralThreadsLeaveNothingBehind() {
      let lifetime = LifetimeCounter()
      let subject = CurrentValueSubject<Int, Never>(0)
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
  }

  @Suite("Upstreams")
  struct Upstreams {
    @Test func anUpstreamIsAskedAtOnceForEverything() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
      let cancellable = upstream.subscribe(subject)
      #expect(upstream.requests == [.unlimited])
      upstream.send(1)
      #expect(subject.value == 1)
      withExtendedLifetime(cancellable) {}
    }

    @Test func theSubjectCancelsItsUpstreamsWhenItIsDeallocated() {
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
      do {
        let subject = CurrentValueSubject<Int, Never>(0)
        upstream.subscribe(AnySubscriber(receiveSubscription: { subject.send(subscription: $0) }))
        upstream.subscription?.sendSubscription()
        upstream.releaseSubscribers()
      }
      #expect(upstream.cancellations.count == 1)
    }
  }

  @Test func theSubscriptionIsDescribedByTheSubject() {
    let recorder = RecordingSubscriber<Int, Never>()
    CurrentValueSubject<Int, Never>(0).subscribe(recorder)
    #expect(recorder.subscriptionNames == ["CurrentValueSubject"])
  }

  /// A cancellation from inside a delivery brings no later value forward.
  @Test func cancellingInsideADeliveryKeepsTheOrderForTheOthers() {
    let subject = CurrentValueSubject<Int, Never>(0)
    var cancellable: AnyCancellable?
    let seen = Shared<[Int]>([])
    var sent: Latch?
    cancellable = subject.dropFirst().sink { _ in
      sent = beginOnOtherThread { subject.send(2) }
      cancellable?.cancel()
    }
    let other = subject.dropFirst().sink { value in seen.update { $0.append(value) } }
    subject.send(1)
    sent?.wait()
    #expect(seen.value == [1, 2])
    #expect(subject.value == 2)
    withExtendedLifetime(other) {}
  }

  @Test func subscribingInsideADeliveryKeepsTheOrderForTheOthers() {
    let subject = CurrentValueSubject<Int, Never>(0)
    var late: AnyCancellable?
    let (seen, seenLate) = (Shared<[Int]>([]), Shared<[Int]>([]))
    var sent: Latch?
    let first = subject.dropFirst().sink { value in
      guard value == 1 else { return }
      sent = beginOnOtherThread { subject.send(2) }
      late = subject.sink { value in seenLate.update { $0.append(value) } }
    }
    let other = subject.dropFirst().sink { value in seen.update { $0.append(value) } }
    subject.send(1)
    sent?.wait()
    #expect(seen.value == [1, 2])
    #expect(seenLate.value == [1, 2])
    withExtendedLifetime((first, other, late)) {}
  }
}
