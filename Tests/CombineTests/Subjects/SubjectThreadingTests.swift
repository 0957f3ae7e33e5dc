import Combine
import Dispatch
import Foundation
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

/// A `send` delivers its own value, on its own thread, and returns; subscribing, requests and cancellations never wait.
@Suite("SubjectCore, threads")
struct SubjectThreadingTests {
  @Suite("Senders")
  struct Senders {
    @Test func valuesArriveOnTheThreadThatSendsThemBeforeSendReturns() {
      let subject = PassthroughSubject<Numbered, Never>()
      let seen = Shared(Array(repeating: 0, count: 3))
      let strangers = Atomic(0)
      let threads = Shared<[ObjectIdentifier]>([])
      let cancellable = subject.sink { value in
        if threads.value[value.sender] != ObjectIdentifier(Thread.current) {
          strangers.wrappingAdd(1, ordering: .relaxed)
        }
        seen.update { $0[value.sender] += 1 }
      }
      let ready = Barrier(3)
      let lock = Shared([Int: ObjectIdentifier]())
      let unseen = Atomic(0)
      inParallel(3) { thread in
        lock.update { $0[thread] = ObjectIdentifier(Thread.current) }
        ready.arriveAndWait()
        if thread == 0 { threads.value = (0..<3).map { lock.value[$0]! } }
        while threads.value.isEmpty {}
        for number in 1...20_000 {
          subject.send(Numbered(sender: thread, number: number))
          if seen.value[thread] != number { unseen.wrappingAdd(1, ordering: .relaxed) }
        }
      }
      #expect(strangers.load(ordering: .relaxed) == 0)
      #expect(unseen.load(ordering: .relaxed) == 0)
      withExtendedLifetime(cancellable) {}
    }

    enum Joint: CaseIterable {
      case subject, currentValue, merge, flatMap, switchToLatest, zip, combineLatest
    }

    /// What passes on the values of a subject, beside another publisher that could send, too.
    private func through(_ joint: Joint, _ subject: PassthroughSubject<Int, Never>) -> AnyPublisher<Int, Never> {
      let other = PassthroughSubject<Int, Never>()
      switch joint {
      case .subject: return subject.eraseToAnyPublisher()
      case .currentValue:
        let shared = subject.multicast(subject: CurrentValueSubject(-1))
        return shared.autoconnect().dropFirst().eraseToAnyPublisher()
      case .merge: return subject.merge(with: other).eraseToAnyPublisher()
      case .flatMap: return [subject, other].publisher.flatMap { $0 }.eraseToAnyPublisher()
      case .switchToLatest: return Just(subject).switchToLatest().eraseToAnyPublisher()
      case .zip: return subject.zip(subject) { value, _ in value }.eraseToAnyPublisher()
      case .combineLatest: return subject.combineLatest(Just(0)) { $0 + $1 }.eraseToAnyPublisher()
      }
    }

    /// Counts turns, not time: how many values of others each `send` lets pass.
    @Test(arguments: Joint.allCases) func aSendIsBoundedByTheTurnsOfOthers(joint: Joint) {
      let inputs = (0..<10).map { _ in PassthroughSubject<Int, Never>() }
      let delivered = Atomic(0)
      let merged = Publishers.MergeMany(inputs.map { through(joint, $0) })
      let cancellable = merged.sink { _ in
        spin(microseconds: 20)
        delivered.wrappingAdd(1, ordering: .relaxed)
      }
      let most = Atomic(0)
      inParallel(10) { thread in
        for number in 0..<150 {
          let before = delivered.load(ordering: .relaxed)
          inputs[thread].send(number)
          _ = most.max(delivered.load(ordering: .relaxed) - before, ordering: .relaxed)
        }
      }
      #expect(delivered.load(ordering: .relaxed) == 1_500)
      // The nine others deliver 1,350 values. One whose values others delivered would see all of those pass.
      #expect(most.load(ordering: .relaxed) < 1_000)
      withExtendedLifetime(cancellable) {}
    }

    @Test func noMoreValuesAreAliveBehindASlowSinkThanThreadsSend() {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<LifetimeCounter.Token, Never>()
      let merged = subject.merge(with: Empty(completeImmediately: false))
      let most = Atomic(0)
      let cancellable = merged.sink { _ in
        spin(microseconds: 20)
        _ = most.max(lifetime.count, ordering: .relaxed)
      }
      inParallel(4) { _ in for _ in 0..<300 { subject.send(lifetime.make()) } }
      #expect(most.load(ordering: .relaxed) <= 4)
      #expect(lifetime.count == 0)
      withExtendedLifetime(cancellable) {}
    }

