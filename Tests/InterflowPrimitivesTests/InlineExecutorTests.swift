import Foundation
import InterflowPrimitives
import InterflowTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct InlineExecutorTests {
  /// Keeps jobs until the test runs them.
  private final class Home: TaskExecutor {
    let jobs = Shared<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.update { $0.append(job) }
    }

    func run() {
      while let job = jobs.update({ $0.isEmpty ? nil : $0.removeFirst() }) {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  @Test func theDriverRunsTheJobs() {
    let executor = InlineExecutor()
    let log = Shared<[Int]>([])
    executor.begin()
    for number in 1...3 {
      Task(executorPreference: executor) { log.update { $0.append(number) } }
    }
    #expect(log.value == [])
    #expect(executor.runNext())
    #expect(log.value == [1])
    #expect(executor.runNext() && executor.runNext())
    #expect(log.value == [1, 2, 3])
    #expect(!executor.runNext())
    executor.end()
  }

  @Test func aTaskThatIsResumedByTheDriverRunsThere() {
    let executor = InlineExecutor()
    let waiter = Shared<CheckedContinuation<Int, Never>?>(nil)
    let result = Shared(0)
    executor.begin()
    Task(executorPreference: executor) {
      result.value = await withCheckedContinuation { waiter.value = $0 }
    }
    #expect(executor.runNext())
    waiter.value?.resume(returning: 7)
    #expect(result.value == 0)
    #expect(executor.runNext())
    #expect(result.value == 7)
    executor.end()
  }

  @Test func withoutADriverJobsGoToTheHome() {
    let (executor, home) = (InlineExecutor(), Home())
    let hasRun = Shared(false)
    ExecutorPreference.with(home) { executor.begin() }
    Task(executorPreference: executor) { hasRun.value = true }
    executor.end()
    #expect(!hasRun.value && home.jobs.value.count == 1)
    home.run()
    #expect(hasRun.value)
    Task(executorPreference: executor) { hasRun.value = false }
    #expect(home.jobs.value.count == 1)
    home.run()
    #expect(!hasRun.value)
  }

  @Test func anotherThreadsJobsDoNotWaitForTheDriver() async {
    let executor = InlineExecutor()
    let done = Signal()
    // On a thread of its own: the job needs one of those that tasks share.
    let driver = Gate()
    Thread {
      executor.begin()
      onOtherThread { Task(executorPreference: executor) { done.fire() } }
      driver.wait()
      executor.end()
    }.start()
    await done.wait()
    driver.open()
  }

  @Test func withoutAHomeJobsRunOnTheGlobalExecutor() async {
    let executor = InlineExecutor()
    executor.begin()
    let task = Task(executorPreference: executor) {
      await Task.yield()
      return 7
    }
    executor.end()
    #expect(await task.value == 7)
  }
}
