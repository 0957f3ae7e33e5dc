import Combine
import Dispatch
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReceiveOnTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  // MARK: Values

  @Test func signalsAreDeliveredOnTheScheduler() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: scheduler) }
    #expect(recorder.subscriptionNames == ["ReceiveOn"])
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func failureComesAfterTheValues() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: scheduler) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    scheduler.advance()
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func eachSignalHasAJobOfItsOwn() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: scheduler, options: "label") }
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    #expect(scheduler.calls == [.soon, .soon, .soon, .soon])
    #expect(scheduler.options == ["label", "label", "label", "label"])
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "finished"])
    #expect(scheduler.calls.count == 4)
  }

  @Test func otherWorkKeepsItsPlaceBetweenValues() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: scheduler) }
    var delivered: [Int] = []
    for value in 1...3 {
      scheduler.schedule { delivered.append(recorder.values.count) }
      source.send(value)
    }
    scheduler.advance()
    #expect(delivered == [0, 1, 2])
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func branchesOnOneSchedulerTakeTurns() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.receive(on: scheduler).map { "a\($0)" }
      .merge(with: subject.receive(on: scheduler).map { "b\($0)" }).recorded()
    subject.send(1)
    subject.send(2)
    scheduler.advance()
    #expect(recorder.values == ["a1", "b1", "a2", "b2"])
  }

  @Test func valueSentFromInsideComesAfterWhatIsQueued() {
    let source = Source(keepsSubscribers: true)
    var log: [String] = []
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [unowned source, scheduler] value in
      log.append("\(value)")
      if value == 2 {
        scheduler.schedule { log.append("work from inside") }
        source.send(4)
      }
    }
    source.receive(on: scheduler).subscribe(recorder)
    source.send(1)
    scheduler.schedule { log.append("work") }
    source.send(2)
    source.send(3)
    scheduler.advance()
    #expect(log == ["1", "work", "2", "3", "work from inside", "4"])
  }

  @Test func valueSentFromInsideAValueFollowsIt() {
    let source = Source(keepsSubscribers: true)
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
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: scheduler) }
    source.send(1)
    source.send(completion: .finished)
    recorder.cancel()
    scheduler.advance()
    #expect(recorder.log.isEmpty)
  }

  @Test func cancellationBetweenValuesDropsTheRest() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: scheduler) }
    recorder.onValue = { [unowned recorder] in if $0 == 2 { recorder.cancel() } }
    for value in 1...5 { source.send(value) }
    scheduler.advance()
    #expect(recorder.log == ["1", "2"])
    #expect(source.cancellations.count == 1)
  }

  // MARK: Immediate scheduler

  @Test func immediateSchedulerDeliversAtOnce() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.receive(on: ImmediateScheduler.shared) }
    source.send(1)
    #expect(recorder.log == ["1"])
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func valueSentFromInsideAValueIsDeliveredInsideItAtOnce() {
    let source = Source(keepsSubscribers: true)
    var log: [String] = []
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [unowned source] value in
      log.append("\(value)")
      if value < 3 { source.send(value + 1) }
      if value == 3 { source.send(completion: .finished) }
      log.append("end of \(value)")
    }
    recorder.onCompletion = { _ in log.append("finished") }
    source.receive(on: ImmediateScheduler.shared).subscribe(recorder)
    source.send(1)
    #expect(log == ["1", "2", "3", "finished", "end of 3", "end of 2", "end of 1"])
  }

  @Test func whatAnotherThreadSendsMeanwhileComesBeforeWhatIsSentFromInside() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [unowned source, unowned recorder] value in
      guard value == 1 else { return }
      let box = UncheckedBox(source)
      #expect(onOtherThread { box.value.send(2) })
      #expect(recorder.values == [1])
      source.send(3)
      #expect(recorder.values == [1, 2, 3])
    }
    source.receive(on: ImmediateScheduler.shared).subscribe(recorder)
    source.send(1)
    source.send(4)
    #expect(recorder.values == [1, 2, 3, 4])
  }

  @Test func demandThatComesBackAtOnceDoesNotGrowTheStack() {
    let gauge = StackGauge()
    let reentrant = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    reentrant.onValue = { _ in gauge.measure() }
    (0..<100_000).publisher.receive(on: ImmediateScheduler.shared).subscribe(reentrant)
    #expect(reentrant.values.count == 100_000)
    #expect(reentrant.isFinished)
    #expect(gauge.growth < 10_000)
  }

  // MARK: Demand

  @Test func everySignalIsPassedOnWhateverWasAskedFor() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError("failed"))] {
      let source = Source(keepsSubscribers: true)
      let recorder = source.recorded(demand: .max(1)) { $0.receive(on: scheduler) }
      for value in 1...3 { source.send(value) }
      source.send(completion: completion)
      scheduler.advance()
      #expect(recorder.log == ["1", "2", "3", completion == .finished ? "finished" : "failed"])
    }
  }

  @Test func demandIsHandedOn() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.receive(on: scheduler).subscribe(recorder)
    #expect(source.send(4) == .none)
    #expect(source.requests == [.max(2)])
    scheduler.advance()
    #expect(source.requests == [.max(2), .max(4)])
    recorder.request(.none)
    #expect(source.requests == [.max(2), .max(4), .max(0)])
  }

  // MARK: Real queues

  @Test(arguments: [false, true]) func otherWorkOfAQueueKeepsItsPlace(hasOptions: Bool) {
    let queue = DispatchQueue(label: "serial")
    let source = Source(keepsSubscribers: true)
    let log = Shared<[String]>([])
    let recorder = RecordingSubscriber<Int, TestError>()
    let box = UncheckedBox(source)
    recorder.onValue = { value in
      log.update { $0.append("\(value)") }
      if value == 3 {
        queue.async { log.update { $0.append("work from inside") } }
        box.value.send(4)
        box.value.send(completion: .finished)
      }
    }
    let done = Latch()
    recorder.onCompletion = { _ in done.open() }
    source.receive(on: queue, options: hasOptions ? .init() : nil).subscribe(recorder)
    queue.suspend()
    source.send(1)
    queue.async { log.update { $0.append("work") } }
    source.send(2)
    source.send(3)
    queue.resume()
    #expect(done.wait())
    #expect(log.value == ["1", "work", "2", "3", "work from inside", "4"])
  }

  @Test func whatIsQueuedKeepsTheStreamAliveUntilItHasRun() {
    let queue = DispatchQueue(label: "serial")
    let counter = LifetimeCounter()
    let values = Shared<[Int]>([])
    let done = Latch()
    queue.suspend()
    func stream() {
      let token = counter.make()
      Just(1).receive(on: queue).subscribe(
        AnySubscriber(
          receiveSubscription: { $0.request(.unlimited) },
          receiveValue: { value in
            token.touch()
            values.update { $0.append(value) }
            return .none
          },
          receiveCompletion: { _ in done.open() }))
    }
    stream()
    #expect(counter.count == 1)
    queue.resume()
    #expect(done.wait())
    queue.sync {}
    #expect(values.value == [1])
    #expect(counter.count == 0)
  }

  @Test func queuedJobsKeepNothingAfterACancellation() {
    let queue = DispatchQueue(label: "serial")
    let counter = LifetimeCounter()
    let source = TestPublisher<Tracked, TestError>(keepsSubscribers: true)
    queue.suspend()
    weak var stage: AnyObject?
    func stream() {
      let recorder = RecordingSubscriber<Tracked, TestError>()
      source.receive(on: queue).subscribe(recorder)
      stage = recorder.subscription as AnyObject?
      for value in 1...3 { source.send(Tracked(value, counter)) }
      recorder.cancel()
      source.releaseSubscribers()
    }
    stream()
    #expect(counter.count == 0)
    #expect(stage != nil)
    queue.resume()
    queue.sync {}
    #expect(stage == nil)
  }

  @Test func subscriberThatLetsGoOfItselfIsReleasedWithoutALock() {
    let source = Source(keepsSubscribers: true)
    var subscription: (any Subscription)?
    func stream() {
      let last = Last {
        let box = UncheckedBox(subscription)
        #expect(onOtherThread { box.value?.request(.max(1)) })
      }
      source.receive(on: scheduler).subscribe(
        AnySubscriber(
          receiveSubscription: { subscription = $0 },
          receiveValue: { _ in
            withExtendedLifetime(last) { subscription?.cancel() }
            return .none
          }))
      source.send(1)
      source.releaseSubscribers()
    }
    stream()
    scheduler.advance()
    #expect(source.cancellations.count == 1)
  }

  @Test func valueWhoseReleaseCancelsIsReleasedWithoutALock() {
    let subject = PassthroughSubject<Last, Never>()
    var cancellable: AnyCancellable?
    var isReleased = false
    cancellable = subject.receive(on: scheduler).sink { _ in }
    func send() {
      subject.send(
        Last {
          isReleased = true
          cancellable = nil
        })
    }
    send()
    #expect(!isReleased)
    scheduler.advance()
    #expect(isReleased)
    #expect(cancellable == nil)
  }

  /// Does something when it is released.
  private final class Last {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    deinit { action() }
  }

  @Test func streamThatEverybodyForgetsIsReleased() {
    let source = Source(keepsSubscribers: true)
    weak var stage: AnyObject?
    func stream() {
      let recorder = source.recorded { $0.receive(on: DispatchQueue.global()) }
      stage = recorder.subscription as AnyObject?
      recorder.releaseSubscriptions()
      source.releaseSubscribers()
    }
    stream()
    #expect(stage == nil)
  }

  @Test func concurrentQueueKeepsTheOrderAndDeliversOneAtATime() {
    let subject = PassthroughSubject<[Int], Never>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let done = Latch()
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
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { _ in #expect(!isCancelled.value) }
      subject.receive(on: queue).subscribe(recorder)
      let sent = Latch()
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

  #if INTERFLOW_FOUNDATION
    @Test func operationQueueAndRunLoopDeliver() {
      let operations = OperationQueue()
      let done = Latch()
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
  #endif

  // MARK: Rules

  @Test func keepsTheRules() {
    expectTimedRules("ReceiveOn", holdsSurplus: false) { upstream, scheduler, token in
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
}
