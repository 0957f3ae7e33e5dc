import Combine
import Foundation
import InterflowTestSupport
import Testing

/// What both subjects promise about order, reentrancy and threads.
@Suite("SubjectCore")
struct SubjectCoreTests {
  @Suite("Concurrent senders")
  struct Senders {
    struct Sent: Hashable, Sendable {
      var sender: Int
      var number: Int
    }

    static let senders = 4
    static let valuesOfEach = 400

    func sendFromSeveralThreads(_ send: @escaping @Sendable (Sent) -> Void) {
      inParallel(Self.senders) { sender in
        for number in 0..<Self.valuesOfEach { send(Sent(sender: sender, number: number)) }
      }
    }

    func check(_ recorders: [Recorder<Sent, Never>]) {
      for recorder in recorders {
        let values = recorder.values.filter { $0.sender >= 0 }
        #expect(values.count == Self.senders * Self.valuesOfEach)
        for sender in 0..<Self.senders {
          #expect(values.filter { $0.sender == sender }.map(\.number) == Array(0..<Self.valuesOfEach))
        }
        #expect(values == recorders[0].values.filter { $0.sender >= 0 })
      }
    }

    @Test func allSubscribersOfAPassthroughSubjectSeeEveryValueInOneOrder() {
      for _ in 0..<10 {
        let subject = PassthroughSubject<Sent, Never>()
        let recorders = (0..<3).map { _ in Recorder<Sent, Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        sendFromSeveralThreads { subject.send($0) }
        check(recorders)
      }
    }

    @Test func allSubscribersOfACurrentValueSubjectSeeEveryValueInOneOrder() {
      for _ in 0..<10 {
        let subject = CurrentValueSubject<Sent, Never>(Sent(sender: -1, number: 0))
        let recorders = (0..<3).map { _ in Recorder<Sent, Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        sendFromSeveralThreads { subject.send($0) }
        check(recorders)
        for recorder in recorders { #expect(recorder.values.last == subject.value) }
      }
    }

    @Test func theLastValueSeenIsTheValueHeldWhicheverThreadWasLast() {
      for schedule in 0..<300 {
        let subject = CurrentValueSubject<Int, Never>(-1)
        let early = Recorder<Int, Never>()
        subject.subscribe(early)
        let late = Shared<[Recorder<Int, Never>]>([])
        inParallel(3) { thread in
          if thread == 2 {
            let recorder = Recorder<Int, Never>()
            subject.subscribe(recorder)
            late.update { $0.append(recorder) }
          }
          for number in 0..<(schedule % 7 + 1) { subject.value = thread * 100 + number }
        }
        #expect(early.values.last == subject.value)
        for recorder in late.value { #expect(recorder.values.last == subject.value) }
      }
    }

    @Test func signalsOfOneSubscriberNeverOverlap() {
      let subject = PassthroughSubject<Int, Never>()
      let inside = Shared(0)
      let overlaps = Shared(0)
      let recorder = Recorder<Int, Never>()
      recorder.onValue = { _ in
        if inside.update({
          $0 += 1; return $0
        }) != 1 {
          overlaps.update { $0 += 1 }
        }
        inside.update { $0 -= 1 }
      }
      subject.subscribe(recorder)
      inParallel(4) { _ in for number in 0..<500 { subject.send(number) } }
      #expect(overlaps.value == 0)
      #expect(recorder.values.count == 2_000)
    }

    @Test func aSendThatFindsAnotherThreadDeliveringReturnsBeforeItsValueArrives() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = Recorder<Int, Never>()
      let busy = BusyThread()
      recorder.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(recorder)
      busy.start { subject.send(1) }
      subject.send(2)
      #expect(recorder.values == [1])
      busy.release()
      #expect(recorder.values == [1, 2])
    }
  }

  @Suite("Reentrancy")
  struct Reentrancy {
    @Test func aSendFromInsideReceiveIsDeliveredAtOnce() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = Recorder<Int, Never>()
      var seenInside: [Int] = []
      recorder.onValue = {
        if $0 == 1 {
          subject.send(2)
          seenInside = recorder.values
        }
      }
      subject.subscribe(recorder)
      subject.send(1)
      #expect(seenInside == [1, 2])
    }

    @Test func aNestedSendReachesTheSubscribersBehindBeforeTheValueAroundIt() {
      // As Apple's subjects do.
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let second = Recorder<Int, Never>()
      first.onValue = { if $0 == 1 { subject.send(2) } }
      subject.subscribe(first)
      subject.subscribe(second)
      subject.send(1)
      #expect(first.values == [1, 2])
      #expect(second.values == [2, 1])
    }

    @Test func aNestedSendGoesAfterWhatOtherThreadsHaveQueued() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorder = Recorder<Int, Never>()
      let busy = BusyThread()
      let seenInside = Shared<[Int]>([])
      recorder.onValue = {
        guard $0 == 1 else { return }
        busy.stay()
        subject.send(4)
        seenInside.value = recorder.values
      }
      subject.subscribe(recorder)
      busy.start { subject.send(1) }
      subject.send(2)
      subject.send(3)
      #expect(subject.value == 3)
      busy.release()
      #expect(seenInside.value == [0, 1, 2, 3, 4])
      #expect(recorder.values == [0, 1, 2, 3, 4])
      #expect(subject.value == 4)
    }

    @Test func aCompletionFromInsideReceiveGoesAfterWhatOtherThreadsHaveQueued() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = Recorder<Int, Never>()
      let busy = BusyThread()
      recorder.onValue = {
        guard $0 == 1 else { return }
        busy.stay()
        subject.send(completion: .finished)
      }
      subject.subscribe(recorder)
      busy.start { subject.send(1) }
      subject.send(2)
      busy.release()
      #expect(recorder.log == ["1", "2", "finished"])
    }

