import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

/// Values and ends that meet while a value of `debounce` or `throttle` is on its way to the subscriber.
@Suite struct TimedOrderTests {
  private let scheduler = VirtualScheduler()

  @Test(arguments: [Subscribers.Demand.unlimited, .none])
  func valueSentFromATimersCancellationIsTheNewer(demand: Subscribers.Demand) {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: demand)
    let hasReentered = Shared(false)
    scheduler.onCancel = { [scheduler] in
      if hasReentered.update({ isSecond in
        defer { isSecond = true }
        return isSecond
      }) {
        return
      }
      subject.send(2)
      scheduler.advance(by: 2)
    }
    subject.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
    subject.send(1)
    scheduler.advance(by: 2)
    recorder.request(.unlimited)
    scheduler.run()
    #expect(recorder.values == (demand == .none ? [2] : [1, 2]))
  }

  @Test func valueThatWasRequestedIsNotReplaced() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { [scheduler] value in
      guard value == 1 else { return }
      // The subscriber is busy, so their delivery waits.
      onOtherThread {
        for value in 2...3 {
          subject.send(value)
          scheduler.advance(by: 2)
        }
      }
    }
    subject.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
    subject.send(1)
    scheduler.advance(by: 2)
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func valueThatWasRequestedIsNotReplacedWhileADeliveryIsLate() {
    let scheduler = VirtualScheduler(order: .lastScheduled)
    let (subject, busy) = (PassthroughSubject<Int, Never>(), BusyThread())
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    recorder.onValue = { if $0 == 2 { busy.stay() } }
    subject.debounce(for: 0, scheduler: scheduler).subscribe(recorder)
    subject.send(1)
    scheduler.advance()
    // A delivery is scheduled, and another value overtakes it.
    recorder.request(.max(1))
    subject.send(2)
    busy.start { scheduler.advance() }
    // The delivery is still to run. Before it does, a value that has been requested is due, and then another one.
    recorder.request(.max(1))
    scheduler.schedule(options: nil) { subject.send(4) }
    subject.send(3)
    scheduler.advance()
    busy.release()
    #expect(recorder.values == [2, 3])
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.values == [2, 3, 4])
  }

  @Test func newestValueComesHoweverTimersAndValuesMeet() {
    for _ in 0..<100 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      let isLast = Latch()
      recorder.onValue = { if $0 == 199 { isLast.open() } }
      subject.debounce(for: .zero, scheduler: DispatchQueue.global()).subscribe(recorder)
      for value in 0..<200 { subject.send(value) }
      #expect(isLast.wait())
      #expect(recorder.values == recorder.values.sorted())
    }
  }

  @Test func completionFollowsTheLastValueOfAThrottle() {
    for _ in 0..<500 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = RecordingSubscriber<Int, Never>()
      let done = Latch()
      recorder.onCompletion = { _ in done.open() }
      subject.throttle(for: .zero, scheduler: DispatchQueue.global(), latest: true).subscribe(recorder)
      for value in 0..<10 { subject.send(value) }
      subject.send(completion: .finished)
      #expect(done.wait())
      #expect(recorder.values.last == 9)
    }
  }

  @Test func requestedValueBeginsAnIntervalOfAThrottle() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    subject.throttle(for: 10, scheduler: scheduler, latest: true).subscribe(recorder)
    subject.send(1)
    scheduler.advance(by: 20)
    // The delivery of what has been requested is scheduled, and so is that of another value.
    recorder.request(.max(2))
    subject.send(2)
    scheduler.advance()
    #expect(recorder.values == [1])
    scheduler.advance(by: .milliseconds(9_999))
    #expect(recorder.values == [1])
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.values == [1, 2])
  }
}
