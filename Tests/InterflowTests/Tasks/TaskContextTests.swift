import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// Where and how the closures of tasks run.
@Suite struct TaskContextTests {
  private actor Counter {
    private(set) var count = 0

    func increment() { count += 1 }
  }

  @TaskLocal private static var label = ""

  /// The priority that each kind of task has inside its closure.
  private func priorities(_ priority: TaskPriority?) async -> [String: TaskPriority] {
    let seen = Shared<[String: TaskPriority]>([:])
    let notes = Signal()
    @Sendable func note(_ kind: String) {
      seen.update { $0[kind] = Task.currentPriority }
      notes.fire()
    }
    let sinks = [
      [1].publisher.task(priority: priority) { _ in note("task") }.emptySink(),
      [1].publisher.task(priority: priority) { _ in
        note("throwing task")
        throw TestError()
      }.map { 0 }.emptySink(),
      [1].publisher.concurrentMap(maxTasks: 1, priority: priority) { _ in note("concurrentMap") }.emptySink(),
      [1].publisher.sink(maxTasks: 1, priority: priority) { _ in note("sink") },
      [1].publisher.oneByOneSink(priority: priority) { _ in note("oneByOneSink") },
    ]
    await notes.wait(sinks.count)
    withExtendedLifetime(sinks) {}
    return seen.value
  }

  @Test(arguments: [TaskPriority.high, .medium, .low, .background])
  func priorityIsTheOneAskedFor(priority: TaskPriority) async {
    let seen = await priorities(priority)
    #expect(seen.count == 5)
    // Nobody awaits these tasks, so nothing raises them.
    for (kind, seen) in seen { #expect(seen == priority, "\(kind)") }
  }

  @Test func withoutAPriorityItIsThatOfTheSubscriber() async {
    let seen = await Task(priority: .high, operation: { await priorities(nil) }).value
    for (kind, seen) in seen {
      #expect(seen == .high, "\(kind)")
    }
  }

  @MainActor @Test func closuresRunOutsideAnyActor() async {
    let isNonisolated = Shared<[Bool]>([])
    let notes = Signal()
    // Formed on the main actor, whose isolation a closure that is not `@Sendable` would take along.
    let sinks = [
      [1].publisher.task { _ in #isolation == nil }.sink { value in
        isNonisolated.update { $0.append(value) }
        notes.fire()
      },
      [1].publisher.concurrentMap(maxTasks: 1) { _ in #isolation == nil }.sink { value in
        isNonisolated.update { $0.append(value) }
        notes.fire()
      },
      [1].publisher.sink(maxTasks: 1) { _ in
        let isOutside = #isolation == nil
        isNonisolated.update { $0.append(isOutside) }
        notes.fire()
      },
      [1].publisher.oneByOneSink { _ in
        let isOutside = #isolation == nil
        isNonisolated.update { $0.append(isOutside) }
        notes.fire()
      },
    ]
    await notes.wait(sinks.count)
    #expect(isNonisolated.value == [true, true, true, true])
    withExtendedLifetime(sinks) {}
  }

  @MainActor @Test func closureThatNamesAnActorRunsThere() async {
    let onMain = [1].publisher.task { @MainActor _ in
      MainActor.assertIsolated()
      return true
    }
    #expect(await onMain.firstValue() == true)
  }

  @Test func closuresCanCallActors() async {
    let counter = Counter()
    let calls = (0..<100).publisher.concurrentMap(maxTasks: 8) { _ in await counter.increment() }
    _ = await collect(calls.asyncStream())
    #expect(await counter.count == 100)
  }

  @Test func taskLocalsAreThoseOfTheSubscriber() async {
    let label = await TaskContextTests.$label.withValue("here") {
      await [1].publisher.task { _ in TaskContextTests.label }.firstValue()
    }
    #expect(label == "here")
  }

  @Test func taskLocalsAreThoseOfTheFirstRequestWhoeverSends() async {
    let subject = PassthroughSubject<Int, Never>()
    let labels = Shared<Set<String>>([])
    let ended = Signal()
    @Sendable func note(_: Int) {
      labels.update { _ = $0.insert(TaskContextTests.label) }
      ended.fire()
    }
    let oneByOne = Subscribers.OneByOneSink<Int, Never> { _ in
    } receiveValue: { value in
      await Task.yield()
      note(value)
    }
    let sinks = TaskContextTests.$label.withValue("here") {
      subject.buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest).subscribe(oneByOne)
      return [
        subject.task(buffering: .unbounded) { note($0) }.emptySink(),
        subject.concurrentMap(maxTasks: 3, buffering: .unbounded) { note($0) }.emptySink(),
        subject.sink(maxTasks: 1, buffering: .unbounded) { note($0) },
        AnyCancellable(oneByOne),
      ]
    }
    await withTaskGroup { group in
      for sender in 0..<4 {
        group.addTask {
          for index in 0..<25 {
            TaskContextTests.$label.withValue("sender \(sender)") { subject.send(index) }
            await Task.yield()
          }
        }
      }
    }
    await ended.wait(400)
    #expect(labels.value == ["here"])
    withExtendedLifetime(sinks) {}
  }

  @Test func contextOfASinkIsThatOfTheCodeThatAttachesIt() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let seen = Shared<[String]>([])
    let noted = Signal()
    @Sendable func note(_: Int) {
      seen.update { $0.append("\(TaskContextTests.label) \(Task.currentPriority == .high)") }
      noted.fire()
    }
    let attach: [@Sendable () -> AnyCancellable] = [
      { publisher.sink(maxTasks: 2) { note($0) } }, { publisher.oneByOneSink { note($0) } },
    ]
    for (index, attach) in attach.enumerated() {
      // Awaiting a task may raise its priority, so the code that attaches has the higher one.
      let sink = Task.detached(priority: .high) { TaskContextTests.$label.withValue("attaching", operation: attach) }
      let cancellable = await sink.value
      await Task.detached(priority: .low) {
        TaskContextTests.$label.withValue("subscribing") { publisher.subscription?.sendSubscription() }
      }.value
      publisher.send(1)
      await noted.wait(index + 1)
      cancellable.cancel()
    }
    #expect(seen.value == ["attaching true", "attaching true"])
  }

  @TaskLocal private static var token: LifetimeCounter.Token?

  @Test func taskLocalsOfASinkAreReleasedIfItIsNeverSubscribed() {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let sink = TaskContextTests.$token.withValue(counter.make()) { publisher.sink(maxTasks: 1) { _ in } }
    #expect(counter.count == 1)
    sink.cancel()
    publisher.releaseSubscribers()
    #expect(counter.count == 0)
  }

  enum Ending: CaseIterable { case completion, cancellation, failure, abandonment }

  @Test(arguments: Ending.allCases) func taskLocalsAreReleasedWithTheSubscription(ending: Ending) {
    let counter = LifetimeCounter()
    let steps = StepExecutor()
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    TaskContextTests.$token.withValue(counter.make()) {
      publisher.task(maxPublishers: .max(2)) { value throws(TestError) in
        if value == 1 { throw TestError() }
        return value
      }.subscribe(recorder)
    }
    steps.run { publisher.send(0) }
    #expect(recorder.values == [0])
    #expect(counter.count == 1)
    switch ending {
    case .completion: publisher.send(completion: .finished)
    case .cancellation: recorder.cancel()
    case .failure: steps.run { publisher.send(1) }
    case .abandonment:
      recorder.releaseSubscriptions()
      publisher.releaseSubscribers()
    }
    #expect(counter.count == 0)
  }
}