    @Test func aCompletionFromInsideReceiveIsDeliveredAtOnceAndNothingFollows() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let second = Recorder<Int, Never>()
      first.onValue = { _ in subject.send(completion: .finished) }
      subject.subscribe(first)
      subject.subscribe(second)
      subject.send(1)
      #expect(first.log == ["1", "finished"])
      #expect(second.log == ["finished"])
    }

    @Test func aSubscriberThatJoinsFromInsideReceiveGetsWhatIsSentAfterIt() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      first.onValue = {
        if $0 == 1 {
          subject.subscribe(late)
          subject.send(2)
        }
      }
      subject.subscribe(first)
      subject.send(1)
      subject.send(3)
      #expect(late.values == [2, 3])
    }

    @Test func aSubscriberThatJoinsFromInsideReceiveGetsTheValueHeldOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      first.onValue = { if $0 == 1 { subject.subscribe(late) } }
      subject.subscribe(first)
      subject.send(1)
      #expect(late.values == [1])
    }

    @Test func aSubscriberThatJoinsBehindQueuedSignalsStillHearsANestedCompletion() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = {
        if $0 == 1 {
          busy.stay()
          // Delivers what the other thread has queued first, and so the completion below.
          subject.subscribe(late)
        } else {
          subject.send(completion: .finished)
        }
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.send(2)
      busy.release()
      #expect(first.log == ["1", "2", "finished"])
      #expect(late.log == ["finished"])
      #expect(late.subscriptions.count == 1)
    }

    @Test func aThousandNestedSendsArriveInOrder() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = Recorder<Int, Never>()
      recorder.onValue = { if $0 < 1_000 { subject.send($0 + 1) } }
      subject.subscribe(recorder)
      subject.send(0)
      #expect(recorder.values == Array(0...1_000))
    }

    @Test func twoSubjectsThatFeedEachOtherFromTwoThreadsDoNotDeadlock() {
      let left = PassthroughSubject<Int, Never>()
      let right = PassthroughSubject<Int, Never>()
      let received = Shared(0)
      let cancellables = [
        left.sink { if $0 > 0 { right.send(-1) } else { received.update { $0 += 1 } } },
        right.sink { if $0 > 0 { left.send(-1) } else { received.update { $0 += 1 } } },
      ]
      inParallel(2) { thread in
        for number in 1...2_000 { (thread == 0 ? left : right).send(number) }
      }
      // A value left with the other thread has been delivered by the time that thread is done.
      #expect(received.value == 4_000)
      withExtendedLifetime(cancellables) {}
    }
  }

  @Suite("Joining while another thread delivers")
  struct Joining {
    @Test func signalsAreHeldUntilTheSubscriptionHasBeenReceived() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        // The value is sent, and its delivery is over, while this still runs.
        subject.send(2)
        busy.release()
        #expect(first.values == [1, 2])
        #expect(late.values == [])
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.values == [2])
      subject.send(3)
      #expect(late.values == [2, 3])
    }

    @Test func theValueHeldArrivesOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.subscriptions == ["CurrentValueSubject"])
      busy.release()
      #expect(late.values == [1])
    }

    @Test func theValueHeldIsFollowedByThoseQueuedBehindIt() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.send(2)
      subject.subscribe(late)
      subject.send(3)
      busy.release()
      #expect(first.values == [0, 1, 2, 3])
      #expect(late.values == [2, 3])
    }

    @Test func limitedDemandCountsForWhatWasHeld() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>(demand: .max(1))
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      subject.send(2)
      subject.send(3)
      busy.release()
      #expect(late.values == [1])
      late.request(.max(1))
      #expect(late.values == [1, 3])
      late.request(.max(1))
      #expect(late.values == [1, 3])
    }

    @Test func aNestedSendGoesAfterWhatWasHeld() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      let seenInside = Shared<[Int]>([])
      late.onValue = {
        if $0 == 1 {
          subject.send(4)
          seenInside.value = late.values
        }
      }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        subject.send(2)
        subject.send(3)
        busy.release()
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(first.values == [0, 1, 2, 3, 4])
      #expect(late.values == [1, 2, 3, 4])
      #expect(seenInside.value == [1, 2, 3, 4])
      #expect(late.values.last == subject.value)
    }

    @Test func aNestedCompletionGoesAfterWhatWasHeld() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      late.onValue = { if $0 == 2 { subject.send(completion: .finished) } }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        subject.send(2)
        subject.send(3)
        busy.release()
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.log == ["2", "3", "finished"])
      #expect(first.log == ["1", "2", "3", "finished"])
    }

    @Test func aCompletionIsHeldToo() {
      let subject = PassthroughSubject<Int, TestError>()
      let first = Recorder<Int, TestError>()
      let late = Recorder<Int, TestError>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        subject.send(2)
        subject.send(completion: .failure(TestError()))
        busy.release()
        #expect(first.log == ["1", "2", "test error"])
        #expect(late.log == [])
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.log == ["2", "test error"])
    }

    @Test func cancellingBeforeTheHeldSignalsAreReleasedDropsThem() {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<LifetimeCounter.Token?, Never>()
      let first = Recorder<LifetimeCounter.Token?, Never>()
      let late = Recorder<LifetimeCounter.Token?, Never>(demand: .none)
      let busy = BusyThread()
      first.onValue = { if $0 == nil { busy.stay() } }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        subject.send(lifetime.make())
        first.cancel()
        busy.release()
        subscription.cancel()
      }
      subject.subscribe(first)
      busy.start { subject.send(nil) }
      subject.subscribe(late)
      #expect(late.values.count == 0)
      #expect(lifetime.count == 0)
    }

    @Test func cancellingFromInsideAHeldValueStopsTheOthers() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      late.onValue = { if $0 == 2 { late.cancel() } }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        subject.send(2)
        subject.send(3)
        subject.send(completion: .finished)
        busy.release()
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.log == ["2"])
    }

    @Test func aSubscriberThatJoinsAfterTheCompletionWasSentGetsItAtOnce() {
      let subject = PassthroughSubject<Int, Never>()
      let first = Recorder<Int, Never>()
      let late = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.send(2)
      subject.send(completion: .finished)
      subject.send(3)
      subject.subscribe(late)
      #expect(late.log == ["finished"])
      busy.release()
      #expect(first.log == ["1", "2", "finished"])
    }

    @Test func everyJoinerAmongConcurrentSendersSeesASuffixWithoutGaps() {
      for _ in 0..<60 {
        let subject = PassthroughSubject<Int, Never>()
        let all = Recorder<Int, Never>()
        subject.subscribe(all)
        let joiners = Shared<[Recorder<Int, Never>]>([])
        inParallel(4) { thread in
          for number in 0..<60 {
            subject.send(thread * 1_000 + number)
            if number % 20 == thread {
              let joiner = Recorder<Int, Never>()
              subject.subscribe(joiner)
              joiners.update { $0.append(joiner) }
            }
          }
        }
        #expect(joiners.value.allSatisfy { all.values.suffix($0.values.count).elementsEqual($0.values) })
      }
    }

    @Test func everyJoinerOfACurrentValueSubjectSeesASuffixWithoutGapsOrDuplicates() {
      for _ in 0..<60 {
        let subject = CurrentValueSubject<Int, Never>(-1)
        let all = Recorder<Int, Never>()
        subject.subscribe(all)
        let joiners = Shared<[Recorder<Int, Never>]>([])
        inParallel(4) { thread in
          for number in 0..<60 {
            subject.send(thread * 1_000 + number)
            if number % 20 == thread {
              let joiner = Recorder<Int, Never>()
              subject.subscribe(joiner)
              joiners.update { $0.append(joiner) }
            }
          }
        }
        #expect(joiners.value.allSatisfy { all.values.suffix($0.values.count).elementsEqual($0.values) })
      }
    }
  }
}