    @Test func aCompletionWaitsForTheDeliveryOfAnotherThread() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      let busy = BusyThread()
      recorder.onValue = { _ in busy.stay() }
      subject.subscribe(recorder)
      busy.start { subject.send(1) }
      let finished = Latch()
      let started = Latch()
      Thread {
        started.open()
        subject.send(completion: .finished)
        finished.open()
      }.start()
      started.wait()
      #expect(recorder.log == ["1"])
      busy.release()
      #expect(finished.wait())
      #expect(recorder.log == ["1", "finished"])
    }
  }

  @Suite("Those who never wait")
  struct NeverWaiting {
    @Test func aSinkMayWaitForAQueueThatSubscribesAndRequestsAndCancels() {
      for _ in 0..<20 {
        let subject = CurrentValueSubject<Int, Never>(0)
        let queue = DispatchQueue(label: "test")
        let late = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let cancellable = subject.sink { value in
          guard value == 1 else { return }
          queue.sync {
            subject.subscribe(late)
            late.request(.max(1))
            #expect(late.values == [1])
            late.request(.max(2))
            late.cancel()
          }
        }
        subject.send(1)
        #expect(late.values == [1])
        withExtendedLifetime(cancellable) {}
      }
    }

    @Test func everySubscriptionHasTheValueHeldWhileAnotherThreadDelivers() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let slow = subject.sink { _ in spin(microseconds: 5) }
      let isOver = Atomic(false)
      let missed = Atomic(0)
      let disordered = Atomic(0)
      inParallel(3) { thread in
        if thread > 0 {
          while !isOver.load(ordering: .relaxed) { subject.send(thread) }
          return
        }
        for _ in 0..<5_000 {
          // Not synchronised, as users write it: the sink runs on this thread, before it returns.
          var got: Int?
          let cancellable = subject.first().sink { got = $0 }
          if got == nil { missed.wrappingAdd(1, ordering: .relaxed) }
          withExtendedLifetime(cancellable) {}
        }
        isOver.store(true, ordering: .relaxed)
      }
      #expect(missed.load(ordering: .relaxed) == 0)
      #expect(disordered.load(ordering: .relaxed) == 0)
      withExtendedLifetime(slow) {}
    }

    @Test func aSubscriberThatJoinsDuringADeliveryGetsTheValueOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let (first, late) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.subscriptionNames == ["CurrentValueSubject"])
      #expect(late.values == [1])
      busy.release()
      subject.send(2)
      #expect(late.values == [1, 2])
    }

    @Test func aFirstRequestIsServedOnItsThreadDuringADelivery() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let (first, late) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>(initialDemand: .none))
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      subject.subscribe(late)
      busy.start { subject.send(1) }
      late.request(.max(2))
      #expect(late.values == [1])
      busy.release()
      #expect(late.values == [1])
      subject.send(2)
      subject.send(3)
      #expect(late.values == [1, 2])
      late.request(.max(1))
      #expect(late.values == [1, 2, 3])
    }

    @Test func aRequestFromAnotherThreadDuringASubscribersFirstCallIsServedByThatCall() {
      let subject = CurrentValueSubject<Int, Never>(7)
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      recorder.onSubscription = { subscription in
        let box = UncheckedBox(subscription)
        #expect(onOtherThread { box.value.request(.max(1)) })
        #expect(recorder.values.isEmpty)
      }
      subject.subscribe(recorder)
      #expect(recorder.values == [7])
    }

    @Test func aSenderWaitsForASubscribersFirstCall() {
      let subject = PassthroughSubject<Int, Never>()
      let (first, late) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
      let busy = BusyThread()
      let sent = Latch()
      first.onValue = { if $0 == 1 { busy.stay() } }
      late.onSubscription = { subscription in
        subscription.request(.unlimited)
        busy.release()
        Thread {
          subject.send(2)
          sent.open()
        }.start()
        // That the other thread waits is seen by what it would do otherwise: while this call runs, nothing comes.
        spin(microseconds: 500)
        #expect(late.values == [])
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(sent.wait())
      #expect(late.values == [2])
    }

    @Test func whatIsSentFromInsideAFirstCallIsDeliveredAtOnce() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let (first, late) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      late.onValue = { value in
        guard value == 1 else { return }
        busy.release()
        subject.send(2)
        #expect(late.values == [1, 2])
      }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.values == [1, 2])
      #expect(first.values == [0, 1, 2])
      subject.send(3)
      #expect(late.values == [1, 2, 3])
    }

    @Test func aFirstRequestOfAnotherThreadGetsTheValueWheneverTheSubscriptionIsBeingSent() {
      for _ in 0..<2_000 {
        let subject = CurrentValueSubject<Int, Never>(7)
        let subscription = Shared<UncheckedBox<any Subscription>?>(nil)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        recorder.onSubscription = { subscription.value = UncheckedBox($0) }
        inParallel(2) { thread in
          if thread == 0 {
            subject.subscribe(recorder)
          } else {
            while subscription.value == nil {}
            subscription.value?.value.request(.max(1))
          }
        }
        #expect(recorder.values == [7])
      }
    }

    @Test func aFirstRequestAndACompletionNeverReachTheSubscriberAtOnce() {
      for _ in 0..<2_000 {
        let subject = CurrentValueSubject<Int, Never>(7)
        let others = (0..<3).map { _ in RecordingSubscriber<Int, Never>() }
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let late = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let visit: @Sendable () -> Void = {
          if inside.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue != 0 {
            overlaps.wrappingAdd(1, ordering: .relaxed)
          }
          spin(microseconds: 2)
          inside.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        }
        late.onValue = { _ in visit() }
        late.onCompletion = { _ in visit() }
        for other in others { subject.subscribe(other) }
        subject.subscribe(late)
        inParallel(2) { thread in
          if thread == 0 { subject.send(completion: .finished) } else { late.request(.max(1)) }
        }
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(late.log == ["7", "finished"] || late.log == ["finished"])
      }
    }

    @Test func aValueSentWhileAMissedOneIsServedReachesWhoHasSubscribedMeanwhile() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let (first, asking, late) = (
        RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>(initialDemand: .none),
        RecordingSubscriber<Int, Never>()
      )
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      asking.onValue = { if $0 == 1 { subject.send(2) } }
      subject.subscribe(first)
      subject.subscribe(asking)
      asking.request(.max(1))
      #expect(asking.values == [0])
      subject.value = 9
      busy.start { subject.send(1) }
      // It has missed a value, and asks while another thread delivers.
      asking.request(.max(2))
      subject.subscribe(late)
      busy.release()
      #expect(late.values.last == 2)
      #expect(asking.values.last == 2)
      #expect(first.values.last == 2)
    }

    @Test func cancellingDuringAFirstCallReleasesTheSubscriber() {
      let lifetime = LifetimeCounter()
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = RecordingSubscriber<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      do {
        let token = lifetime.make()
        let late = RecordingSubscriber<Int, Never>()
        late.onValue = { [unowned late] _ in
          token.touch()
          late.cancel()
          late.releaseSubscriptions()
        }
        subject.subscribe(late)
        #expect(late.values == [1])
      }
      busy.release()
      #expect(lifetime.count == 0)
    }

    @Test func cancellingFromAnotherThreadDuringADeliveryReleasesTheSubscriberAtItsEnd() {
      let lifetime = LifetimeCounter()
      let subject = PassthroughSubject<Int, Never>()
      let busy = BusyThread()
      var cancellables = [subject.sink { _ in busy.stay() }]
      let token = Shared<LifetimeCounter.Token?>(lifetime.make())
      cancellables.append(subject.sink { [kept = token.value] _ in kept?.touch() })
      token.value = nil
      busy.start { subject.send(1) }
      cancellables.removeLast()
      busy.release()
      #expect(lifetime.count == 0)
      withExtendedLifetime(cancellables) {}
    }

    @Test func aSubscriberThatComesAfterTheCompletionGetsItWhileThatIsDelivered() {
      let subject = PassthroughSubject<Int, Never>()
      let (first, late) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
      let busy = BusyThread()
      first.onCompletion = { _ in busy.stay() }
      subject.subscribe(first)
      busy.start { subject.send(completion: .finished) }
      subject.subscribe(late)
      #expect(late.log == ["finished"])
      busy.release()
    }
  }
}

/// Keeps the thread busy.
private func spin(microseconds: UInt64) {
  let end = DispatchTime.now().uptimeNanoseconds + microseconds * 1_000
  while DispatchTime.now().uptimeNanoseconds < end {}
}
