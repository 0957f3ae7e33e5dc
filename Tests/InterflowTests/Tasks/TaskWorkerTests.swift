import Interflow
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

/// What nobody is to notice of one task working on several values.
@Suite struct TaskWorkerTests {
  private let steps = StepExecutor()
  private let workshop = Workshop()

  /// The ways to run async closures, for values from 0, with what is done after each value.
  private static let forms: [Form] = [
    Form(name: "task") { count, limit, work, done in
      (0..<count).publisher.task(maxPublishers: .max(limit)) { await work($0) }.sink { done() }
    },
    Form(name: "concurrentMap") { count, limit, work, done in
      (0..<count).publisher.concurrentMap(maxTasks: limit) { await work($0) }.sink { done() }
    },
    Form(name: "sink") { count, limit, work, done in
      (0..<count).publisher.sink(maxTasks: limit) {
        await work($0)
        done()
      }
    },
    Form(name: "OneByOneSink", limit: 1) { count, _, work, done in
      let sink = Subscribers.OneByOneSink<Int, Never> { _ in
      } receiveValue: {
        await work($0)
        done()
      }
      (0..<count).publisher.subscribe(sink)
      return AnyCancellable(sink)
    },
  ]

  struct Form: CustomTestStringConvertible, Sendable {
    typealias Work = @Sendable (Int) async -> Void

    let name: String
    var limit = Int.max
    let run:
      @Sendable (_ count: Int, _ limit: Int, @escaping Work, _ done: @escaping @Sendable () -> Void) ->
        AnyCancellable

    var testDescription: String { name }
  }

  // MARK: Tasks

  @Test(arguments: forms) func valuesThatAreReadyShareATask(form: Form) {
    let tasks = Shared<Set<UnsafeCurrentTask>>([])
    let ended = Shared(0)
    let cancellable = steps.run {
      form.run(50, 1) { _ in
        withUnsafeCurrentTask { task in tasks.update { _ = $0.insert(task!) } }
      } _: {
        ended.update { $0 += 1 }
      }
    }
    #expect(ended.value == 50)
    // One that works, and one that stands by while a result is delivered.
    #expect(tasks.value.count <= 2)
    cancellable.cancel()
  }

  @Test(arguments: forms) func closureThatCancelsItsTaskDoesNotCancelThatOfAnotherValue(form: Form) async {
    for limit in [1, 4] where limit <= form.limit {
      let wasCancelled = Shared(0)
      let end = Signal()
      let cancellable = form.run(100, limit) { _ in
        if Task.isCancelled { wasCancelled.update { $0 += 1 } }
        withUnsafeCurrentTask { $0?.cancel() }
      } _: {
        end.fire()
      }
      await end.wait(100)
      #expect(wasCancelled.value == 0)
      cancellable.cancel()
    }
  }

  @Test func subscriberThatCancelsTheTaskItIsCalledInDoesNotCancelThatOfAValue() {
    let cancelled = Shared<[Bool]>([])
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { _ in withUnsafeCurrentTask { $0?.cancel() } }
    steps.run {
      (0..<4).publisher.task(maxPublishers: .max(1)) { value in
        cancelled.update { $0.append(Task.isCancelled) }
        return value
      }.subscribe(recorder)
    }
    #expect(recorder.log == ["0", "1", "2", "3", "finished"])
    #expect(cancelled.value == [false, false, false, false])
  }

  @Test func resultOfAClosureThatCancelsItsTaskIsDeliveredOutsideIt() {
    let cancelled = Shared<[Bool]>([])
    let recorder = RecordingSubscriber<Int, any Error>()
    recorder.onValue = { _ in cancelled.update { $0.append(Task.isCancelled) } }
    recorder.onCompletion = { _ in cancelled.update { $0.append(Task.isCancelled) } }
    steps.run {
      (0..<3).publisher.task(maxPublishers: .max(1)) { value in
        withUnsafeCurrentTask { $0?.cancel() }
        if value == 2 { throw TestError("last") }
        return value
      }.subscribe(recorder)
    }
    #expect(recorder.log == ["0", "1", "last"])
    #expect(cancelled.value == [false, false, false])
  }

