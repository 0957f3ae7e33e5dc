import Combine
import Dispatch
import Foundation
import InterflowTestSupport
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
      let recorder = Recorder<Int, Never>()
      let busy = BusyThread()
      recorder.onValue = { _ in busy.stay() }
      subject.subscribe(recorder)
      busy.start { subject.send(1) }
      let finished = Gate()
      let started = Gate()
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
        let late = Recorder<Int, Never>(demand: .none)
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
      let (first, late) = (Recorder<Int, Never>(), Recorder<Int, Never>())
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      subject.subscribe(late)
      #expect(late.subscriptions == ["CurrentValueSubject"])
      #expect(late.values == [1])
      busy.release()
      subject.send(2)
      #expect(late.values == [1, 2])
    }

    @Test func aFirstRequestIsServedOnItsThreadDuringADelivery() {
      let subject = CurrentValueSubject<Int, Never>(0)
      let (first, late) = (Recorder<Int, Never>(), Recorder<Int, Never>(demand: .none))
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
      let recorder = Recorder<Int, Never>(demand: .none)
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
      let (first, late) = (Recorder<Int, Never>(), Recorder<Int, Never>())
      let busy = BusyThread()
      let sent = Gate()
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
      let (first, late) = (Recorder<Int, Never>(), Recorder<Int, Never>())
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

    @Test func cancellingDuringAFirstCallReleasesTheSubscriber() {
      let lifetime = LifetimeCounter()
      let subject = CurrentValueSubject<Int, Never>(0)
      let first = Recorder<Int, Never>()
      let busy = BusyThread()
      first.onValue = { if $0 == 1 { busy.stay() } }
      subject.subscribe(first)
      busy.start { subject.send(1) }
      do {
        let token = lifetime.make()
        let late = Recorder<Int, Never>()
        late.onValue = { [unowned late] _ in
          token.touch()
          late.cancel()
          late.forgetSubscription()
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
      let (first, late) = (Recorder<Int, Never>(), Recorder<Int, Never>())
      let busy = BusyThread()
      first.onCompletion = { _ in busy.stay() }
      subject.subscribe(first)
      busy.start { subject.send(completion: .finished) }
      subject.subscribe(late)
      #expect(late.log == ["finished"])
      busy.release()
    }
  }

  @Suite("Circles")
  struct Circles {
    /// Subjects that pass on what they get to others, for so many hops.
    private func send(
      through targets: [[Int]], threads: Int, messages: Int, hops: Int, holding: Bool, _ random: inout Random
    ) {
      struct Message {
        var sender: Int
        var number: Int
        var hops: Int
      }
      let passing = targets.map { _ in PassthroughSubject<Message, Never>() }
      let values = targets.map { _ in CurrentValueSubject<Message, Never>(Message(sender: -1, number: 0, hops: 0)) }
      let received = targets.map { _ in Shared<[Message]>([]) }
      @Sendable func send(_ message: Message, to index: Int) {
        if holding { values[index].send(message) } else { passing[index].send(message) }
      }
      let cancellables = targets.indices.map { index in
        let publisher = holding ? values[index].dropFirst().eraseToAnyPublisher() : passing[index].eraseToAnyPublisher()
        return publisher.sink { message in
          received[index].update { $0.append(message) }
          guard message.hops > 0 else { return }
          for target in targets[index] {
            send(Message(sender: message.sender, number: message.number, hops: message.hops - 1), to: target)
          }
        }
      }
      let starts = (0..<threads).map { _ in Int.random(in: 0..<targets.count, using: &random) }
      inParallel(threads) { thread in
        for number in 0..<messages { send(Message(sender: thread, number: number, hops: hops), to: starts[thread]) }
      }
      var expected = Array(repeating: 0, count: targets.count)
      func count(_ index: Int, _ hops: Int) {
        expected[index] += messages
        if hops > 0 { for target in targets[index] { count(target, hops - 1) } }
      }
      for start in starts { count(start, hops) }
      for index in targets.indices {
        let all = received[index].value
        #expect(all.count == expected[index])
        for sender in 0..<threads {
          for hop in 0...hops {
            let numbers = all.filter { $0.sender == sender && $0.hops == hop }.map(\.number)
            #expect(numbers == numbers.sorted())
          }
        }
      }
      withExtendedLifetime(cancellables) {}
    }

    @Test(.timeLimit(.minutes(20)), arguments: [false, true]) func ringsGoOn(holding: Bool) {
      for schedule in 0..<turnSchedules {
        var random = Random(UInt64(schedule))
        let count = 2 + schedule % 7
        let targets = (0..<count).map { [($0 + 1) % count] }
        send(
          through: targets, threads: 2 + schedule % 3, messages: 10, hops: count * 2, holding: holding, &random)
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: [false, true]) func randomGraphsGoOn(holding: Bool) {
      for schedule in 0..<turnSchedules {
        var random = Random(UInt64(schedule) + 1_000_000)
        let targets = (0..<10).map { _ in
          (0..<Int.random(in: 1...2, using: &random)).map { _ in Int.random(in: 0..<10, using: &random) }
        }
        send(through: targets, threads: 3, messages: 8, hops: 3, holding: holding, &random)
      }
    }

    @Test(.timeLimit(.minutes(20))) func completionsWithinCirclesEndEverythingOnce() {
      for schedule in 0..<turnSchedules {
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        let (atLeft, atRight) = (SerialProbe<Int, Never>(), SerialProbe<Int, Never>())
        left.subscribe(atLeft)
        right.subscribe(atRight)
        let last = schedule % 9
        let cancellables = [
          left.sink(
            receiveCompletion: { _ in right.send(completion: .finished) },
            receiveValue: { if $0 > 0 { right.send(-$0) } }),
          right.sink(
            receiveCompletion: { _ in left.send(completion: .finished) },
            receiveValue: { if $0 > 0 { left.send(-$0) } }),
        ]
        inParallel(2) { thread in
          let subject = thread == 0 ? left : right
          for number in 1...10 { subject.send(number) }
          if thread == schedule % 2 || last == 0 { subject.send(completion: .finished) }
        }
        #expect(atLeft.completions == 1 && atRight.completions == 1)
        withExtendedLifetime(cancellables) {}
      }
    }

    @Test(.timeLimit(.minutes(20))) func theValueHeldIsTheLastDeliveredInTheEnd() {
      for _ in 0..<turnSchedules {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorders = (0..<3).map { _ in Recorder<Int, Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        inParallel(3) { thread in for number in 1...10 { subject.send(thread * 100 + number) } }
        for recorder in recorders {
          #expect(recorder.values.last == subject.value)
          #expect(recorder.values.count == 31)
        }
      }
    }
  }
}

/// How many schedules the tests of circles run.
private let turnSchedules = ProcessInfo.processInfo.environment["INTERFLOW_TURN_SCHEDULES"].flatMap(Int.init) ?? 200

/// Keeps the thread busy.
private func spin(microseconds: UInt64) {
  let end = DispatchTime.now().uptimeNanoseconds + microseconds * 1_000
  while DispatchTime.now().uptimeNanoseconds < end {}
}
