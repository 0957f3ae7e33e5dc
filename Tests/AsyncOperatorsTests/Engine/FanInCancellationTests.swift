import AsyncOperators
import Foundation
import Testing

/// The inputs run on the consumer's thread, in tasks of their own: the consumer's cancellation has to reach them there.
@Suite(.timeLimit(.minutes(60))) struct FanInCancellationTests {
  private typealias Numbers = AsyncFilterSequence<AsyncSyncSequence<ClosedRange<Int>>>

  /// Cancels a consumer while an input is inside its first `next()`, which does not suspend and has no element.
  private func expectEnd(_ consume: @escaping @Sendable (Numbers) async -> Void) async {
    let begun = DispatchSemaphore(value: 0)
    let numbers = (0...Int.max).async.filter {
      if $0 == 1_000 { begun.signal() }
      return false
    }
    let consumer = Task { await consume(numbers) }
    // Not in a task, nor on a queue: the inputs may keep all threads that these share.
    Thread {
      begun.wait()
      consumer.cancel()
    }.start()
    await consumer.value
  }

  @Test func merged() async {
    await expectEnd { for await _ in merge($0, [Int]().async) {} }
  }

  @Test func zipped() async {
    await expectEnd { for await _ in zip($0, $0) {} }
  }

  @Test func combined() async {
    await expectEnd { for await _ in combineLatest($0, $0) {} }
  }

  @Test func ofSeveralSequences() async {
    await expectEnd { for await _ in merge([$0, $0, $0]) {} }
  }

  @Test func chunked() async {
    await expectEnd {
      for await _ in $0.chunked(by: AsyncTimerSequence(interval: .seconds(3_600), clock: .continuous)) {}
    }
  }

  @Test func debounced() async {
    await expectEnd { for await _ in $0.debounce(for: .seconds(3_600)) {} }
  }

  @Test func withATimeout() async {
    await expectEnd { do { for try await _ in $0.timeout(for: .seconds(3_600), clock: .continuous) {} } catch {} }
  }

  /// So the end of the time is seen although the base computes.
  @MainActor @Test func aTimeoutIteratesItsBaseOnAnotherThread() async throws {
    let numbers = (1...3).async.map { ($0, Thread.isMainThread) }
    for try await (_, isOnConsumersThread) in numbers.timeout(for: .seconds(3_600), clock: .continuous) {
      #expect(!isOnConsumersThread)
    }
  }
}
