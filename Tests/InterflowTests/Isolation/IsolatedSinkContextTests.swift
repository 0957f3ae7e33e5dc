import Interflow
import InterflowTestSupport
import Testing

/// In which tasks the closures of `sink(isolation:)` run.
@Suite struct IsolatedSinkContextTests {
  @TaskLocal private static var label = ""

  private actor Log {
    nonisolated let lines = Shared<[String]>([])
    private var cancellable: AnyCancellable?

    func follow(_ subject: PassthroughSubject<Int, Never>) {
      let lines = lines
      cancellable = subject.sink(isolation: #isolation) { completion in
        lines.update { $0.append("\(completion)") }
      } receiveValue: { value in
        lines.update { $0.append("\(value)") }
        // Delivered by another task.
        if value == 1 { subject.send(2) }
      }
    }

    func followWithoutSelf(_ subject: PassthroughSubject<Int, Never>) {
      cancellable = subject.sink(isolation: self) { log, completion in
        log.lines.update { $0.append("\(completion)") }
      } receiveValue: { log, value in
        log.lines.update { $0.append("\(value)") }
      }
    }
  }

  @Test(arguments: [true, false]) func deliveriesRunWhereTheSendersTasksWould(handsTheActor: Bool) {
    let (steps, log) = (StepExecutor(), Log())
    let subject = PassthroughSubject<Int, Never>()
    steps.run {
      Task(executorPreference: steps) {
        if handsTheActor { await log.followWithoutSelf(subject) } else { await log.follow(subject) }
      }
    }
    steps.hold { subject.send(1) }
    #expect(steps.readyCount == 1)
    steps.runUntilIdle()
    #expect(log.lines.value == (handsTheActor ? ["1"] : ["1", "2"]))
    steps.hold { subject.send(completion: .finished) }
    #expect(steps.readyCount == 1)
    steps.runUntilIdle()
    #expect(log.lines.value.last == "finished")
  }

  @Test func closuresHaveTheSubscribersPriorityAndNoSendersTaskLocalValues() async {
    let desk = Desk()
    let subject = PassthroughSubject<Int, Never>()
    let subscribe = Task(priority: .high) {
      desk.perform { desk in
        subject.sink(isolation: #isolation) { _ in
          desk.note("\(Self.label)\(Task.currentPriority == .high)")
        } receiveValue: {
          desk.note("\($0)\(Self.label)\(Task.currentPriority == .high)")
        }
      }
    }
    let cancellable = await subscribe.value
    for value in 1...2 {
      await Task(priority: .low) {
        Self.$label.withValue("sender") { subject.send(value) }
      }.value
      desk.executor.run()
    }
    await Task(priority: .low) {
      Self.$label.withValue("sender") { subject.send(completion: .finished) }
    }.value
    desk.executor.run()
    #expect(desk.noted == ["1true", "2true", "true"])
    withExtendedLifetime(cancellable) {}
  }
}
