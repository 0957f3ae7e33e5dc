import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// How long upstream is used: as long as the subscriber of the windows, or one of a window, is there.
@Suite struct WindowUsersTests {
  private let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
  private let busy = BusyThread()

  // MARK: Threads

  @Test func cancellationDoesNotWaitForARequest() {
    let values = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    values.onValue = { [busy] _ in busy.stay() }
    let windows = source.window(count: 9).recorded()
    source.send(1)
    windows.values[0].subscribe(values)
    windows.cancel()
    busy.start { values.request(.max(1)) }
    onOtherThread { values.cancel() }
    #expect(source.cancellations.count == 1)
    busy.release()
    #expect(values.log == ["1"])
  }

  @Test func cancellationInsideAValueDoesNotWaitForARequest() {
    let (first, second) = (
      RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>(initialDemand: .none)
    )
    let hasCancelled = Latch()
    let windows = source.window(count: 9).recorded()
    source.send(1)
    windows.values[0].subscribe(first)
    windows.values[0].subscribe(second)
    source.send(2)
    second.onValue = { [busy] _ in busy.stay() }
    busy.start { second.request(.max(1)) }
    first.onValue = { _ in
      windows.cancel()
      second.cancel()
      first.cancel()
      hasCancelled.open()
    }
    let end = beginOnOtherThread { [source] in source.send(3) }
    hasCancelled.wait()
    #expect(source.cancellations.count == 1)
    busy.release()
    end.wait()
    #expect(first.values == [1, 2, 3])
    #expect(second.log == ["2"])
  }

  // MARK: Subscribers of windows

  @Test func windowThatIsCompleteDoesNotKeepUpstream() {
    let windows = source.window(count: 2).recorded()
    source.send(1)
    let values = windows.values[0].recorded(demand: .none)
    source.send(2)
    windows.cancel()
    #expect(source.cancellations.count == 1)
    values.request(.unlimited)
    #expect(values.log == ["1", "2", "finished"])
  }

  // MARK: Windows without subscribers

  @Test func groupThatNobodyUsesStoresNothing() {
    let (source, counter) = (TestPublisher<LifetimeCounter.Token, TestError>(keepsSubscribers: true), LifetimeCounter())
    var keys = (0..<6).map { $0 % 2 }.makeIterator()
    let recorder = source.groupBy { _ in keys.next() ?? 0 }.filter { $0.key == 1 }.flatMap { $0.map { _ in 1 } }
      .recorded()
    for _ in 0..<6 { source.send(counter.make()) }
    #expect(recorder.values.count == 3)
    #expect(counter.count == 0)
  }

  @Test func windowThatIsReleasedStoresNothing() {
    let (source, counter) = (TestPublisher<LifetimeCounter.Token, TestError>(keepsSubscribers: true), LifetimeCounter())
    let windows = source.window(count: 9).map { _ in 1 }.recorded(demand: .none)
    source.send(counter.make())
    #expect(counter.count == 1)
    windows.request(.max(1))
    #expect(counter.count == 0)
    source.send(counter.make())
    #expect(counter.count == 0)
  }

  // MARK: Operators that cancel with a value

  @Test func firstGroupThatMatchesIsDeliveredToItsEnd() {
    let recorder = source.groupBy { $0 % 3 }.first { $0.key == 2 }.flatMap { $0 }.recorded()
    for value in [1, 2, 3, 4, 5] { source.send(value) }
    #expect(recorder.log == ["2", "5"])
    #expect(source.cancellations.isEmpty)
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func firstWindowOfTimeIsDeliveredToItsEnd() {
    let timeline = TestTimeline()
    let recorder = source.window(time: .seconds(1), scheduler: timeline.scheduler).first().flatMap { $0 }.recorded()
    #expect(source.subscriptions.count == 1)
    source.send(1)
    source.send(2)
    timeline.advance(by: .seconds(1))
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(source.cancellations.count == 1)
    #expect(timeline.pending.isEmpty)
  }

  @Test func windowThatIsRequestedLaterIsDeliveredToItsEnd() {
    let windows = RecordingSubscriber<AnyPublisher<Int, TestError>, TestError>(initialDemand: .none)
    let values = RecordingSubscriber<Int, TestError>()
    windows.onValue = { [unowned windows] in
      windows.cancel()
      $0.subscribe(values)
    }
    source.window(count: 3).subscribe(windows)
    source.send(1)
    windows.request(.max(1))
    #expect(source.cancellations.isEmpty)
    for value in 2...4 { source.send(value) }
    #expect(values.log == ["1", "2", "3", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func cancellationInsideANestedValueCountsAfterTheOuterOne() {
    let windows = RecordingSubscriber<AnyPublisher<Int, TestError>, TestError>()
    var cancellations: [Int] = []
    windows.onValue = { [source, unowned windows] _ in
      if windows.values.count == 1 { source.send(2) } else { windows.cancel() }
      cancellations.append(source.cancellations.count)
    }
    source.window(count: 1).subscribe(windows)
    source.send(1)
    #expect(cancellations == [0, 0])
    #expect(source.cancellations.count == 1)
    #expect(windows.values.map { $0.recorded().log } == [["1", "finished"], ["2", "finished"]])
  }

  @Test func cancellationInsideAValueEndsTheTimer() {
    let timeline = TestTimeline()
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    // Neither this upstream nor the recorder retains the operator.
    Empty<Int, TestError>(completeImmediately: false).window(time: .seconds(1), scheduler: timeline.scheduler)
      .map { _ in 1 }.subscribe(recorder)
    #expect(timeline.pending.count == 1)
    recorder.request(.max(1))
    #expect(timeline.pending.isEmpty)
  }

  @Test func groupThatIsUsedAfterTheCallHasFinished() {
    let groups = source.groupBy { $0 }.first().recorded()
    source.send(1)
    #expect(source.cancellations.count == 1)
    #expect(groups.values[0].recorded().log == ["1", "finished"])
  }
}
