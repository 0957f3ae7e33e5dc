import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Senders deliver one at a time and in order; subscribing and cancelling never wait for them.
@Suite struct ReplaySubjectThreadingTests {
  private let subject = ReplaySubject<Int, Never>(bufferSize: 1)
  private let busy = BusyThread()

  /// Subscribes, and has another thread stay inside the delivery of 1.
  private func deliverOnOtherThread(to recorder: RecordingSubscriber<Int, Never>) {
    recorder.onValue = { [busy] in if $0 == 1 { busy.stay() } }
    subject.subscribe(recorder)
    busy.start { [subject] in subject.send(1) }
  }

  @Test func subscriberOfABusySubjectGetsEachValueOnce() {
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    deliverOnOtherThread(to: first)
    subject.subscribe(second)
    #expect(second.values == [1])
    busy.release()
    subject.send(2)
    #expect(second.values == [1, 2])
  }

  @Test func valueSentInsideADeliveryReachesThoseWhoHaveCome() {
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    first.onValue = { [subject, busy] in
      guard $0 == 1 else { return }
      busy.stay()
      subject.send(2)
    }
    subject.subscribe(first)
    busy.start { [subject] in subject.send(1) }
    subject.subscribe(second)
    busy.release()
    #expect(second.values == [1, 2])
  }

  @Test func subscriberOfABusySubjectIsReleasedWhenItCancels() {
    let (first, counter) = (RecordingSubscriber<Int, Never>(), LifetimeCounter())
    deliverOnOtherThread(to: first)
    let subscription = subject.subscription(holding: counter.make())
    #expect(counter.count == 1)
    subscription?.cancel()
    #expect(counter.count == 0)
    busy.release()
  }

  @Test func cancellationDuringADeliveryReleasesAtItsEnd() {
    let (first, counter) = (RecordingSubscriber<Int, Never>(), LifetimeCounter())
    first.onValue = { [busy] in if $0 == 1 { busy.stay() } }
    subject.subscribe(first)
    let subscription = subject.subscription(holding: counter.make())
    busy.start { [subject] in subject.send(1) }
    subscription?.cancel()
    busy.release()
    #expect(counter.count == 0)
  }

  @Test func cancellationInsideItsOwnValueReleasesAtTheEnd() {
    let counter = LifetimeCounter()
    let (first, last) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    do {
      let token = counter.make()
      let cancelling = RecordingSubscriber<Int, Never>()
      cancelling.onValue = { [unowned cancelling] _ in
        token.touch()
        cancelling.cancel()
        cancelling.releaseSubscriptions()
      }
      for recorder in [first, cancelling, last] { subject.subscribe(recorder) }
    }
    subject.send(1)
    #expect(counter.count == 0)
    subject.send(2)
    #expect(first.values == [1, 2])
    #expect(last.values == [1, 2])
  }

  @Test func completionInsideADeliveryReachesAllAndReleasesThem() {
    let counter = LifetimeCounter()
    let (first, last) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    first.onValue = { [subject] in if $0 == 1 { subject.send(completion: .finished) } }
    subject.subscribe(first)
    let subscription = subject.subscription(holding: counter.make())
    subject.subscribe(last)
    subject.send(1)
    #expect(first.log == ["1", "finished"])
    #expect(last.log == ["finished"])
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func completionReachesThoseWhoHaveComeMeanwhile() {
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    first.onValue = { [subject, busy] in
      guard $0 == 1 else { return }
      busy.stay()
      subject.send(completion: .finished)
    }
    subject.subscribe(first)
    busy.start { [subject] in subject.send(1) }
    subject.subscribe(second)
    busy.release()
    #expect(second.log == ["1", "finished"])
  }

  @Test func subscribersThatOutliveTheSubjectAreReleased() {
    let counter = LifetimeCounter()
    var subject: ReplaySubject<Int, Never>? = ReplaySubject(bufferSize: 1)
    let subscriptions = (0..<3).map { _ in subject?.subscription(holding: counter.make()) }
    subject?.send(1)
    subscriptions[0]?.cancel()
    subject = nil
    for subscription in subscriptions { subscription?.cancel() }
    #expect(counter.count == 0)
  }

  @Test func valueSentByAReleaseFollowsTheOneThatReplaces() {
    final class Sending {
      var onRelease: () -> Void = {}
      deinit { onRelease() }
    }
    let subject = ReplaySubject<(Int, Sending), Never>(bufferSize: 1)
    var values: [Int] = []
    let cancellable = subject.sink { values.append($0.0) }
    let first = Shared<Sending?>(Sending())
    first.value?.onRelease = { [unowned subject] in subject.send((3, Sending())) }
    subject.send((1, first.value!))
    first.value = nil
    subject.send((2, Sending()))
    #expect(values == [1, 2, 3])
    withExtendedLifetime(cancellable) {}
  }

  @Test func sendersAreServedInOrderAndSubscribersMissNothing() {
    let subject = ReplaySubject<Numbered, Never>(bufferSize: 1)
    let (first, last) = (RecordingSubscriber<Numbered, Never>(), RecordingSubscriber<Numbered, Never>())
    subject.subscribe(first)
    let wrong = Shared(0)
    inParallel(4) { thread in
      // Each subscriber stays while some others come, so that it sees several values.
      var recorders: [RecordingSubscriber<Numbered, Never>] = []
      for number in 0..<500 {
        if thread < 2 {
          subject.send(Numbered(sender: thread, number: number))
        } else {
          recorders.append(RecordingSubscriber())
          subject.subscribe(recorders[number])
          if number >= 20 { recorders[number - 20].cancel() }
        }
        if thread == 0, number == 250 { subject.subscribe(last) }
      }
      for recorder in recorders {
        recorder.cancel()
        if !isWithoutGaps(recorder.values) { wrong.update { $0 += 1 } }
      }
    }
    #expect(first.values.count == 1_000)
    #expect(isWithoutGaps(first.values))
    #expect(wrong.value == 0)
    // All see the same order.
    #expect(last.values == first.values.suffix(last.values.count))
  }
}

private struct Numbered: Equatable {
  let sender: Int
  let number: Int
}

/// Whether the numbers of each sender follow one another.
private func isWithoutGaps(_ values: [Numbered]) -> Bool {
  (0..<2).allSatisfy { sender in
    let numbers = values.filter { $0.sender == sender }.map(\.number)
    return zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
  }
}
