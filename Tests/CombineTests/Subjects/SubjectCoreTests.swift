import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
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

    func check(_ recorders: [RecordingSubscriber<Sent, Never>]) {
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
        let recorders = (0..<3).map { _ in RecordingSubscriber<Sent, Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        sendFromSeveralThreads { subject.send($0) }
        check(recorders)
      }
    }

    @Test func allSubscribersOfACurrentValueSubjectSeeEveryValueInOneOrder() {
      for _ in 0..<10 {
        let subject = CurrentValueSubject<Sent, Never>(Sent(sender: -1, number: 0))
        let recorders = (0..<3).map { _ in RecordingSubscriber<Sent, Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        sendFromSeveralThreads { subject.send($0) }
        check(recorders)
        for recorder in recorders { #expect(recorder.values.last == subject.value) }
      }
    }

    @Test func theLastValueSeenIsTheValueHeldWhicheverThreadWasLast() {
      for schedule in 0..<300 {
        let subject = CurrentValueSubject<Int, Never>(-1)
        let early = RecordingSubscriber<Int, Never>()
        subject.subscribe(early)
        let late = Shared<[RecordingSubscriber<Int, Never>]>([])
        inParallel(3) { thread in
          if thread == 2 {
            let recorder = RecordingSubscriber<Int, Never>()
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
      let recorder = RecordingSubscriber<Int, Never>()
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
  }

  @Suite("Reentrancy")
  struct Reentrancy {
    @Test func aSendFromInsideReceiveIsDeliveredAtOnce() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
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
      let first = RecordingSubscriber<Int, Never>()
      let second = RecordingSubscriber<Int, Never>()
      first.onValue = { if $0 == 1 { subject.send(2) } }
      subject.subscribe(first)
      subject.subscribe(second)
      subject.send(1)
      #expect(first.values == [1, 2])
      #expect(second.values == [2, 1])
    }

    @Test func aCompletionFromInsideReceiveIsDeliveredAtOnceAndNothingFollows() {
      let subject = PassthroughSubject<Int, Never>()
      let first = RecordingSubscriber<Int, Never>()
      let second = RecordingSubscriber<Int, Never>()
      first.onValue = { _ in subject.send(completion: .finished) }
      subject.subscribe(first)
      subject.subscribe(second)
      subject.send(1)
      #expect(first.log == ["1", "finished"])
      #expect(second.log == ["finished"])
    }

    @Test func aSubscriberThatJoinsFromInsideReceiveGetsWhatIsSentAfterIt() {
      let subject = PassthroughSubject<Int, Never>()
      let first = RecordingSubscriber<Int, Never>()
      let late = RecordingSubscriber<Int, Never>()
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
      let first = RecordingSubscriber<Int, Never>()
      let late = RecordingSubscriber<Int, Never>()
      first.onValue = { if $0 == 1 { subject.subscribe(late) } }
      subject.subscribe(first)
      subject.send(1)
      #expect(late.values == [1])
    }

    @Test func aThousandNestedSendsArriveInOrder() {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
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
      // Each `send` returns when its value has been delivered.
      #expect(received.value == 4_000)
      withExtendedLifetime(cancellables) {}
    }
  }

  @Suite("Joining while another thread delivers")
  struct Joining {
    @Test func everyJoinerAmongConcurrentSendersSeesASuffixWithoutGaps() {
      for _ in 0..<60 { expectJoinersToSeeSuffixes(PassthroughSubject<Int, Never>()) }
    }

    @Test func everyJoinerOfACurrentValueSubjectSeesASuffixWithoutGapsOrDuplicates() {
      for _ in 0..<60 { expectJoinersToSeeSuffixes(CurrentValueSubject<Int, Never>(-1)) }
    }

    /// Lets subscribers join while four threads send, and compares what each receives with what the first one received.
    private func expectJoinersToSeeSuffixes(
      _ subject: some Subject<Int, Never> & Sendable, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let all = RecordingSubscriber<Int, Never>()
      subject.subscribe(all)
      let joiners = Shared<[RecordingSubscriber<Int, Never>]>([])
      inParallel(4) { thread in
        for number in 0..<60 {
          subject.send(thread * 1_000 + number)
          if number % 20 == thread {
            let joiner = RecordingSubscriber<Int, Never>()
            subject.subscribe(joiner)
            joiners.update { $0.append(joiner) }
          }
        }
      }
      #expect(
        joiners.value.allSatisfy { all.values.suffix($0.values.count).elementsEqual($0.values) },
        sourceLocation: sourceLocation)
    }
  }
}