  @Test(arguments: forms) func raisedPriorityIsNotThatOfLaterValues(form: Form) async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let priorities = Shared<[TaskPriority]>([])
    let end = Signal()
    let cancellable = Shared<AnyCancellable?>(nil)
    // Nobody awaits it, which would raise it.
    Task(priority: .low) {
      cancellable.value = form.run(20, 1) { _ in
        priorities.update { $0.append(Task.currentPriority) }
        withUnsafeCurrentTask { task in
          task?.escalatePriority(to: .high)
        }
      } _: {
        end.fire()
      }
    }
    await end.wait(20)
    #expect(priorities.value == Array(repeating: .low, count: 20))
    cancellable.value?.cancel()
  }

  @Test func priorityIsThatOfTheFirstRequestWhoeverSends() async {
    let subject = PassthroughSubject<Int, Never>()
    let priorities = Shared<[TaskPriority]>([])
    let end = Signal()
    let cancellable = await Task(priority: .high) {
      subject.sink(maxTasks: 1, buffering: .unbounded) { _ in
        priorities.update { $0.append(Task.currentPriority) }
        end.fire()
      }
    }.value
    for count in 1...3 {
      await Task(priority: .low) { subject.send(count) }.value
      await end.wait(count)
    }
    #expect(priorities.value == [.high, .high, .high])
    cancellable.cancel()
  }

  @Test(arguments: forms) func othersGetTheirTurnWhileValuesAreReady(form: Form) {
    let seen = Shared<[Int]>([])
    let runs = Signal()
    let cancellable = steps.hold {
      let cancellable = form.run(1_000, 1) { _ in
        runs.fire()
      } _: {
      }
      for _ in 0..<2 { Task(executorPreference: steps) { seen.update { $0.append(runs.count) } } }
      return cancellable
    }
    steps.runUntilIdle()
    #expect(seen.value.allSatisfy { (1...64).contains($0) })
    #expect(seen.value.count == 2)
    #expect(runs.count == 1_000)
    cancellable.cancel()
  }

  @Test func closureRunsWhereItsValueHasBeenSent() {
    let other = StepExecutor()
    let seen = Shared<[Int]>([])
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Never>()
    publisher.task(maxPublishers: .max(4)) { value in
      seen.update { $0.append(value) }
      return value
    }.subscribe(recorder)
    steps.hold { for value in 0..<2 { publisher.send(value) } }
    other.hold { for value in 2..<4 { publisher.send(value) } }
    other.runUntilIdle()
    #expect(seen.value == [])
    steps.runUntilIdle()
    #expect(seen.value == [0, 1])
    other.runUntilIdle()
    #expect(seen.value == [0, 1, 2, 3])
    #expect(recorder.values == [0, 1, 2, 3])
    recorder.cancel()
  }

  // MARK: How many run

  /// Each closure waits until as many have begun as may run: one too few would wait for ever.
  @Test(arguments: forms, [1, 2, 3, 8]) func asManyRunAsMayWhenThereIsWork(form: Form, limit: Int) async {
    guard limit <= form.limit else { return }
    let count = limit * 25
    let (begun, ended) = (Signal(), Signal())
    let number = Atomic(0)
    let running = Atomic(0)
    let most = Shared(0)
    let cancellable = form.run(count, limit) { _ in
      let now = running.wrappingAdd(1, ordering: .relaxed).newValue
      most.update { $0 = max($0, now) }
      let cohort = number.wrappingAdd(1, ordering: .relaxed).oldValue / limit
      begun.fire()
      await begun.wait((cohort + 1) * limit)
      running.wrappingSubtract(1, ordering: .relaxed)
    } _: {
      ended.fire()
    }
    await ended.wait(count)
    #expect(most.value == limit)
    cancellable.cancel()
  }

  @Test(arguments: [1, 2, 4]) func asManyRunWhereALoopTakesTheResults(limit: Int) async {
    let count = limit * 50
    let begun = Signal()
    let number = Atomic(0)
    let results = (0..<count).publisher.task(maxPublishers: .max(limit)) { value in
      let cohort = number.wrappingAdd(1, ordering: .relaxed).oldValue / limit
      begun.fire()
      await begun.wait((cohort + 1) * limit)
      return value
    }
    var taken: [Int] = []
    for await value in results.asyncValues(prefetch: 3) { taken.append(value) }
    #expect(taken.sorted() == Array(0..<count))
  }

  @Test(arguments: [1, 2, 3], [true, false]) func whoDeliversCostsNoConcurrency(limit: Int, keepsOrder: Bool) {
    let recorder = RecordingSubscriber<Int, Never>()
    let running = Shared<[Int]>([])
    recorder.onValue = { [steps, workshop] _ in
      // While the subscriber is busy, the others go on.
      steps.runUntilIdle()
      running.update { $0.append(workshop.running) }
    }
    steps.run {
      if keepsOrder {
        (0..<9).publisher.concurrentMap(maxTasks: limit) { await workshop.work($0) }.subscribe(recorder)
      } else {
        (0..<9).publisher.task(maxPublishers: .max(limit)) { await workshop.work($0) }.subscribe(recorder)
      }
    }
    for value in 0..<4 { steps.run { workshop.letGo(value) } }
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(running.value == [limit, limit, limit, limit])
    recorder.cancel()
    steps.runUntilIdle()
  }

  @Test func whoDeliversTheResultsOfOthersCostsNoConcurrency() {
    let recorder = RecordingSubscriber<Int, Never>()
    let running = Shared<[Int]>([])
    recorder.onValue = { [steps, workshop] value in
      steps.runUntilIdle()
      running.update { $0.append(workshop.running) }
      guard value == 0 else { return }
      // These two end, and wait for the one that delivers; they take up their slots until then.
      for value in 1...2 { workshop.letGo(value) }
      steps.runUntilIdle()
      running.update { $0.append(workshop.running) }
    }
    steps.run {
      (0..<9).publisher.task(maxPublishers: .max(2)) { await workshop.work($0) }.subscribe(recorder)
    }
    steps.run { workshop.letGo(0) }
    #expect(recorder.values == [0, 1, 2])
    #expect(running.value == [2, 0, 1, 2])
    recorder.cancel()
    steps.runUntilIdle()
  }

  @Test func deliveryOfManyResultsIsHandedOver() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    steps.run { (0..<1_000).publisher.task { $0 }.subscribe(recorder) }
    #expect(recorder.values == [])
    steps.run { recorder.request(.max(1)) }
    #expect(recorder.values.count == 1)
    let threadsOwn = Shared(0)
    steps.hold {
      recorder.request(.unlimited)
      threadsOwn.value = recorder.values.count
    }
    // Whoever requests does not deliver for as long as there is anything.
    #expect(threadsOwn.value < 200)
    steps.runUntilIdle()
    #expect(recorder.values.count == 1_000)
    #expect(recorder.isFinished)
  }
}
