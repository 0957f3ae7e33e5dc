import Combine
import Dispatch
import Foundation
import Testing

@Suite struct ReceiveOnTests {
  typealias Source = ManualPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  // MARK: Values

  @Test func signalsAreDeliveredOnTheScheduler() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler) }
    #expect(recorder.subscriptions == ["ReceiveOn"])
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func failureComesAfterTheValues() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    scheduler.advance()
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func oneJobDeliversWhatComesBeforeItRuns() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler, options: "label") }
    for value in 1...100 { source.send(value) }
    #expect(scheduler.scheduled == 1)
    scheduler.advance()
    source.send(101)
    scheduler.advance()
    #expect(recorder.values == Array(1...101))
    #expect(scheduler.options == ["label", "label"])
  }

  @Test func longQueueLeavesRoomForOtherJobs() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler) }
    for value in 1...10_000 { source.send(value) }
    var delivered = 0
    scheduler.schedule { delivered = recorder.values.count }
    scheduler.advance()
    #expect(delivered < 1000)
    #expect(recorder.values == Array(1...10_000))
  }

  @Test func valueSentFromInsideAValueFollowsIt() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler) }
    recorder.onValue = { [unowned source, unowned recorder] value in
      if value < 3 { source.send(value + 1) }
      #expect(recorder.values.count == value)
    }
    source.send(1)
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3])
  }

  // MARK: Cancellation

  @Test func cancellationReachesWhatIsScheduled() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler) }
    source.send(1)
    source.send(completion: .finished)
    recorder.cancel()
    scheduler.advance()
    #expect(recorder.log.isEmpty)
  }

  @Test func cancellationBetweenValuesDropsTheRest() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: scheduler) }
    recorder.onValue = { [unowned recorder] in if $0 == 2 { recorder.cancel() } }
    for value in 1...5 { source.send(value) }
    scheduler.advance()
    #expect(recorder.log == ["1", "2"])
    #expect(source.cancellations == 1)
  }

  // MARK: Immediate scheduler

  @Test func immediateSchedulerDeliversAtOnce() {
    let source = Source()
    let recorder = source.recorded { $0.receive(on: ImmediateScheduler.shared) }
    source.send(1)
    #expect(recorder.log == ["1"])
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func immediateSchedulerDoesNotGrowTheStack() {
    let subject = PassthroughSubject<Int, Never>()
    var depth = 0
    var deepest = 0
    var last = 0
    let cancellable = subject.receive(
      on: Counting {
        depth += $0; deepest = max(deepest, depth)
      }
    ).sink {
      last = $0
      if $0 < 100_000 { subject.send($0 + 1) }
    }
    subject.send(1)
    #expect(last == 100_000)
    #expect(deepest < 10)
    cancellable.cancel()

    let reentrant = Recorder<Int, Never>(demand: .max(1), demandForEach: { _ in .max(1) })
    (0..<100_000).publisher.receive(on: ImmediateScheduler.shared).subscribe(reentrant)
    #expect(reentrant.values.count == 100_000)
    #expect(reentrant.isFinished)
  }

  /// An immediate scheduler that tells how deep its jobs are nested.
  private struct Counting: Scheduler {
    typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
    typealias SchedulerOptions = Never
    let count: (Int) -> Void

    var now: SchedulerTimeType { ImmediateScheduler.shared.now }
    var minimumTolerance: SchedulerTimeType.Stride { 0 }

    func schedule(options: Never?, _ action: @escaping () -> Void) {
      count(1)
      action()
      count(-1)
    }

    func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
      _ action: @escaping () -> Void
    ) { schedule(options: nil, action) }

    func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
      options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
      schedule(options: nil, action)
      return Subscriptions.empty
    }
  }

  // MARK: Real queues

  @Test func concurrentQueueKeepsTheOrderAndDeliversOneAtATime() {
    let subject = PassthroughSubject<[Int], Never>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let done = Gate()
    let busy = Shared(0)
    let seen = Shared<[[Int]]>([])
    let completions = Shared(0)
    let cancellable = subject.receive(on: queue).sink { _ in
      completions.update { $0 += 1 }
      done.open()
    } receiveValue: { value in
      #expect(
        busy.update {
          $0 += 1; return $0
        } == 1)
      seen.update { $0.append(value) }
      busy.update { $0 -= 1 }
    }
    let box = UncheckedBox(subject)
    inParallel(8) { producer in
      for number in 0..<2000 { box.value.send([producer, number]) }
    }
    subject.send(completion: .finished)
    #expect(done.wait())
    #expect(completions.value == 1)
    #expect(seen.value.count == 16_000)
    for producer in 0..<8 {
      #expect(seen.value.filter { $0[0] == producer }.map { $0[1] } == Array(0..<2000))
    }
    cancellable.cancel()
  }

  @Test func nothingFollowsACancellationOnTheSchedulersThread() {
    for _ in 0..<100 {
      let subject = PassthroughSubject<Int, Never>()
      let queue = DispatchQueue(label: "serial")
      let box = UncheckedBox(subject)
      let isCancelled = Shared(false)
      let recorder = Recorder<Int, Never>()
      recorder.onValue = { _ in #expect(!isCancelled.value) }
      subject.receive(on: queue).subscribe(recorder)
      let sent = Gate()
      Thread.detachNewThread {
        for value in 0..<500 { box.value.send(value) }
        sent.open()
      }
      queue.sync {
        recorder.cancel()
        isCancelled.value = true
      }
      #expect(sent.wait())
      queue.sync {}
    }
  }

  @Test func operationQueueAndRunLoopDeliver() {
    let operations = OperationQueue()
    let done = Gate()
    var values: [Int] = []
    let cancellable = (0..<1000).publisher.receive(on: operations).sink { _ in
      done.open()
    } receiveValue: {
      values.append($0)
    }
    #expect(done.wait())
    #expect(values == Array(0..<1000))
    cancellable.cancel()
  }

  // MARK: Rules

  @Test func keepsTheRules() {
    expectTimedRules("ReceiveOn") { upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.receive(on: scheduler)
    }
    expectOperatorRules("ReceiveOn") { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }.receive(on: ImmediateScheduler.shared)
    }
  }

  @Test func requestForNothingIsLetPass() {
    let source = ManualPublisher<Int, TestError>()
    let recorder = Recorder<Int, TestError>(demand: .none)
    source.receive(on: ImmediateScheduler.shared).subscribe(recorder)
    recorder.request(.none)
    recorder.request(.max(1))
    source.send(1)
    #expect(source.requests == [.max(1)])
    #expect(recorder.values == [1])
  }
}
