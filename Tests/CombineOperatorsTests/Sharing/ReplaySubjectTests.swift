import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReplaySubjectTests {
  @Test func latestValuesAreDeliveredFirst() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
    for value in 1...3 { subject.send(value) }
    let recorder = subject.recorded()
    subject.send(4)
    #expect(recorder.values == [2, 3, 4])
    #expect(subject.recorded().values == [3, 4])
  }

  @Test func completionFollowsTheStoredValues() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
    let early = subject.recorded()
    subject.send(1)
    subject.send(completion: .failure(TestError("no")))
    subject.send(2)
    subject.send(completion: .finished)
    #expect(early.log == ["1", "no"])
    #expect(subject.recorded().log == ["1", "no"])
  }

  @Test func valuesWaitForDemandAndTheCompletionToo() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
    let recorder = subject.recorded(demand: .max(1))
    for value in 1...4 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(recorder.log == ["1"])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2", "3"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "3", "4", "finished"])
  }

  @Test func noValueIsStoredWithoutRoom() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 0)
    subject.send(1)
    #expect(subject.recorded().values.isEmpty)
  }

  @Test func oldValuesAreNotDelivered() {
    let timeline = TestTimeline()
    let scheduler = timeline.scheduler
    let subject = ReplaySubject<Int, Never>(within: .seconds(5), scheduler: scheduler)
    subject.send(1)
    timeline.advance(by: .seconds(3))
    subject.send(2)
    timeline.advance(by: .seconds(3))
    #expect(subject.recorded().values == [2])
  }

  @Test func valuesThatAreTooOldAreReleasedByTheNext() {
    let (timeline, counter) = (TestTimeline(), LifetimeCounter())
    let subject = ReplaySubject<AnyObject, Never>(within: .seconds(5), scheduler: timeline.scheduler)
    for _ in 0..<9 {
      subject.send(counter.make())
      timeline.advance(by: .seconds(2))
    }
    #expect(counter.count == 3)
  }

  @Test func valueThatFollowsALongReleaseIsNotOlderThanThat() {
    let scheduler = VirtualScheduler()
    let subject = ReplaySubject<ReportsRelease, Never>(bufferSize: 2, within: .seconds(10), scheduler: scheduler)
    subject.send(
      ReportsRelease(1) { [unowned subject] in
        scheduler.advance(by: .seconds(5))
        subject.send(ReportsRelease(2))
      })
    scheduler.advance(by: .seconds(11))
    subject.send(ReportsRelease(3))
    subject.send(ReportsRelease(4))
    scheduler.advance(by: .seconds(6))
    #expect(subject.recorded().values.map(\.number) == [3, 4])
  }

  @Test func subscribersThatComeTogetherGetWhatIsNotTooOld() {
    let scheduler = VirtualScheduler()
    let subject = ReplaySubject<Int, Never>(within: .seconds(5), scheduler: scheduler)
    subject.send(1)
    scheduler.advance(by: .seconds(3))
    subject.send(2)
    scheduler.advance(by: .seconds(3))
    let second = RecordingSubscriber<Int, Never>()
    scheduler.onNow = { [unowned scheduler] in
      scheduler.onNow = nil
      subject.subscribe(second)
    }
    #expect(subject.recorded().values == [2])
    #expect(second.values == [2])
  }

  @Test func valueSentInsideTheSchedulerIsDeliveredOnce() {
    let scheduler = VirtualScheduler()
    let subject = ReplaySubject<Int, Never>(within: .seconds(5), scheduler: scheduler)
    subject.send(1)
    scheduler.onNow = { [unowned scheduler] in
      scheduler.onNow = nil
      subject.send(2)
    }
    #expect(subject.recorded().values == [1, 2])
    #expect(subject.recorded().values == [1, 2])
  }

  @Test func completionInsideTheSchedulerLetsNoValueIn() {
    let scheduler = VirtualScheduler()
    let subject = ReplaySubject<Int, Never>(within: .seconds(5), scheduler: scheduler)
    let early = subject.recorded()
    scheduler.onNow = { [unowned scheduler] in
      scheduler.onNow = nil
      subject.send(completion: .finished)
    }
    subject.send(1)
    #expect(early.log == ["finished"])
    #expect(subject.recorded().log == ["finished"])
  }

  @Test func subscribersAndSendersOfAgedValuesDoNotDisturbEachOther() {
    let scheduler = VirtualScheduler()
    let subject = ReplaySubject<Int, Never>(within: .seconds(5), scheduler: scheduler)
    let wrong = Shared(0)
    // The threads remove old values at the same time, the sender and the subscribers.
    inParallel(4) { number in
      for value in 0..<200 {
        if number == 0 {
          scheduler.advance(by: .seconds(1))
          subject.send(value)
        } else {
          let recorder = subject.recorded()
          recorder.cancel()
          let values = recorder.values
          if zip(values, values.dropFirst()).contains(where: { $1 != $0 + 1 }) { wrong.update { $0 += 1 } }
        }
      }
    }
    #expect(wrong.value == 0)
    #expect(subject.recorded().values == [194, 195, 196, 197, 198, 199])
    scheduler.advance(by: .seconds(3))
    #expect(subject.recorded().values == [197, 198, 199])
  }

  // Whether a thread that does not wait would be seen depends on the threads' order, so there are several runs.
  @Test(arguments: 0..<20)
  func valueInsideAReplayedOneDoesNotLetOthersIn(run: Int) {
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    let recorder = RecordingSubscriber<Int, Never>()
    let (log, end) = (Shared<[String]>([]), Shared<Latch?>(nil))
    recorder.onValue = { value in
      log.update { $0.append("\(value)") }
      guard value == 1 else { return }
      subject.send(2)
      // The other thread has to wait until this call has returned.
      end.value = beginOnOtherThread { subject.send(3) }
      log.update { $0.append("end of 1") }
    }
    subject.send(1)
    subject.subscribe(recorder)
    end.value?.wait()
    #expect(log.value == ["1", "2", "end of 1", "3"])
  }

  @Test func cancelledSubscriberIsReleased() {
    let counter = LifetimeCounter()
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    let subscription = subject.subscription(holding: counter.make())
    subject.send(1)
    subscription?.cancel()
    #expect(counter.count == 0)
  }

  @Test func subscriberIsReleasedAfterTheCompletion() {
    let counter = LifetimeCounter()
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    let subscription = subject.subscription(holding: counter.make())
    subject.send(completion: .finished)
    #expect(counter.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func subscriptionOfAPublisherIsRequestedWithoutLimit() {
    let (subject, source) = (
      ReplaySubject<Int, TestError>(bufferSize: 1), TestPublisher<Int, TestError>(keepsSubscribers: true)
    )
    let cancellable = source.subscribe(subject)
    #expect(source.requests == [.unlimited])
    cancellable.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func valueSentInsideADeliveryIsDeliveredOnce() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 10)
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { if $0 < 3 { subject.send($0 + 1) } }
    subject.subscribe(recorder)
    subject.send(1)
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func subscriberThatComesDuringASendGetsEachValueOnce() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 10)
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    first.onValue = { if $0 == 1 { subject.subscribe(second) } }
    subject.subscribe(first)
    subject.send(1)
    subject.send(2)
    #expect(second.values == [1, 2])
  }
}
