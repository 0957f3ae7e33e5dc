import Interflow
import InterflowTestSupport
import Testing

/// Where and how the closures of tasks run.
@Suite(.timeLimit(.minutes(5))) struct TaskContextTests {
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
}
