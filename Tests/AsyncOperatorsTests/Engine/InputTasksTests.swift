import AsyncOperators
import Foundation
import InterflowTestSupport
import Testing

/// Where inputs run: in tasks of their own, whatever they do there.
@Suite(.serialized) struct InputTasksTests {
  // MARK: Inputs that never return

  /// Its `next()` neither returns, nor suspends, nor looks at cancellation until the test is over.
  private struct Endless: AsyncSequence, Sendable {
    /// How many elements it has before that.
    var count = 0
    let begun = Signal()
    let isOver = Shared(false)

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    private func stay() {
      while !isOver.value { Thread.sleep(forTimeInterval: 0.000_1) }
    }

    struct Iterator: AsyncIteratorProtocol {
      fileprivate let sequence: Endless
      private var number = 0

      fileprivate init(sequence: Endless) { self.sequence = sequence }

      mutating func next() async -> Int? { await next(isolation: nil) }

      mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
        if number < sequence.count {
          number += 1
          return number
        }
        sequence.begun.fire()
        sequence.stay()
        return nil
      }
    }
  }

  /// Waits until it is cancelled, and counts the iterators that there are.
  private struct Silent: AsyncSequence, Sendable {
    let living = Shared(0)

    func makeAsyncIterator() -> Iterator { Iterator(living: living) }

    final class Iterator: AsyncIteratorProtocol {
      private let living: Shared<Int>

      init(living: Shared<Int>) {
        self.living = living
        living.update { $0 += 1 }
      }

      deinit { living.update { $0 -= 1 } }

      func next() async -> Int? {
        try? await Task.sleep(for: .seconds(3_600))
        return nil
      }
    }
  }

  @Test(arguments: JoiningForm.all) func cancellationDoesNotWaitForAnInput(_ form: JoiningForm) async {
    let pool = ThreadPool(6)
    let input = Endless()
    let consumer = Task(executorPreference: pool) {
      for await _ in form.make(input.eraseToAnyAsyncSequence()) {}
    }
    await input.begun.wait()
    consumer.cancel()
    await consumer.value
    // The input is inside its first `next()` still.
    #expect(!input.isOver.value)
    input.isOver.value = true
    pool.finish()
  }

  @Test func cancellationDoesNotWaitForTheWinnerOfARace() async {
    let pool = ThreadPool(2)
    let input = Endless(count: 2)
    let consumer = Task(executorPreference: pool) {
      var count = 0
      for await _ in race(input, Silent()) { count += 1 }
      return count
    }
    await input.begun.wait()
    consumer.cancel()
    #expect(await consumer.value == 2)
    #expect(!input.isOver.value)
    input.isOver.value = true
    pool.finish()
  }

  /// Each element's sequence ends because of the cancellation, and the base has another element then.
  @Test func aConcatMapOverABaseThatIgnoresCancellationEnds() async {
    let begun = Signal()
    let deaf = naturals().map { number in
      begun.fire()
      return number
    }
    let consumers = [
      Task { for await _ in deaf.concatMap({ _ in ManualSource<Int, Never>() }) {} },
      Task { for await _ in deaf.map({ _ in ManualSource<Int, Never>() }).joined() {} },
      Task { for await _ in deaf.map({ _ in ManualSource<Int, Never>() }).joined(separator: ready([1])) {} },
    ]
    await begun.wait(consumers.count)
    for consumer in consumers {
      consumer.cancel()
      await consumer.value
    }
  }

  /// A race and a prefix exist to cut such an input off.
  @Test func anInputThatNeverReturnsIsCutOff() async {
    let pool = ThreadPool(4)
    let input = Endless()
    await pool.run {
      for await number in race(input, ready([1])) { #expect(number == 1) }
      for await _ in input.prefix(untilOutputFrom: ready([1])) {}
      do {
        for try await _ in input.timeout(for: .milliseconds(1), clock: .continuous) {}
        Issue.record("no timeout")
      } catch {}
    }
    #expect(!input.isOver.value)
    input.isOver.value = true
    pool.finish()
  }

  @Test func anInputThatBlocksDoesNotKeepTheOthers() async {
    let pool = ThreadPool(4)
    let input = Endless()
    let count = await pool.run {
      var count = 0
      for await _ in merge(input, ready(Array(0..<1_000)), ready(Array(0..<1_000))) {
        count += 1
        if count == 2_000 { break }
      }
      return count
    }
    #expect(count == 2_000)
    input.isOver.value = true
    pool.finish()
  }

  // MARK: The consumer's actor

  /// An input that blocks until the main thread has run something else would keep it for ever if it ran there. So would
  /// one that runs something on the main queue, and its child tasks run where an ordinary task's do.
  @MainActor @Test(arguments: JoiningForm.all) func aConsumersActorIsNotKept(_ form: JoiningForm) async {
    let isMain = Shared(Set<Bool>())
    let input = [1].async.map { number in
      isMain.update { _ = $0.insert(Thread.isMainThread) }
      // Swift marks it as unavailable in asynchronous functions, since it blocks, as this has to.
      let wait: () -> Void = { DispatchQueue.main.sync {} }
      wait()
      async let child = Thread.isMainThread
      let childIsMain = await child
      isMain.update { _ = $0.insert(childIsMain) }
      return number
    }
    for await _ in form.make(input.eraseToAnyAsyncSequence()) {
      MainActor.assertIsolated()
      break
    }
    #expect(isMain.value == [false])
  }

  @Test func inputsRunOnTheConsumersPreferredExecutor() async throws {
    guard #available(macOS 26.4, iOS 26.4, watchOS 26.4, tvOS 26.4, visionOS 26.4, *) else { return }
    let pool = ThreadPool(2)
    let isPreferred = await withTaskExecutorPreference(pool) {
      let input = [1].async.map { _ in
        withUnsafeCurrentTask { $0?.unownedTaskExecutor == pool.asUnownedTaskExecutor() }
      }
      for await isPreferred in merge(input, ready([Bool]())) { return isPreferred }
      return false
    }
    #expect(isPreferred)
    pool.finish()
  }

  // MARK: What tasks inherit

  @TaskLocal private static var number = 0

  @Test(arguments: JoiningForm.all) func inputsInheritPriorityAndTaskLocals(_ form: JoiningForm) async {
    let seen = Shared((number: 0, priority: TaskPriority.background))
    let consumer = Task(priority: .high) {
      await Self.$number.withValue(7) {
        let input = [1].async.map { number in
          seen.value = (Self.number, Task.currentPriority)
          return number
        }
        for await _ in form.make(input.eraseToAnyAsyncSequence()) { break }
      }
    }
    await consumer.value
    #expect(seen.value.number == 7)
    #expect(seen.value.priority >= .high)
  }

  // MARK: Other tasks

  @Test func manyReadyInputsDoNotStarveOtherTasks() async {
    let pool = ThreadPool(2)
    let consumer = Task(executorPreference: pool) {
      for await _ in merge((0..<64).map { _ in naturals() }) {}
    }
    let other = Task(executorPreference: pool) {
      for _ in 0..<100 { await Task.yield() }
    }
    await other.value
    consumer.cancel()
    await consumer.value
    pool.finish()
  }

  /// On one thread, so that the inputs are slowed down alike by what else the machine does.
  @Test func readyInputsTakeTurns() async {
    func longestRun<S: AsyncSequence<Int, Never> & Sendable>(_ sequence: S) async -> Int {
      let pool = ThreadPool(1)
      let longest = await pool.run {
        var (last, run, longest, count) = (-1, 0, 0, 0)
        for await input in sequence {
          run = input == last ? run + 1 : 1
          last = input
          longest = max(longest, run)
          count += 1
          if count == 50_000 { break }
        }
        return longest
      }
      pool.finish()
      return longest
    }
    let first = ReadySource<Int, Never>(elements: { _ in 1 })
    let second = ReadySource<Int, Never>(elements: { _ in 2 })
    #expect(await longestRun(merge(first, second)) <= 1_000)
    #expect(await longestRun(merge([first, second])) <= 1_000)
    #expect(await longestRun(ready([first, second]).flatMap(maxTasks: 2) { $0 }) <= 1_000)
  }

  /// Jobs are counted and not the time.
  @Test func nestedOperatorsCostAsMuchAsTheirNumber() async {
    func jobs(_ depth: Int) async -> Int {
      let pool = ThreadPool(2)
      let before = ThreadPool.jobCount
      let count = await pool.run {
        var nested = ready([1, 2, 3]).eraseToAnyAsyncSequence()
        for _ in 0..<depth { nested = merge(nested, ready([Int]())).eraseToAnyAsyncSequence() }
        var count = 0
        for await _ in nested { count += 1 }
        return count
      }
      #expect(count == 3)
      pool.finish()
      return ThreadPool.jobCount - before
    }
    let (few, many) = (await jobs(40), await jobs(400))
    #expect(many < 20 * few)
  }

  /// Whoever makes or cancels the iterator of a nest does so with all of those in it, one inside the other. So it is a
  /// thread whose stack has room for that in an unoptimised build.
  @Test func aDeepNestIsCancelledAndReleased() async {
    // ThreadSanitizer knows sixty-four locks of a thread, and a task that is cancelled holds one.
    let depth = hasThreadSanitizer ? 25 : 1_000
    let source = ManualSource<Int, Never>()
    let isRequested = Latch()
    let hasEnded = Signal()
    let thread = Thread {
      var nested = source.eraseToAnyAsyncSequence()
      for _ in 0..<depth { nested = merge(nested, ready([Int]())).eraseToAnyAsyncSequence() }
      let made = nested.makeAsyncIterator()
      let task = Task {
        var iterator = made
        #expect(await iterator.next() == nil)
        hasEnded.fire()
      }
      isRequested.wait()
      task.cancel()
    }
    thread.stackSize = 1 << 26
    thread.start()
    await source.requested.wait()
    isRequested.open()
    await hasEnded.wait()
    await source.released.wait()
  }

  @Test func afterManyCancellationsNoInputIsLeft() async {
    let silent = Silent()
    for index in 0..<10_000 {
      let consumer = Task {
        for await _ in merge(silent, silent) {}
      }
      // Before it has begun, while it begins, and while it waits.
      if index % 3 > 0 { await Task.yield() }
      if index % 3 > 1 { await until { silent.living.value > 0 } }
      consumer.cancel()
      await consumer.value
    }
    await until { silent.living.value == 0 }
  }
}
